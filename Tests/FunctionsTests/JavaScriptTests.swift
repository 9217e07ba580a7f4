import GatehouseBSON
import Synchronization
import Testing

@testable import GatehouseFunctions

/// The arguments and results of JavaScript functions.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct JavaScriptTests {
  static let results: [(source: String, result: Value)] = [
    ("exports = function (a, b) { return a + b; };", .int32(3)),
    ("exports = async (a, b) => { await new Promise(setImmediate); return a - b; };", .int32(-1)),
    ("module.exports = (...all) => all.length;", .int32(2)),
    ("exports = () => 2147483648;", .double(2_147_483_648)),
    ("exports = () => -0;", .double(-0.0)),
    ("exports = () => 1.5;", .double(1.5)),
    ("exports = () => BSON.Double(5);", .double(5)),
    ("exports = () => BSON.Long.fromString('9007199254740993');", .int64(9_007_199_254_740_993)),
    ("exports = () => 9007199254740993n;", .int64(9_007_199_254_740_993)),
    ("exports = () => BSON.Int32(7.9);", .int32(7)),
    ("exports = () => undefined;", .undefined),
    ("exports = () => null;", .null),
    (
      "exports = () => ({b: 1, a: [undefined, {c: undefined}]});",
      ["b": .int32(1), "a": .array([.null, .document([:])])]
    ),
    ("exports = () => new Date(5);", .date(Date(milliseconds: 5))),
    ("exports = () => Buffer.from('hi');", .binary(Binary(bytes: [104, 105]))),
    (
      "exports = () => new Map([['z', 1], ['2', 2], ['1', 3]]);",
      ["z": .int32(1), "2": .int32(2), "1": .int32(3)]
    ),
    ("exports = () => EJSON.parse('{\"$numberLong\":\"5\"}');", .int64(5)),
    (
      "exports = () => EJSON.stringify({n: 1, d: BSON.Decimal128('1.50')}, {relaxed: false});",
      .string(#"{"n":{"$numberInt":"1"},"d":{"$numberDecimal":"1.50"}}"#)
    ),
    ("exports = () => context.user.type;", .string("system")),
    (
      "exports = () => BSON.ObjectId('0123456789abcdef01234567');",
      .objectID(ObjectID("0123456789abcdef01234567")!)
    ),
    ("exports = () => new BSON.ObjectId().toString().length;", .int32(24)),
    ("exports = () => BSON.Binary.fromBase64('aGk=');", .binary(Binary(bytes: [104, 105]))),
    ("exports = () => BSON.Binary.fromHex('00ff').toBase64();", .string("AP8=")),
    ("exports = () => BSON.Binary.fromText('hé').toHex();", .string("68c3a9")),
    (
      "exports = () => new BSON.UUID('00112233-4455-6677-8899-aabbccddeeff');",
      .uuid(UUID("00112233-4455-6677-8899-aabbccddeeff")!)
    ),
    ("exports = () => BSON.Timestamp(7, 1);", .timestamp(Timestamp(time: 7, increment: 1))),
    (
      "exports = () => [BSON.MinKey(), BSON.MaxKey(), BSON.BSONRegExp('a', 'mi')];",
      .array([.minKey, .maxKey, .regularExpression(RegularExpression(pattern: "a", options: "im"))])
    ),
    ("exports = () => BSON.Long(5) + 7;", .int32(12)),
    (
      "exports = () => EJSON.stringify({d: new Date(0), n: BSON.Long(5), f: 1.5, o: BSON.ObjectId('0123456789abcdef01234567')});",
      .string(
        #"{"d":{"$date":"1970-01-01T00:00:00Z"},"n":5,"f":1.5,"o":{"$oid":"0123456789abcdef01234567"}}"#)
    ),
    (
      "exports = () => EJSON.deserialize(EJSON.serialize({a: [new Date(5), BSON.Decimal128('2.50')]}, {relaxed: false}));",
      ["a": .array([.date(Date(milliseconds: 5)), .decimal128(Decimal128("2.50")!)])]
    ),
    ("exports = () => context.runningAsSystem();", .bool(false)),
    (
      "exports = () => typeof context.services.get('mongodb-atlas').db('d').collection('c').find;",
      .string("function")
    ),
    ("exports = () => typeof require('node:path').join;", .string("function")),
  ]

  @Test(arguments: results)
  func `a function's result has the type that the table says`(source: String, result: Value) async throws {
    try await FunctionsFixture.with(["f.js": source]) { fixture async throws in
      #expect(try await fixture.call("f", [.int32(1), .int32(2)]) == result)
    }
  }

  private static let sums: [(sum: String, numbers: [Int64], result: Value)] = [
    ("a + b", [1, 2], .int32(3)), ("a + b", [2_147_483_647, 1], .double(2_147_483_648)),
    ("a + b", [9_007_199_254_740_992, -1], .double(9_007_199_254_740_991)),
    ("a + b", [9_007_199_254_740_992, 1], .double(9_007_199_254_740_992)),
    (
      "new BSON.Long(a.toBigInt() + b.toBigInt())", [9_007_199_254_740_992, 1], .int64(9_007_199_254_740_993)
    ),
    ("a.toBigInt() + b.toBigInt()", [9_007_199_254_740_992, 1], .int64(9_007_199_254_740_993)),
    ("a", [9_007_199_254_740_993, 0], .int64(9_007_199_254_740_993)),
  ]

  /// The page Functions.md says so.
  @Test(arguments: sums)
  func `a sum of int64s is a number`(sum: String, numbers: [Int64], result: Value) async throws {
    try await FunctionsFixture.with(["f.js": "exports = (a, b) => \(sum);"]) { fixture async throws in
      #expect(try await fixture.call("f", numbers.map { .int64($0) }) == result)
    }
  }

  static let everyType: [Value] = [
    .null, .bool(true), .int32(.min), .int64(.max), .int64(1), .double(0.1), .double(-.infinity),
    .decimal128(Decimal128("-1.230E+100")!), .string("ü\u{0}😀"),
    .binary(Binary(subtype: 128, bytes: [0, 255])),
    .uuid(UUID("00112233-4455-6677-8899-aabbccddeeff")!), .objectID(ObjectID("0123456789abcdef01234567")!),
    .date(Date(milliseconds: -62_135_596_800_000)), .timestamp(Timestamp(time: 4_000_000_000, increment: 7)),
    .regularExpression(RegularExpression(pattern: "^a", options: "im")), .minKey, .maxKey,
    .symbol("s"), .javaScript("x"), .javaScriptWithScope(code: "x", scope: ["a": .int32(1)]),
    .dbPointer(namespace: "n", id: ObjectID("0123456789abcdef01234567")!),
    ["b": .int32(1), "10": .int32(2), "9": ["__proto__": .int32(3), "": .array([])]],
  ]

  /// The types of BSON are told by their prototypes, not by what a client's document may have as a member.
  @Test func `a document with a member that types have stays a document`() async throws {
    let documents = ["x", "Long", "Double", "Binary"].map { Value.document(["_bsontype": .string($0)]) }
    let files = ["echo.js": "exports = (...values) => JSON.parse(JSON.stringify(values)) && values;"]
    try await FunctionsFixture.with(files) { fixture async throws in
      #expect(try await fixture.call("echo", documents) == .array(documents))
    }
  }

  @Test func `something that can be awaited belongs to its call`() async throws {
    let files = [
      "late.js": "exports = () => ({then(ok) { ok({then(ok) { ok(context.user.id); }}); }});",
      "refused.js": "exports = () => ({then(ok, no) { no(new Error(context.user.id)); }});",
    ]
    try await FunctionsFixture.with(files) { fixture async throws in
      #expect(try await fixture.call("late", user: ["id": .string("u")]) == .string("u"))
      #expect(await fixture.failure("refused", user: ["id": .string("u")]) == .thrown(message: "u"))
    }
  }

  @Test func `every type comes back as it went in`() async throws {
    try await FunctionsFixture.with(["echo.js": "exports = (...all) => all;"]) { fixture async throws in
      #expect(try await fixture.call("echo", Self.everyType) == .array(Self.everyType))
    }
  }

  @Test(arguments: [
    "0", "-0", "1", "1.50", "-1E+6111", "9.999999999999999999999999999999999E+6144",
    "1E-6176", "NaN", "Infinity", "-Infinity", "0.0000001", "123456789012345678901234567890.1234",
  ])
  func `a Decimal128 has the same text in JavaScript as here`(text: String) async throws {
    try await FunctionsFixture.with(["f.js": "exports = (d, t) => [d.toString(), BSON.Decimal128(t)];"]) {
      fixture async throws in
      let number = try #require(Decimal128(text))
      let result = try await fixture.call("f", [.decimal128(number), .string(text)])
      #expect(result == .array([.string(number.description), .decimal128(number)]))
    }
  }

  @Test func `functions call each other, programs and closures, private ones as well`() async throws {
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"outer"},{"name":"deep/inner","private":true}]"#,
      "outer.js": """
      exports = async n => [context.functions.execute("deep/inner", n),
        await context.functions.execute("swift", BSON.Long(n)), context.functions.execute("swift", 1)];
      """,
      "deep/inner.js": "const {twice} = require('../lib/twice'); exports = twice;",
      "lib/twice.js": "exports.twice = n => n * 2;",
    ]) { fixture async throws in
      fixture.host.registered.register("swift", access: .functions) { .array($0.arguments) }
      let result = try await fixture.call("outer", [.int32(4)])
      #expect(result == .array([.int32(8), .array([.int64(4)]), .array([.int32(1)])]))
      #expect(await fixture.failure("deep/inner") == .isPrivate)
      #expect(await fixture.failure("swift") == .isPrivate)
    }
  }

  @Test func `values and environments beside the functions are seen, and their changes`() async throws {
    try await FunctionsFixture.with(
      [
        "f.js":
          "exports = () => [context.values.get('k'), context.environment.values.e, context.environment.tag];",
        "../values/k.json": #"{"name":"k","value":{"$numberLong":"3"}}"#,
        "../environments/test.json": #"{"values":{"e":"E"}}"#,
        "../values/s.json": #"{"name":"s","value":"apiKey","from_secret":true}"#,
        "../values/n.json": #"{"name":"n","value":"nowhere","from_secret":true}"#,
        "../values/u.json": #"{"name":"u","value":"../values/u.json","from_secret":true}"#,
        "../auth/secrets/apiKey": "s3cret\n",
        "secrets.js": """
        const failure = name => { try { return context.values.get(name); } catch (error) { return error.code ?? error.message; } };
        exports = () => [context.values.get('s'), context.values.get('none') ?? null, failure('n'), failure('u')];
        """,
      ], [.set(\.environment, "test")]
    ) { fixture async throws in
      #expect(try await fixture.call("f") == .array([.int64(3), .string("E"), .string("test")]))
      #expect(
        try await fixture.call("secrets")
          == .array([
            .string("s3cret"), .null, .string("ENOENT"), .string("no name of a secret: '../values/u.json'"),
          ]))
      try fixture.write(#"{"name":"k","value":"%(%%environment.values.e)"}"#, to: "../values/k.json")
      #expect(try await fixture.call("f") == .array([.string("E"), .string("E"), .string("test")]))
    }
  }

  @Test func `a function of the system gives users roles`() async throws {
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"f","run_as_system":true}]"#,
      "f.js": """
      exports = id => {
        const before = context.users.roles(id);
        try { context.users.setRoles(id, ["nope"]); } catch (error) { before.push(error.message, error.code); }
        return [...before, ...context.users.setRoles(id, [...before.slice(0, 1), "b"])];
      };
      """,
    ]) { fixture async throws in
      let result = try await fixture.call("f", [.string("a/b")]) { question in
        guard case .data(let question) = question else { return .failure("no") }
        #expect(question.target == "/v1/users/a%2Fb/roles" && question.isText && question.isAsSystem)
        let content = question.content.map { String(decoding: $0, as: UTF8.self) }
        switch content {
        case nil: return FunctionsFixture.reply(200, #"["a"]"#)
        case #"["nope"]"#:
          return FunctionsFixture.reply(
            422, #"{"code":"invalid_members","detail":"No.","errors":[{"pointer":"/0","detail":"None."}]}"#)
        default: return FunctionsFixture.reply(200, content ?? "")
        }
      }
      #expect(
        result
          == .array([
            .string("a"), .string("No.; /0 None."), .string("invalid_members"), .string("a"), .string("b"),
          ]))
    }
  }

  @Test func `what a function asks for is answered while it runs`() async throws {
    try await FunctionsFixture.with([
      "f.js":
        "exports = () => [context.request.httpMethod, context.realm.objects('A').filtered('x > $0', 5).length];"
    ]) { fixture async throws in
      let result = try await fixture.call("f") { question in
        switch question {
        case .request: return Question.Reply(["request": ["httpMethod": .string("POST")]])
        case .data(let question):
          #expect(question.method == "GET")
          #expect(question.counts)
          #expect(!question.isAsSystem)
          #expect(
            question.target
              == "/v1/collections/A?filter=x%20%3E%20%240&args=%5B%7B%22%24numberInt%22%3A%225%22%7D%5D&limit=1"
          )
          return Question.Reply(["total": .string("12")])
        }
      }
      #expect(result == .array([.string("POST"), .int32(12)]))
    }
  }

  @Test(
    arguments: [
      ("name == $0", "(name == $0) AND (name == $1)"), ("$K0 == $1", "(name == $0) AND ($K1 == $2)"),
      (#"name == "a)'(" OR (n == '\')("')"#, #"(name == $0) AND (name == "a)'(" OR (n == '\')("'))"#),
      ("TRUEPREDICATE) OR (TRUEPREDICATE", nil), ("TRUEPREDICATE) OR name IN ('(', ')'", nil),
      ("(name == 1", nil),
      ("name == 1)", nil), ("name == 'a", nil), (#"(name == ""#, nil), (#"name == "\"#, nil),
    ] as [(String, String?)])
  func `a filter that is joined with another one has to be one by itself`(
    filter: String, joined: String?
  ) async throws {
    try await FunctionsFixture.with([
      "f.js": """
      exports = filter => {
        const own = context.realm.objects('A').filtered('name == $0', 'ann');
        try { return own.filtered(filter).length; } catch (error) { return error.code; }
      };
      """
    ]) { fixture async throws in
      let result = try await fixture.call("f", [.string(filter)]) { question in
        guard case .data(let question) = question else { return .failure("no") }
        let query = question.target.split(separator: "?filter=").last?.split(separator: "&").first
        #expect(query.map { percentDecoded($0) } == joined)
        return Question.Reply(["total": .string("12")])
      }
      #expect(result == (joined == nil ? .string("invalid_query") : .int32(12)))
    }
  }

  @Test(arguments: [
    ("context.realm.transaction(t => { kept = t; });", 0),
    ("context.realm.transaction(t => { kept = t; t.delete('A', 1); });", 1),
    ("await context.realm.transaction(async t => { kept = t; await null; t.delete('A', 1); });", 1),
    ("try { context.realm.transaction(t => { kept = t; t.delete('A', 1); throw 1; }); } catch {}", 0),
    ("try { await context.realm.transaction(async t => { kept = t; throw 1; }); } catch {}", 0),
  ])
  func `a transaction that has ended takes no operations`(code: String, count: Int) async throws {
    let source = """
      exports = async () => {
        let kept;
        \(code)
        return ['create', 'update', 'delete'].map(name => {
          try { return kept[name]('A', 2, {}); } catch (error) { return error.code; }
        });
      };
      """
    try await FunctionsFixture.with(["f.js": source]) { fixture async throws in
      let asked = Mutex(0)
      let result = try await fixture.call("f") { question in
        asked.withLock { $0 += 1 }
        return Question.Reply(["status": .int32(200), "content": .binary(Binary(bytes: []))])
      }
      #expect(result == .array(Array(repeating: .string("transaction_ended"), count: 3)))
      #expect(asked.withLock { $0 } == count)
    }
  }

  @Test func `a function sees who calls it`() async throws {
    let source = """
      exports = ({user} = context) =>
        [user.id, user.type, user.custom_data.team ?? null, user.identities.length, user.data];
      """
    try await FunctionsFixture.with(["f.js": source]) { fixture async throws in
      let user: Document = ["id": .string("u"), "type": .string("normal"), "data": ["email": .string("e")]]
      let seen = try await fixture.call("f", user: user)
      let email: Value = ["email": .string("e")]
      #expect(seen == .array([.string("u"), .string("normal"), .null, .int32(0), email]))
      // The next caller is another one.
      let system = try await fixture.call("f")
      #expect(system == .array([.string(""), .string("system"), .null, .int32(0), [:]]))
    }
  }

  @Test func `a function asks as its caller, or as the system where its entry says so`() async throws {
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"f"},{"name":"s","run_as_system":true},{"name":"outer"}]"#,
      "f.js": "exports = () => [context.user.id, context.realm.objects('A').length];",
      "s.js": """
      exports = async () => {
        await new Promise(setImmediate);
        return [context.user.id, context.realm.objects('A').length];
      };
      """,
      "outer.js": """
      exports = async () => {
        const inner = context.functions.execute('s');
        const before = context.realm.objects('A').length;
        return [before, (await inner)[1], context.realm.objects('A').length, context.runningAsSystem()];
      };
      """,
    ]) { fixture async throws in
      let respondent: Question.Respondent = { question in
        guard case .data(let question) = question else { return .failure("no") }
        return Question.Reply(["total": .string(question.isAsSystem ? "1" : "0")])
      }
      let user: Document = ["id": .string("u")]
      let asCaller = try await fixture.call("f", user: user, respondent)
      #expect(asCaller == .array([.string("u"), .int32(0)]))
      let asSystem = try await fixture.call("s", user: user, respondent)
      #expect(asSystem == .array([.string("u"), .int32(1)]))
      let mixed = try await fixture.call("outer", user: user, respondent)
      #expect(mixed == .array([.int32(0), .int32(1), .int32(0), .bool(false)]))
    }
  }

  @Test func `arguments are in the log where the function's entry allows it`() async throws {
    let config = """
      [{"name":"f","log_arguments":true},{"name":"g","log_arguments":true,"disable_arg_logs":true},{"name":"h"}]
      """
    let source = "exports = () => 1;"
    try await FunctionsFixture.with(["config.json": config, "f.js": source, "g.js": source, "h.js": source]) {
      fixture async throws in
      for name in ["f", "g", "h"] { _ = try await fixture.call(name, [.int64(7)]) }
      let logged = fixture.log.lines.map { $0["arguments"] }
      #expect(logged == [.string(#"[{"$numberLong":"7"}]"#), nil, nil])
    }
  }

  @Test func `the console and the stack are in the log, the arguments aren't`() async throws {
    try await FunctionsFixture.with([
      "f.js": "exports = x => { console.warn('n is %d', 1); throw new Error('no'); };"
    ]
    ) {
      fixture async throws in
      #expect(await fixture.failure("f", [.string("secret")]) == .thrown(message: "no"))
      let lines = fixture.log.lines
      let console = try #require(lines.first)
      #expect(console["message"] == .string("function console"))
      #expect(console["level"] == .string("warning"))
      #expect(console["text"] == .string("n is 1"))
      let call = try #require(lines.last)
      #expect(call["outcome"] == .string("thrown"))
      #expect(call["request"] == .string("r1"))
      guard case .string(let stack)? = call["stack"] else { return #expect(Bool(false), "no stack") }
      #expect(stack.hasPrefix("Error: no\n    at exports (") && stack.contains("f.js:1:"))
      #expect(!"\(lines)".contains("secret"))
    }
  }
}

/// The text that a part of a URL stands for.
private func percentDecoded(_ text: Substring) -> String {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%"), let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else {
      bytes.append(byte)
      continue
    }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return String(decoding: bytes, as: UTF8.self)
}
