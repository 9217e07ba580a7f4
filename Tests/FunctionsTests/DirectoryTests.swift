import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// Which functions a directory has.
struct DirectoryTests {
  @Test func `without a configuration, scripts and programs are functions`() async throws {
    try await FunctionsFixture.with([
      "a.js": "", "b": "#!/bin/sh\n", "c.txt": "", ".d.js": "", "lib/e.js": "",
    ]) {
      fixture async throws in
      let found = try fixture.host.functions().map { "\($0.name) \($0.runtime)" }
      #expect(found == ["a node", "b executable"])
    }
  }

  @Test func `a configuration says what there is`() async throws {
    try await FunctionsFixture.with([
      "config.json": """
      [{"name":"a","private":true,"can_evaluate":{},"run_as_system":true,"disabled":false},
       {"name":"b","disabled":true,"can_evaluate":{"%%user.id":"x"}},
       {"name":"c","command":["python3","c.py"],"time_limit_seconds":5,"memory_megabytes":64,"max_concurrency":3},
       {"name":"missing"}]
      """,
      "a.js": "", "b.js": "", "other.js": "",
    ]) { fixture async throws in
      let functions = try fixture.host.functions()
      #expect(functions.map(\.name) == ["a", "b", "c"])
      #expect(functions.map(\.isPrivate) == [true, false, false])
      #expect(functions.map(\.isDisabled) == [false, true, false])
      #expect(functions.map { $0.rule != nil } == [false, true, false])
      #expect(functions.map(\.runsAsSystem) == [true, false, false])
      #expect(functions.map(\.timeLimit) == [300, 300, 5])
      #expect(functions.map(\.memoryLimit) == [256, 256, 64])
      #expect(functions.map(\.concurrency) == [2, 2, 3])
      #expect(await fixture.failure("a") == .isPrivate)
      #expect(await fixture.failure("b") == .isDisabled)
      #expect(await fixture.failure("other") == .notFound)
    }
  }

  @Test func `limits that no number of nanoseconds or bytes can say are the greatest ones`() async throws {
    try await FunctionsFixture.with([
      "config.json": """
      [{"name":"p","time_limit_seconds":{"$numberLong":"9223372036854775807"},
        "memory_megabytes":{"$numberLong":"17592186044416"}}]
      """,
      "p": "#!/bin/sh\nread line; echo '{\"result\":1}'\n",
    ]) { fixture async throws in
      let functions = try fixture.host.functions()
      #expect(functions.map(\.timeLimit) == [1_000_000_000])
      #expect(functions.map(\.memoryLimit) == [1_000_000_000])
      #expect(try await fixture.call("p") == .int32(1))
    }
  }

  @Test func `a rule refuses those whom it does not let, but not the gateway itself`() async throws {
    try await FunctionsFixture.with(
      ["config.json": #"[{"name":"a","can_evaluate":{"%%user.id":"x"}}]"#, "a.js": ""],
      [.set(\.node, "no-such-node")]
    ) { fixture async throws in
      #expect(await fixture.failure("a", user: ["id": .string("y")]) == .isProtected)
      #expect(await fixture.failure("a", user: [:]) == .isProtected)
      // It gets as far as the program that would run it.
      #expect(
        await fixture.failure("a", user: ["id": .string("x")]) == .runtimeMissing(program: "no-such-node"))
      #expect(await fixture.failure("a") == .runtimeMissing(program: "no-such-node"))
    }
  }

