import BSON
import Testing

@testable import Functions

/// Functions that are programs.
struct ProgramTests {
  static let python = """
    #!/usr/bin/env python3
    import json, sys
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer = {"result": sum(call["arguments"])}
        except TypeError as error:
            print("cannot add", file=sys.stderr)
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
    """

  @Test(.enabled(if: FunctionsFixture.hasPython, "Python is not installed"))
  func `a Python program answers call after call`() async throws {
    // Where python3 is a shell script that looks for the right one, it starts processes.
    let config = #"[{"name":"sum","starts_processes":true}]"#
    try await FunctionsFixture.with(["config.json": config, "sum": Self.python]) { fixture async throws in
      #expect(try await fixture.call("sum", [.int32(1), .int32(2)]) == .int32(3))
      #expect(try await fixture.call("sum", [.double(0.5), .int32(2)]) == .double(2.5))
      #expect(try await fixture.call("sum", [.int64(.max)]) == .int64(.max))
      let message = "unsupported operand type(s) for +: 'int' and 'str'"
      #expect(await fixture.failure("sum", [.string("x")]) == .thrown(message: message))
      #expect(fixture.log.lines.last?["stderr"] == .string("cannot add\n"))
    }
  }

  @Test func `a program that answers one call only is started again`() async throws {
    let script = "#!/bin/sh\nread line\necho '{\"result\":{\"$numberLong\":\"7\"}}'\n"
    try await FunctionsFixture.with(["once": script]) { fixture async throws in
      for _ in 0..<10 { #expect(try await fixture.call("once") == .int64(7)) }
    }
  }

  @Test func `a program asks, and its answer is not taken for a question`() async throws {
    let script = #"""
      #!/bin/sh
      read call
      id=${call#*:\"}; id=${id%%\"*}
      echo " { \"call\" : \"$id\", \"question\" : {\"method\":\"GET\",\"target\":\"/v1/collections/A\",\"content\":{\"a\":1}}}"
      read first
      echo "{\"call\":\"$id\",\"question\":{\"function\":\"twice\",\"arguments\":[21]}}"
      read second
      echo "{\"call\":\"$id\",\"question\":{\"nonsense\":1}}"
      read third
      echo "{\"result\":[\"question\",$first,$second,$third]}"

      """#
    try await FunctionsFixture.with(["p": script]) { fixture async throws in
      fixture.host.register("twice", isPrivate: true) { call in
        guard case .int32(let number)? = call.arguments.first else { return .null }
        return .int32(2 * number)
      }
      let result = try await fixture.call("p") { question in
        guard case .data(let question) = question else { return .failure("no") }
        #expect(question.method == "GET" && question.target == "/v1/collections/A" && question.isText)
        #expect(question.content == Array(#"{"a":{"$numberInt":"1"}}"#.utf8) && !question.isAsSystem)
        return Question.Reply(["status": .int32(200), "content": .binary(Binary(bytes: Array("[5]".utf8)))])
      }
      guard case .array(let seen) = result, seen.first == .string("question") else {
        return #expect(Bool(false), "\(result)")
      }
      #expect(
        seen.dropFirst().map(Self.reply(in:)) == [
          ["status": .int32(200), "content": .array([.int32(5)])], ["result": .int32(42)],
          ["failure": ["message": .string("The question is malformed.")]],
        ])
    }
  }

  @Test func `a program asks as the system where its entry says so`() async throws {
    let script = #"""
      #!/bin/sh
      read call
      id=${call#*:\"}; id=${id%%\"*}
      echo "{\"call\":\"$id\",\"question\":{\"method\":\"GET\",\"target\":\"/v1/collections/A\"}}"
      read reply
      echo "{\"result\":$reply}"

      """#
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"p"},{"name":"s","run_as_system":true}]"#, "p": script, "s": script,
    ]) { fixture async throws in
      for (name, isSystem) in [("p", false), ("s", true)] {
        let result = try await fixture.call(name) { question in
          guard case .data(let question) = question else { return .failure("no") }
          return Question.Reply(["system": .bool(question.isAsSystem)])
        }
        #expect(Self.reply(in: result) == ["system": .bool(isSystem)])
      }
    }
  }

  /// The reply in a line that a program was answered.
  private static func reply(in line: Value) -> Value? {
    if case .document(let line) = line { line["reply"] } else { nil }
  }

  @Test func `a program that asks or answers for a call that has ended is refused`() async throws {
    let script = #"""
      #!/bin/sh
      read call
      old=${call#*:\"}; old=${old%%\"*}
      echo "{\"call\":\"$old\",\"result\":\"$old\"}"
      read call
      echo "{\"call\":\"$old\",\"question\":{\"method\":\"GET\",\"target\":\"/v1/collections/A\"}}"
      read first
      echo "{\"question\":{\"method\":\"GET\",\"target\":\"/v1/collections/A\"}}"
      read second
      echo "{\"call\":\"$old\",\"result\":\"another caller's\"}"
      echo "{\"result\":[$first,$second]}"

      """#
    try await FunctionsFixture.with(["p": script], [.set(\.workers, 1)]) { fixture async throws in
      let respondent: Question.Respondent = { question in
        Issue.record("\(question)")
        return .failure("no")
      }
      let first = try await fixture.call("p", user: ["id": .string("u")], respondent)
      let second = try await fixture.call("p", user: ["id": .string("v")], respondent)
      let failure: Value = [
        "failure": [
          "message": .string("The call that asks has ended, or is not named."), "code": .string("CallEnded"),
        ]
      ]
      #expect(second == .array([["call": first, "reply": failure], ["reply": failure]]))
    }
  }

  @Test(arguments: [
    ("#!/bin/sh\nexit 4\n", FunctionError.crashed(.exited(code: 4))),
    ("#!/no/such/interpreter\n", .crashed(.exited(code: 127))),
    ("#!/bin/sh\nread line\necho nonsense\n", .malformedAnswer),
    ("#!/bin/sh\nread line\necho '{}'\n", .malformedAnswer),
    ("#!/bin/sh\nread line\necho '{\"result\":1}{\"result\":2}'\n", .malformedAnswer),
    (
      "#!/bin/sh\nwhile :; do echo -n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n",
      .resultTooLarge(limit: 1000)
    ),
    // A fork bomb: the first fork is refused.
    ("#!/bin/sh\nread line\n(while :; do :; done) &\n(while :; do :; done) &\n", .crashed(.exited(code: 2))),
  ])
  func `a program that misbehaves costs one call`(script: String, error: FunctionError) async throws {
    try await FunctionsFixture.with(["p": script], [.set(\.resultSize, 1000)]) { fixture async throws in
      for _ in 0..<2 {
        let failure = await fixture.failure("p")
        #expect(failure == error)
      }
    }
  }

  @Test func `a program that takes too long is ended`() async throws {
    let config = #"[{"name":"p","time_limit_seconds":1}]"#
    let script = "#!/bin/sh\nwhile :; do :; done\n"
    try await FunctionsFixture.with(["config.json": config, "p": script]) { fixture async throws in
      for _ in 0..<2 { #expect(await fixture.failure("p") == .timedOut(seconds: 1)) }
    }
  }

  @Test func `a program may start processes where its entry says so`() async throws {
    let script = "#!/bin/sh\nread line\necho \"{\\\"result\\\":$(expr 1 + 2)}\"\n"
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"p","starts_processes":true}]"#, "p": script,
    ]) { fixture async throws in
      #expect(try await fixture.call("p") == .int32(3))
    }
  }
}
