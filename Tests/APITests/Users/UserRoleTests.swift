import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

/// Users with roles that an operator, a function or the issuer of a token gave them.
@Suite struct UserRoleTests {
  private static let base = "/api/client/v2.0"
  private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let roles = """
    {"user":{"classes":{"Topic":{"read":true}}},"reader":{"classes":{"Note":{"read":"n == 1"}}},\
    "team":{"classes":{"Note":{"read":"owner IN %%user.roles"}}},"writer":{"classes":{"Note":{"write":true}}}}
    """

  /// A server with three notes, whose users log in by tokens of somebody else.
  private struct Site {
    let fixture: Fixture
    let administrator: [String: String]

    init() async throws {
      let rules = CustomTokenRules(
        keys: [.secret(UserRoleTests.secret)], audiences: .any, fields: [],
        rolesClaim: "roles")
      fixture = try await Fixture(
        Intruder.schema, users: Providers(allowsAnonymous: true, customTokens: rules),
        clock: { Date(seconds: 1_700_000_000) })
      let notes =
        #"[{"id":1,"owner":"red","n":1},{"id":2,"owner":"team","n":2},{"id":3,"owner":"blue","n":3}]"#
      _ = try await fixture.send(.post, "/v1/collections/Note", json: notes)
      let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
      administrator = ["authorization": "Bearer \(key.text)"]
      let applied = try await fixture.send(.put, "/v1/roles", administrator, json: UserRoleTests.roles)
      try #require(applied.status == 200, "\(applied.text)")
    }