  @Test func `a malformed configuration is told with its place, and a better one is taken`() async throws {
    try await FunctionsFixture.with(["config.json": #"[{"name":}]"#, "a.js": ""]) { fixture async throws in
      #expect(await fixture.failure("a") == .malformedConfiguration(file: "config.json", offset: 9))
      try fixture.write("[]", to: "config.json")
      #expect(await fixture.failure("a") == .notFound)
    }
  }

  @Test(arguments: [
    ("config.json", "[{\"name\": \"a\"},\n {\"name\": \"b\",\n  \"privat\": true}]", "privat", false, 3),
    ("config.json", "[{\"name\": \"a\"},\n {\"nam\": \"b\"}]", "nam", false, 2),
    ("config.json", "[\n{\"private\": true}]", "name", true, 2),
    ("config.json", "[{\"name\": \"../a\"}]", "name", true, 1),
    ("config.json", "[{\"name\": \"a\",\n\"command\": []}]", "command", true, 2),
    ("config.json", "[\n1]", "", true, 2),
  ])
  func `a member that means nothing is told with its line`(
    file: String, content: String, member: String, isKnown: Bool, line: Int
  ) async throws {
    try await FunctionsFixture.with(["a.js": ""]) { fixture async throws in
      #expect(await fixture.failure("b") == .notFound)
      try fixture.write(content, to: file)
      #expect(await fixture.failure("b") == .wrongMember(member, isKnown: isKnown, file: file, line: line))
    }
  }

  @Test(
    .enabled(if: FunctionsFixture.hasNode, "Node is not installed"),
    arguments: [
      (
        "values/v.json", "{\"name\": \"v\",\n\"valu\": 1}",
        "values/v.json, line 2: there is no member “valu”."
      ),
      ("values/v.json", "{\"name\":}", "values/v.json is malformed (byte 8)."),
      (
        "environments/no-environment.json", "{\"value\": {}}",
        "environments/no-environment.json, line 1: there is no member “value”."
      ),
      ("environments/x.json", "[]", nil),
    ] as [(String, String, String?)])
  func `a value that cannot be taken fails those functions that use it`(
    file: String, content: String, text: String?
  ) async throws {
    let files = [
      "plain.js": "exports = () => context.values.get('w');", "../values/w.json": #"{"name":"w","value":5}"#,
      "value.js": "exports = () => context.values.get('v') ?? 1;",
      "environment.js": "exports = () => context.environment.values.x ?? 1;", "../\(file)": content,
    ]
    try await FunctionsFixture.with(files) { fixture async throws in
      #expect(try await fixture.call("plain") == .int32(5))
      let isValue = file.hasPrefix("values")
      #expect(await fixture.failure("value") == (isValue ? text.map { .thrown(message: $0) } : nil))
      #expect(await fixture.failure("environment") == (isValue ? nil : text.map { .thrown(message: $0) }))
    }
  }

  @Test(.enabled(if: FunctionsFixture.hasNode, "Node is not installed"))
  func `functions are told which app they are of`() async throws {
    let code =
      "exports = () => [context.app.name, context.app.clientAppId, context.app.id.length, Object.isFrozen(context.app)];"
    try await FunctionsFixture.with(["a.js": code]) { fixture async throws in
      #expect(
        try await fixture.call("a") == .array([.string("app"), .string("app"), .int32(24), .bool(true)]))
      try fixture.write(#"{"name":"shop","app_id":"shop-abcde"}"#, to: "../realm_config.json")
      #expect(
        try await fixture.call("a")
          == .array([.string("shop"), .string("shop-abcde"), .int32(24), .bool(true)]))
    }
  }

  private struct FunctionRefusedError: Error, CustomStringConvertible {
    let description = "not today"
  }

  private static let refuse: RegisteredFunctions.Body = { _ in throw FunctionRefusedError() }

  @Test func `closures come before files, and what they throw is told`() async throws {
    try await FunctionsFixture.with(["sum.js": "exports = () => 'file'"]) { fixture async throws in
      fixture.host.registered.register("sum", parameters: ["numbers"]) { .int32(Int32($0.arguments.count)) }
      fixture.host.registered.register("bad", Self.refuse)
      let sum = try await fixture.call("sum", [.null, .null])
      #expect(sum == .int32(2))
      #expect(await fixture.failure("bad") == .thrown(message: "not today"))
      let functions = try fixture.host.functions()
      #expect(functions.map(\.name) == ["bad", "sum"])
      #expect(functions.last?.parameters == ["numbers"])
    }
  }

  @Test(arguments: [
    ("exports = function (a, b) {};", ["a", "b"]), ("exports = async function name(a) {}", ["a"]),
    ("exports = function* () {}", []), ("exports = (a, b = f(1, [2]), ...rest) => a", ["a", "b", "rest"]),
    ("exports = async x => x;", ["x"]), ("module.exports = (a,) => a", ["a"]), ("exports=()=>1", []),
    ("const exports2 = 1;\nexports = 1;\nexports = ($a_1) => 1;", ["$a_1"]),
    ("exports = ({a}) => a", nil), ("exports = main", nil), ("exports = function (a /* x */) {}", nil),
    ("exports = compose(a, b)", nil), ("exports == (a) => 1", nil), ("", nil), ("exports = (a", nil),
  ])
  func `parameters are told where they can be seen`(source: String, names: [String]?) {
    #expect(ParameterNames.names(in: source) == names)
  }
}
