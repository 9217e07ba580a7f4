import FoundationEssentials
import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// Whatever a function does costs its own call, and nothing else.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct MisbehaviourTests
{
  @Test(arguments: [
    (
      "exports = () => { throw new TypeError('no way'); };",
      FunctionError.thrown(message: "TypeError: no way")
    ),
    ("exports = () => missing + 1;", .thrown(message: "ReferenceError: 'missing' is not defined")),
    ("exports = () => { throw 'text'; };", .thrown(message: "text")),
    ("exports = () => { throw null; };", .thrown(message: "null")),
    ("exports = async () => { throw new Error(''); };", .thrown(message: "Error")),
    ("exports = () => Promise.reject(7);", .thrown(message: "7")),
    ("exports = () => {\n  return 1 +;\n};", .syntax(file: "f.js", line: 2, message: "Unexpected token ';'")),
    ("exports = () => {", .syntax(file: "f.js", line: 1, message: "Unexpected end of input")),
    ("const x = 1;", .notAFunction),
    ("exports = () => process.exit(3);", .crashed(.exited(code: 3))),
    ("exports = () => process.abort();", .crashed(.killed(signal: 6))),
    ("exports = () => process.kill(process.pid, 'SIGKILL');", .crashed(.killed(signal: 9))),
    ("exports = () => require('fs').writeSync(3, 'garbage that is no frame');", .malformedAnswer),
    ("exports = () => 'x'.repeat(3 << 20);", .resultTooLarge(limit: 1 << 20)),
    ("exports = () => { const a = []; a.push(a); return a; };", .resultTooDeep),
    ("exports = () => { let a = 1; for (let i = 0; i < 101; i++) a = [a]; return a; };", .resultTooDeep),
    ("exports = () => [() => 1];", .notSerialisable(message: "A function is no value of BSON")),
    ("exports = () => Symbol('x');", .notSerialisable(message: "A symbol is no value of BSON")),
    ("exports = () => 1n << 64n;", .notSerialisable(message: "A BigInt does not fit into 64 bits")),
    (
      "exports = () => new Promise(() => {});",
      .thrown(message: "The function waits for a promise that nothing will ever settle")
    ),
    (
      "exports = () => require('child_process').execFileSync('true');",
      .thrown(message: "spawnSync true EPERM")
    ),
    (
      "exports = function f() { return f(); };",
      .thrown(message: "RangeError: Maximum call stack size exceeded")
    ),
  ])
  func `a call fails for its own reason, and the next one works`(
    source: String, error: FunctionError
  ) async throws {
    let files = ["f.js": source, "good.js": "exports = x => x;"]
    try await FunctionsFixture.with(files, [.set(\.resultSize, 1 << 20)]) { fixture async throws in
      for round in 0..<2 {
        let failure = await fixture.failure("f")
        #expect(failure == error)
        #expect(try await fixture.call("good", [.int32(Int32(round))]) == .int32(Int32(round)))
      }
    }
  }

  @Test(arguments: [
    "exports = () => { for (;;); };", "exports = () => new Promise(() => setInterval(() => {}, 1000));",
  ])
  func `a call that takes too long is ended, and the next one works`(source: String) async throws {
    let config = #"[{"name":"f","time_limit_seconds":1},{"name":"good"}]"#
    try await FunctionsFixture.with(["config.json": config, "f.js": source, "good.js": "exports = x => x;"]) {
      fixture async throws in
      #expect(await fixture.failure("f") == .timedOut(seconds: 1))
      #expect(try await fixture.call("good", [.int32(5)]) == .int32(5))
    }
  }

  @Test func `a function that closes the channel has crashed`() async throws {
    try await FunctionsFixture.with(["f.js": "exports = () => require('fs').closeSync(3);"]) {
      fixture async throws in
      guard case .crashed? = await fixture.failure("f") else { return #expect(Bool(false)) }
    }
  }

  @Test func `a function that takes all memory is told so`() async throws {
    let source = "exports = () => { const a = []; for (;;) a.push(new Array(1000).fill(1.5)); };"
    try await FunctionsFixture.with(
      ["f.js": source, "g.js": "exports = () => 1;"], [.set(\.memoryLimit, 32)]
    ) {
      fixture async throws in
      #expect(await fixture.failure("f") == .crashed(.outOfMemory))
      #expect(try await fixture.call("g") == .int32(1))
    }
  }

  @Test func `memory outside of the heap is limited as well`() async throws {
    let source = "exports = () => { const a = []; for (;;) a.push(Buffer.alloc(16 << 20, 1)); };"
    try await FunctionsFixture.with(["f.js": source], [.set(\.memoryLimit, 32)]) { fixture async throws in
      #expect(await fixture.failure("f") == .thrown(message: "RangeError: Array buffer allocation failed"))
    }
  }

  @Test func `calls beyond the queue are refused at once`() async throws {
    let config = #"[{"name":"slow","time_limit_seconds":1}]"#
    try await FunctionsFixture.with(
      ["config.json": config, "slow.js": "exports = () => { for (;;); };"],
      [.set(\.workers, 1), .set(\.queue, 1)]
    ) { fixture async throws in
      let failures = await withTaskGroup { group in
        for _ in 0..<3 { group.addTask { await fixture.failure("slow") } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      // Before there is a worker, the first one is in the queue itself.
      let refused = failures.count { $0 == .queueFull }
      #expect(refused == 1 || refused == 2)
      #expect(failures.count { $0 == .timedOut(seconds: 1) } == 3 - refused)
    }
  }

  private static func name(of number: Int) -> String {
    if number % 97 == 50 { return "slow" }
    if number % 133 == 60 { return "exit" }
    return number % 10 == 3 ? "ask" : "note"
  }

  @Test func `of many calls at once, each is made once, whatever others do`() async throws {
    let files = [
      "note.js": "exports = (n, path) => { require('fs').appendFileSync(path, `${n}\\n`); return n; };",
      "slow.js": "exports = n => { for (const end = Date.now() + 50; Date.now() < end;); return n; };",
      "exit.js": "exports = () => process.exit(3);",
      "ask.js": "exports = () => context.realm.objects('A').length;",
    ]
    try await FunctionsFixture.with(files) { fixture async throws in
      let path = "\(fixture.folder)/notes"
      // Calls are handed over in advance once a worker is known to be fast.
      for _ in 0..<3 { _ = try await fixture.call("note", [.int32(-1), .string(path)]) }
      let results = await withTaskGroup(of: (Int, Value?).self, returning: [Int: Value].self) { group in
        for number in 0..<400 {
          group.addTask {
            let arguments: [Value] = [.int32(Int32(number)), .string(path)]
            let result = try? await fixture.call(Self.name(of: number), arguments) { _ in
              Question.Reply(["total": .string("7")])
            }
            return (number, result)
          }
        }
        var results: [Int: Value] = [:]
        for await (number, result) in group { results[number] = result }
        return results
      }
      for number in 0..<400 {
        let name = Self.name(of: number)
        let expected: Value? = name == "exit" ? nil : Value.int32(name == "ask" ? 7 : Int32(number))
        #expect(results[number] == expected, "\(name) \(number)")
      }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let notes: [Int] = text.split(separator: "\n").compactMap { Int($0) }
      let noted: [Int] = (0..<400).filter { Self.name(of: $0) == "note" }
      #expect(notes.sorted() == [-1, -1, -1] + noted)
    }
  }

  @Test func `a worker is replaced after its number of calls`() async throws {
    try await FunctionsFixture.with(
      ["f.js": "let n = 0; exports = () => ++n;"],
      [.set(\.callsPerWorker, 2), .set(\.workers, 1)]
    ) { fixture async throws in
      var results: [Value] = []
      for _ in 0..<5 { results.append(try await fixture.call("f")) }
      #expect(results == [.int32(1), .int32(2), .int32(1), .int32(2), .int32(1)])
    }
  }

  @Test func `a saved file takes effect on the next call`() async throws {
    try await FunctionsFixture.with([
      "f.js": "exports = require('./lib/x');", "lib/x.js": "module.exports = () => 1;",
    ]) {
      fixture async throws in
      #expect(try await fixture.call("f") == .int32(1))
      try fixture.write("module.exports = () => 2;", to: "lib/x.js")
      #expect(try await fixture.call("f") == .int32(2))
      try fixture.write("exports = () => 3;", to: "f.js")
      #expect(try await fixture.call("f") == .int32(3))
      #expect(await fixture.failure("g") == .notFound)
      try fixture.write("exports = () => 4;", to: "g.js")
      #expect(try await fixture.call("g") == .int32(4))
    }
  }

  @Test func `without Node the reason is told`() async throws {
    try await FunctionsFixture.with(["f.js": "exports = () => 1;"], [.set(\.node, "no-such-node")]) {
      fixture async throws in
      #expect(await fixture.failure("f") == .runtimeMissing(program: "no-such-node"))
    }
  }
}