    /// Logs `ann` in with a token whose claim `roles` is that JSON.
    func logIn(roles: String?) async throws -> (fields: [String: String], user: String) {
      let claim = roles.map { #","roles":\#($0)"# } ?? ""
      let claims = #"{"sub":"ann","exp":1800000000\#(claim)}"#
      let parts = [#"{"alg":"HS256"}"#, claims].map { Base64.encode(Array($0.utf8), as: .urlSafe) }
      let message = parts.joined(separator: ".")
      let signature = MessageCode.of(Array(message.utf8), key: UserRoleTests.secret)
      let token = "\(message).\(Base64.encode(signature, as: .urlSafe))"
      return try await logIn("custom-token", #"{"token":"\#(token)"}"#)
    }

    func logIn(_ provider: String, _ json: String) async throws -> (fields: [String: String], user: String) {
      let answer = try await fixture.send(
        .post, "\(UserRoleTests.base)/app/a/auth/providers/\(provider)/login", json: json)
      guard case .string(let token)? = try answer.document["access_token"],
        case .string(let user)? = try answer.document["user_id"]
      else { throw Fixture.Unwatchable(answer: answer.text) }
      return (["authorization": "Bearer \(token)"], user)
    }

    func grant(_ roles: String, to user: String) async throws -> Answer {
      try await fixture.send(.put, "/v1/users/\(user)/roles", administrator, json: roles)
    }

    /// The notes that somebody is shown, or the status of the answer.
    func notes(_ fields: [String: String]) async throws -> String {
      let answer = try await fixture.send(.get, "/v1/collections/Note?fields=id&sort=id", fields)
      return answer.status == 200 ? answer.text : "\(answer.status)"
    }
  }

  @Test func `an operator gives a user roles, and takes them back`() async throws {
    let site = try await Site()
    let (ann, user) = try await site.logIn("anon-user", "{}")
    #expect(try await site.notes(ann) == "403")
    let steps = [
      (#"["reader"]"#, #"[{"id":1}]"#), (#"["team","reader","team"]"#, #"[{"id":1},{"id":2}]"#),
      // A role that lets notes be written and not read changes nothing.
      (#"["reader","writer"]"#, #"[{"id":1}]"#), ("[]", "403"), (#"["user"]"#, "403"),
    ]
    for (roles, shown) in steps {
      let answer = try await site.grant(roles, to: user)
      let stored = roles.replacing(#","team"]"#, with: "]")
      #expect((answer.status, answer.text) == (200, stored))
      let read = try await site.fixture.send(.get, "/v1/users/\(user)/roles", site.administrator)
      #expect((read.status, read.text) == (200, stored))
      #expect(try await site.notes(ann) == shown, "\(roles)")
      let patch = try await site.fixture.send(
        .patch, "/v1/collections/Note/1", ann, json: #"{"owner":"ann"}"#)
      #expect(patch.status == 403 || patch.status == 404, "\(patch.text)")
      // A role that a user was given takes the place of the one that they have without.
      let topics = try await site.fixture.send(.get, "/v1/collections/Topic", ann)
      #expect(topics.status == (["[]", #"["user"]"#].contains(roles) ? 200 : 403))
    }
    await site.fixture.remove()
  }

  @Test func `an operator sees the sessions of a user, and ends one of them`() async throws {
    let site = try await Site()
    let (ann, user) = try await site.logIn(roles: #"["reader"]"#)
    let (other, same) = try await site.logIn(roles: #"["reader"]"#)
    #expect(same == user)
    let path = "/v1/users/\(user)/sessions"
    func sessions() async throws -> [String] {
      let answer = try await site.fixture.send(.get, path, site.administrator)
      return answer.text.matches(of: /"id":"([0-9a-f]{24})"/).map { String($0.1) }
    }
    let ids = try await sessions()
    #expect(ids.count == 2)
    #expect(try await site.notes(ann) == #"[{"id":1}]"#)
    #expect(try await site.fixture.send(.delete, "\(path)/\(ids[0])", site.administrator).status == 204)
    #expect(try await sessions() == [ids[1]])
    #expect(try await site.notes(ann) == "401")
    #expect(try await site.notes(other) == #"[{"id":1}]"#)
    for unknown in ["\(path)/\(ids[0])", "\(path)/x", "/v1/users/x/sessions/\(ids[1])"] {
      let answer = try await site.fixture.send(.delete, unknown, site.administrator)
      #expect(answer.status == 404 && answer.text.contains("session_not_found"), "\(answer.text)")
    }
    #expect(try await site.fixture.send(.get, path, other).status == 403)
    let nobody = "/v1/users/5f0000000000000000000001/sessions"
    #expect(try await site.fixture.send(.get, nobody, site.administrator).status == 404)
    await site.fixture.remove()
  }

  @Test(arguments: [
    (#"["nope"]"#, 422, "/0"), (#"["reader","admin"]"#, 422, "/1"), ("[1]", 422, "/0"), ("{}", 422, ""),
    ("\"reader\"", 422, ""), ("[", 400, nil),
    ("[\(Array(repeating: "\"reader\"", count: 101).joined(separator: ","))]", 422, "/100"),
  ])
  func `what are no roles is refused`(roles: String, status: UInt16, pointer: String?) async throws {
    let site = try await Site()
    let (ann, user) = try await site.logIn("anon-user", "{}")
    let answer = try await site.grant(roles, to: user)
    #expect(answer.status == status, "\(answer.text)")
    if let pointer { #expect(answer.pointers == [pointer], "\(answer.text)") }
    for id in ["x", "5f0000000000000000000001"] {
      #expect(try await site.grant(#"["reader"]"#, to: id).status == 404)
      let read = try await site.fixture.send(.get, "/v1/users/\(id)/roles", site.administrator)
      #expect(read.status == 404)
    }
    let own = try await site.fixture.send(.put, "/v1/users/\(user)/roles", ann, json: #"["reader"]"#)
    #expect((own.status, own.code) == (403, "forbidden"))
    #expect(try await site.notes(ann) == "403")
    await site.fixture.remove()
  }

  @Test func `a token's roles are those of the last one, beside what the operator gave`() async throws {
    let site = try await Site()
    let user = try await site.logIn(roles: #"["reader"]"#).user
    let steps: [(String?, String)] = [
      (#"["reader"]"#, #"[{"id":1}]"#), (#""team blue""#, #"[{"id":2},{"id":3}]"#),
      // The issuer makes nobody an administrator, nor a writer of everything.
      (#"["admin","write"]"#, "403"), (nil, "403"), ("null", "403"),
    ]
    for (claim, shown) in steps {
      let ann = try await site.logIn(roles: claim)
      #expect(ann.user == user)
      #expect(try await site.notes(ann.fields) == shown, "\(claim ?? "none")")
    }
    #expect(try await site.grant(#"["reader"]"#, to: user).status == 200)
    let ann = try await site.logIn(roles: #"["team"]"#)
    #expect(try await site.notes(ann.fields) == #"[{"id":1},{"id":2}]"#)
    let read = try await site.fixture.send(.get, "/v1/users/\(user)/roles", site.administrator)
    #expect(read.text == #"["reader"]"#)
    #expect(try await site.notes(try await site.logIn(roles: "[]").fields) == #"[{"id":1}]"#)
    await #expect(throws: Fixture.Unwatchable.self) { try await site.logIn(roles: "7") }
    await site.fixture.remove()
  }

  @Test func `a token with other roles ends the streams of its user`() async throws {
    let site = try await Site()
    let ann = try await site.logIn(roles: #"["reader"]"#)
    let watcher = try await site.fixture.watch("/v1/collections/Note", ann.fields)
    _ = await watcher.events(through: "ready")
    _ = try await site.logIn(roles: #"["reader"]"#)
    await site.fixture.loop.run {}
    #expect(watcher.end == nil)
    _ = try await site.logIn(roles: #"["team"]"#)
    await watcher.waitForEnd()
    #expect(watcher.text.hasSuffix("event: end\ndata: {\"reason\":\"access_changed\"}\n\n"))
    await site.fixture.remove()
  }

  @Test func `a call that began with other roles gets no more data`() async throws {
    let site = try await Site()
    let (ann, user) = try await site.logIn("anon-user", "{}")
    _ = try await site.grant(#"["reader"]"#, to: user)
    let gateway = site.fixture.gateway
    let request = Request(
      method: .get, target: Target(path: "/v1/collections/Note", query: nil),
      fields: Fields(ann.map { Fields.Line(name: $0.key, value: $0.value) }))
    let principal = try gateway.callers.principal(
      of: request, for: .findObjects, gateway.context.data.reader)
    let ask = gateway.context.functions.respondent(for: request, by: principal)
    let question = Question.data(DataQuestion(method: "GET", target: "/v1/collections/Note"))
    #expect(await ask(question).document["status"] == .int32(200))
    _ = try await site.grant(#"["reader","team"]"#, to: user)
    #expect(await ask(question).document["failure"] != nil)
    await site.fixture.remove()
  }

  @Test(arguments: [true, false])
  func `a function gives roles as the system only`(isAsSystem: Bool) async throws {
    let site = try await Site()
    let (ann, user) = try await site.logIn("anon-user", "{}")
    let gateway = site.fixture.gateway
    let request = Request(method: .post, target: Target(path: "/v1/functions/f", query: nil))
    // Not even where its caller is an administrator: what they did not ask for is not done with their rights.
    let ask = gateway.context.functions.respondent(
      for: request, by: Principal(.key(id: "admin"), role: .administrator))
    for target in [
      "/v1/users/\(user)/roles", "/v1/users/\(user)/disable", "/v1/roles", "/v1/users/a/b/roles",
    ] {
      var question = DataQuestion(method: "PUT", target: target)
      question.content = Array(#"["reader"]"#.utf8)
      question.isText = true
      question.isAsSystem = isAsSystem
      let reply = await ask(.data(question)).document
      let isAllowed = isAsSystem && target == "/v1/users/\(user)/roles"
      #expect(reply["status"] == (isAllowed ? .int32(200) : nil), "\(target) \(reply)")
    }
    #expect(try await site.notes(ann) == (isAsSystem ? #"[{"id":1}]"# : "403"))
    await site.fixture.remove()
  }

  @Test func `a rule asks for the time of each request`() async throws {
    let time = Mutexed<Int64>(1_000)
    let fixture = try await Fixture(users: .open, clock: { Date(seconds: time.value) })
    let devices = """
      [{"id":"00000000-0000-0000-0000-000000000001","seen":"1970-01-01T00:16:41Z"},\
      {"id":"00000000-0000-0000-0000-000000000002","seen":"1970-01-01T00:16:50Z"}]
      """
    _ = try await fixture.send(.post, "/v1/collections/Device", json: devices)
    let roles = #"{"user":{"classes":{"Device":{"read":"seen > %%now"}}}}"#
    #expect(try await fixture.send(.put, "/v1/roles", json: roles).status == 200)
    let login = try await fixture.send(
      .post, "\(Self.base)/app/a/auth/providers/anon-user/login", json: "{}")
    guard case .string(let token)? = try login.document["access_token"] else {
      Issue.record("\(login.text)")
      return
    }
    for (now, count) in [(1_000, "2"), (1_001, "1"), (1_009, "1"), (1_010, "0")] as [(Int64, String)] {
      time.change { $0 = now }
      let answer = try await fixture.send(
        .get, "/v1/collections/Device?aggregate=@count", ["authorization": "Bearer \(token)"])
      #expect(answer.text == #"{"@count":\#(count)}"#, "\(now): \(answer.text)")
    }
    await fixture.remove()
  }
}
