import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// Whatever a call leaves running or changes stays its own, also while the next caller's is being answered.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct CallIdentityTests
{
  private static let next = """
    exports = async () => {
      for (let i = 0; i < 20; i++) await new Promise(resolve => setTimeout(resolve, 1));
      return [context.user.id, globalThis.late ?? null];
    };
    """

  /// The next call, which goes on until what the one before has left running has run.
  private static let nextOfLate = """
    exports = async () => {
      for (let i = 0; i < 10000 && globalThis.late === undefined; i++) {
        await new Promise(resolve => setTimeout(resolve, 1));
      }
      return [context.user.id, globalThis.late];
    };
    """

  private func user(_ id: String) -> Document { ["id": .string(id)] }

  /// Answers no question: none is to come.
  private let unasked: Question.Respondent = { question in
    Issue.record("\(question)")
    return .failure("no")
  }

  @Test(
    arguments: [
      "setImmediate(BODY);", "setTimeout(BODY, 1);", "new Promise(setImmediate).then(BODY);",
      "(async () => { await new Promise(setImmediate); BODY(); })();",
      "require('fs').readFile(__filename, BODY);", "process.nextTick(() => setImmediate(BODY));",
    ], [false, true])
  func `what a call leaves running asks for nothing in the next caller's name`(
    start: String, asSystem: Bool
  ) async throws {
    let body = """
      () => {
        const seen = [context.user.id];
        for (const ask of [
          () => context.realm.create('A', {}), () => context.realm.objects('A').length,
          () => context.functions.execute('other'), () => context.request.httpMethod,
        ]) {
          try { seen.push(ask()); } catch (error) { seen.push(error.code); }
        }
        globalThis.late = seen;
      }
      """
    let parts = start.split(separator: "BODY", omittingEmptySubsequences: false)
    let source = "exports = () => { const body = \(body); \(parts.joined(separator: "body")) return 1; };"
    let config = """
      [{"name":"leave","run_as_system":\(asSystem)},{"name":"next","run_as_system":\(!asSystem)}]
      """
    let files = ["config.json": config, "leave.js": source, "next.js": Self.nextOfLate]
    try await FunctionsFixture.with(files, [.set(\.workers, 1)]) { fixture async throws in
      #expect(try await fixture.call("leave", user: user("u"), unasked) == .int32(1))
      let ended = Value.string("CallEnded")
      #expect(
        try await fixture.call("next", user: user("v"), unasked)
          == .array([.string("v"), .array([.string("u"), ended, ended, ended, ended])]))
    }
  }

  @Test func `a question under another call's number is refused, and the call goes on`() async throws {
    let source = """
      const fs = require('fs');
      exports = () => {
        // An empty document, as a question of a call that is none.
        const frame = Buffer.concat([Buffer.from([22, 0, 0, 0, 0x51]), Buffer.alloc(16, 7), Buffer.from([5, 0, 0, 0, 0])]);
        fs.writeSync(3, frame);
        const reply = Buffer.alloc(1000);
        const text = reply.toString('latin1', 0, fs.readSync(4, reply));
        return [text.includes('CallEnded'), text.charCodeAt(5), context.realm.objects('A').length];
      };
      """
    try await FunctionsFixture.with(["f.js": source]) { fixture async throws in
      let result = try await fixture.call("f") { _ in Question.Reply(["total": .string("3")]) }
      #expect(result == .array([.bool(true), .int32(7), .int32(3)]))
    }
  }

  @Test func `what an ended call says and throws is not the next caller's`() async throws {
    let files = [
      "leave.js": """
      exports = () => {
        setImmediate(() => { console.log('said'); Promise.reject(new Error('rejected')); throw new Error('thrown'); });
      };
      """,
      "next.js": Self.next, "number.js": "let n = 0; exports = () => ++n;",
    ]
    try await FunctionsFixture.with(files, [.set(\.workers, 1)]) { fixture async throws in
      #expect(try await fixture.call("number") == .int32(1))
      _ = try await fixture.call("leave", user: user("u"))
      #expect(try await fixture.call("next", user: user("v")) == .array([.string("v"), .null]))
      // A worker in which something went wrong makes room for a new one.
      #expect(try await fixture.call("number") == .int32(1))
      let lines = fixture.log.lines
      #expect(
        lines.allSatisfy { $0["message"] == .string("function call") && $0["outcome"] == .string("ok") })
    }
  }

  @Test func `what no call is known to have thrown costs the call, which learns nothing of it`() async throws
  {
    let files = [
      "leave.js":
        "exports = () => { setImmediate(() => queueMicrotask(() => { throw new Error('secret'); })); };",
      "next.js": Self.next,
    ]
    try await FunctionsFixture.with(files, [.set(\.workers, 1)]) { fixture async throws in
      _ = try await fixture.call("leave")
      let message = "Something in the process threw an error that no call can be told to have made"
      #expect(await fixture.failure("next") == .thrown(message: message))
      #expect(try await fixture.call("next") == .array([.string(""), .null]))
    }
  }

  @Test(arguments: [
    "BSON.ObjectId.prototype.toString", "BSON.ObjectId.generate", "BSON.Binary.prototype.text",
    "BSON.Long.fromString",
    "Object.getPrototypeOf(new BSON.Decimal128('1')).toString", "EJSON.parse",
    "Object.getPrototypeOf(context.realm.objects('A')).map", "context.functions.execute", "context.http.get",
  ])
  func `no call changes what others are given`(member: String) async throws {
    let files = [
      "change.js":
        "exports = () => { 'use strict'; const before = \(member); try { \(member) = () => 'mine'; } "
        + "catch (error) { return [error.name, before === \(member)]; } return 'changed'; };"
    ]
    try await FunctionsFixture.with(files, [.set(\.workers, 1)]) { fixture async throws in
      let result = try await fixture.call("change", user: user("u"), unasked)
      #expect(result == .array([.string("TypeError"), .bool(true)]))
    }
  }

  @Test func `what calls are given is theirs alone`() async throws {
    let source = """
      exports = () => {
        const seen = [context.values.get('o').n, context.environment.values.o.n, context.extra ?? null, BSON.extra ?? null,
          context.user.data.n ?? null, typeof context.realm.create];
        context.values.get('o').n = 2;
        context.environment.values.o.n = 2;
        context.user.data.n = 2;
        context.extra = BSON.extra = 2;
        context.realm.create = null;
        context = {};
        return seen;
      };
      """
    let files = [
      "f.js": source, "../values/o.json": #"{"name":"o","value":{"n":1}}"#,
      "../environments/test.json": #"{"values":{"o":{"n":1}}}"#,
    ]
    try await FunctionsFixture.with(files, [.set(\.workers, 1), .set(\.environment, "test")]) {
      fixture async throws in
      for _ in 0..<2 {
        let seen: Value = .array([.int32(1), .int32(1), .null, .null, .null, .string("function")])
        #expect(try await fixture.call("f") == seen)
      }
    }
  }

  @Test func `results that are asked for while they are written are the call's`() async throws {
    let source = "exports = () => ({get all() { return context.realm.objects('A').length; }});"
    try await FunctionsFixture.with(["f.js": source]) { fixture async throws in
      let result = try await fixture.call("f") { _ in Question.Reply(["total": .string("3")]) }
      #expect(result == ["all": .int32(3)])
    }
  }
}
