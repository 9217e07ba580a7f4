import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Users, as Realm's clients log them in.
@Suite struct UserTests {
  private static let base = "/api/client/v2.0"
  private static let app = "/api/client/v2.0/app/any-abcde"

  /// The tokens that a login returned.
  private struct Tokens {
    let access: [String: String]
    let refresh: [String: String]
    let user: String
    let accessText: String

    init(_ answer: Answer) throws {
      let document = try answer.document
      accessText = try Tokens.text("access_token", document)
      access = ["authorization": "Bearer \(accessText)"]
      refresh = ["authorization": "Bearer \(try Tokens.text("refresh_token", document))"]
      user = try Tokens.text("user_id", document)
      let device = try Tokens.text("device_id", document)
      #expect(device.count == 24 && user.count == 24)
    }

    static func text(_ name: String, _ document: Document) throws -> String {
      guard case .string(let text)? = document[name] else { throw Missing(name: name) }
      return text
    }
  }

  private struct Missing: Error { let name: String }

  private func with(
    _ providers: Providers = .open, clock: @escaping @Sendable () -> Date = { .now },
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let fixture = try await Fixture(Intruder.schema, users: providers, clock: clock)
    try await body(fixture)
    await fixture.remove()
  }

  private func logIn(
    _ fixture: Fixture, _ provider: String, _ json: String, _ fields: [String: String] = [:],
    link: Bool = false
  ) async throws -> Answer {
    let target = "\(Self.app)/auth/providers/\(provider)/login\(link ? "?link=true" : "")"
    return try await fixture.send(.post, target, fields, json: json)
  }

  private func register(_ fixture: Fixture, _ email: String, _ password: String = "secret1") async throws
    -> Answer
  {
    try await fixture.send(
      .post, "\(Self.app)/auth/providers/local-userpass/register",
      json: #"{"email":"\#(email)","password":"\#(password)"}"#)
  }

  /// An error in App Services' form.
  private func expect(
    _ answer: Answer, _ status: UInt16, _ text: String, _ code: String?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let document = try answer.document
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(document["error"] == .string(text), sourceLocation: sourceLocation)
    #expect(document["error_code"] == code.map { .string($0) }, sourceLocation: sourceLocation)
    #expect(answer.fields["content-type"] == "application/json", sourceLocation: sourceLocation)
    // It would have to lead somewhere.
    #expect(document["link"] == nil, sourceLocation: sourceLocation)
  }

  @Test func `a client finds the server where it found it`() async throws {
    try await with { fixture in
      let answer = try await fixture.send(.get, "\(Self.app)/location", ["host": "10.0.0.1:8080"])
      #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
      #expect(
        answer.text
          == #"{"deployment_model":"LOCAL","location":"US-VA","hostname":"http://10.0.0.1:8080","ws_hostname":"ws://10.0.0.1:8080"}"#
      )
    }
  }

  @Test func `somebody without a name logs in, is refreshed, logs out`() async throws {
    try await with { fixture in
      let answer = try await logIn(fixture, "anon-user", #"{"options":{"device":{"platform":"node"}}}"#)
      #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
      let tokens = try Tokens(answer)
      let profile = try await fixture.send(.get, "\(Self.base)/auth/profile", tokens.access)
      #expect(
        profile.text.contains(#""provider_type":"anon-user""#) && profile.text.contains(#""type":"normal""#))
      let refreshed = try await fixture.send(.post, "\(Self.base)/auth/session", tokens.refresh)
      #expect(refreshed.status == 201)
      let new = ["authorization": "Bearer \(try Tokens.text("access_token", refreshed.document))"]
      #expect(try await fixture.send(.get, "\(Self.base)/auth/profile", new).status == 200)
      let out = try await fixture.send(.delete, "\(Self.base)/auth/session", tokens.refresh)
      #expect((out.status, out.text, out.fields["content-type"]) == (204, "", nil))
      for (method, path, fields) in [
        (GatehouseHTTP.Method.delete, "session", tokens.refresh), (.post, "session", tokens.refresh),
        (.get, "profile", tokens.access),
      ] {
        let gone = try await fixture.send(method, "\(Self.base)/auth/\(path)", fields)
        try expect(gone, 401, "invalid session: failed to find refresh token", "InvalidSession")
      }
      // Two who come without a name are two users.
      let other = try Tokens(try await logIn(fixture, "anon-user", "{}"))
      #expect(other.user != tokens.user)
    }
  }

  @Test func `somebody with a password registers and logs in`() async throws {
    try await with { fixture in
      let made = try await register(fixture, "Ann@example.org")
      #expect((made.status, made.text) == (201, "{}"))
      try expect(
        try await register(fixture, "ann@EXAMPLE.org"), 409, "name already in use", "AccountNameInUse")
      let first = try Tokens(
        try await logIn(fixture, "local-userpass", #"{"username":"ann@example.org","password":"secret1"}"#))
      let second = try Tokens(
        try await logIn(fixture, "local-userpass", #"{"username":"Ann@example.org","password":"secret1"}"#))
      #expect(first.user == second.user)
      let profile = try await fixture.send(.get, "\(Self.base)/auth/profile", first.access)
      #expect(profile.text.contains(#""data":{"email":"Ann@example.org"}"#))
      for json in [
        #"{"username":"ann@example.org","password":"secret2"}"#,
        #"{"username":"bob@example.org","password":"secret1"}"#,
      ] {
        try expect(try await logIn(fixture, "local-userpass", json), 401, "unauthorized", "InvalidPassword")
      }
    }
  }

  @Test(
    arguments: [
      ("a@example.org", "short", "password must be between 6 and 128 characters", "BadRequest"),
      ("", "secret1", "'email' is a required string", nil),
    ] as [(String, String, String, String?)])
  func `an account that cannot be is refused`(
    email: String, password: String, text: String, code: String?
  ) async throws {
    try await with { fixture in try expect(try await register(fixture, email, password), 400, text, code) }
  }

  @Test func `who fails too often has to wait`() async throws {
    let now = Mutex<Int64>(1_700_000_000)
    let clock: @Sendable () -> Date = { Date(seconds: now.withLock { $0 }) }
    try await with(.open, clock: clock) { fixture in
      _ = try await register(fixture, "a@example.org")
      let (wrong, right) = (
        #"{"username":"a@example.org","password":"nothing"}"#,
        #"{"username":"a@example.org","password":"secret1"}"#
      )
      for _ in 0..<10 { #expect(try await logIn(fixture, "local-userpass", wrong).status == 401) }
      let answer = try await logIn(fixture, "local-userpass", right)
      try expect(answer, 429, "too many authentication requests", nil)
      #expect(answer.fields["retry-after"] == "60")
      now.withLock { $0 += 60 }
      #expect(try await logIn(fixture, "local-userpass", right).status == 200)
    }
  }

  @Test func `an account is confirmed, and its password set, by tokens`() async throws {
    let providers = Providers(passwords: Providers.Passwords(confirmation: .byToken))
    try await with(providers) { fixture in
      let path = "\(Self.app)/auth/providers/local-userpass"
      _ = try await register(fixture, "a@example.org")
      let login = #"{"username":"a@example.org","password":"secret1"}"#
      try expect(try await logIn(fixture, "local-userpass", login), 401, "unauthorized", "AuthError")
      let users = try #require(fixture.gateway.context.users.users)
      let (token, id) = try await users.accounts.expect(.confirm, of: "a@example.org")
      let bad = try await fixture.send(
        .post, "\(path)/confirm", json: #"{"token":"\#(token)","tokenId":"x"}"#)
      try expect(bad, 400, "invalid token data", "BadRequest")
      let good = #"{"token":"\#(token)","tokenId":"\#(id)"}"#
      let confirmed = try await fixture.send(.post, "\(path)/confirm", json: good)
      #expect((confirmed.status, confirmed.text, confirmed.fields["content-type"]) == (200, "", nil))
      try expect(
        try await fixture.send(.post, "\(path)/confirm", json: good), 400, "invalid token data", "BadRequest")
      let tokens = try Tokens(try await logIn(fixture, "local-userpass", login))
      for (name, text, code) in [
        ("confirm/send", "already confirmed", "UserAlreadyConfirmed"),
        ("reset/send", "no mail is sent here: the operator has the tokens", "BadRequest"),
        ("confirm/call", "already confirmed", "UserAlreadyConfirmed"),
        ("reset/call", "no function is set for that", "BadRequest"),
      ] as [(String, String, String?)] {
        let json = { (name: String) in
          #"{"email":"\#(name)@example.org","password":"secret1","arguments":[]}"#
        }
        let answer = try await fixture.send(.post, "\(path)/\(name)", json: json("a"))
        try expect(answer, 400, text, code)
        let unknown = try await fixture.send(.post, "\(path)/\(name)", json: json("b"))
        if name.hasPrefix("reset") {
          try expect(unknown, 400, text, code)
        } else {
          try expect(unknown, 404, "user not found", "UserNotFound")
        }
      }
      let (reset, resetID) = try await users.accounts.expect(.reset, of: "a@example.org")
      let changed = try await fixture.send(
        .post, "\(path)/reset", json: #"{"token":"\#(reset)","tokenId":"\#(resetID)","password":"secret2"}"#)
      #expect(changed.status == 200)
      try expect(try await logIn(fixture, "local-userpass", login), 401, "unauthorized", "InvalidPassword")
      #expect(try await fixture.send(.get, "\(Self.base)/auth/profile", tokens.access).status == 401)
      let new = #"{"username":"a@example.org","password":"secret2"}"#
      #expect(try await logIn(fixture, "local-userpass", new).status == 200)
    }
  }

  @Test func `an identity is linked to a user, and to no other`() async throws {
    try await with { fixture in
      _ = try await register(fixture, "a@example.org")
      let login = #"{"username":"a@example.org","password":"secret1"}"#
      let anonymous = try Tokens(try await logIn(fixture, "anon-user", "{}"))
      let linked = try Tokens(
        try await logIn(fixture, "local-userpass", login, anonymous.access, link: true))
      #expect(linked.user == anonymous.user)
      let profile = try await fixture.send(.get, "\(Self.base)/auth/profile", linked.access)
      guard case .array(let identities)? = try profile.document["identities"] else {
        Issue.record("\(profile.text)")
        return
      }
      let providers = identities.map { identity -> Value? in
        if case .document(let identity) = identity { identity["provider_type"] } else { nil }
      }
      #expect(providers == [.string("anon-user"), .string("local-userpass")])
      #expect(try Tokens(try await logIn(fixture, "local-userpass", login)).user == anonymous.user)
      let other = try Tokens(try await logIn(fixture, "anon-user", "{}"))
      try expect(
        try await logIn(fixture, "local-userpass", login, other.access, link: true), 400,
        "a user already exists with the specified provider", "InvalidSession")
      try expect(
        try await logIn(fixture, "local-userpass", login, link: true), 401,
        "expected Authorization header with JWT (Bearer schema)", nil)
    }
  }

  @Test func `a user who is deleted leaves nothing`() async throws {
    try await with { fixture in
      _ = try await register(fixture, "a@example.org")
      let login = #"{"username":"a@example.org","password":"secret1"}"#
      let tokens = try Tokens(try await logIn(fixture, "local-userpass", login))
      _ = try await fixture.send(.post, "\(Self.base)/auth/api_keys", tokens.refresh, json: #"{"name":"k"}"#)
      #expect(try await fixture.send(.delete, "\(Self.base)/auth/delete", tokens.access).status == 204)
      try expect(
        try await fixture.send(.delete, "\(Self.base)/auth/session", tokens.refresh), 401,
        "invalid session: failed to find refresh token", "InvalidSession")
      try expect(try await logIn(fixture, "local-userpass", login), 401, "unauthorized", "InvalidPassword")
      let reader = try fixture.store.makeReader()
      for kind in ["user", "identity", "account", "email", "session", "userKey", "keyOwner"] {
        #expect(try reader.records(kind).isEmpty, "\(kind)")
      }
      #expect(try await register(fixture, "a@example.org").status == 201)
    }
  }

  @Test func `a user has keys to log in with`() async throws {
    try await with { fixture in
      let path = "\(Self.base)/auth/api_keys"
      let tokens = try Tokens(try await logIn(fixture, "anon-user", "{}"))
      let made = try await fixture.send(.post, path, tokens.refresh, json: #"{"name":"my-key_1"}"#)
      #expect(made.status == 201)
      let (id, key) = (
        try Tokens.text("_id", made.document), try Tokens.text("key", made.document)
      )
      let listed = try await fixture.send(.get, path, tokens.refresh)
      #expect(listed.text == #"[{"_id":"\#(id)","name":"my-key_1","disabled":false}]"#)
      let login = #"{"key":"\#(key)"}"#
      #expect(try Tokens(try await logIn(fixture, "api-key", login)).user == tokens.user)
      #expect(try await fixture.send(.put, "\(path)/\(id)/disable", tokens.refresh).status == 204)
      try expect(try await logIn(fixture, "api-key", login), 401, "unauthorized", "AuthError")
      #expect(
        try await fixture.send(.get, "\(path)/\(id)", tokens.refresh).text.contains(#""disabled":true"#))
      #expect(try await fixture.send(.put, "\(path)/\(id)/enable", tokens.refresh).status == 204)
      #expect(try await logIn(fixture, "api-key", login).status == 200)
      let other = try Tokens(try await logIn(fixture, "anon-user", "{}"))
      for (method, target) in [
        (GatehouseHTTP.Method.get, id), (.delete, id), (.put, "\(id)/disable"), (.get, "x"),
      ] {
        let answer = try await fixture.send(method, "\(path)/\(target)", other.refresh)
        try expect(answer, 404, "API key not found", "APIKeyNotFound")
      }
      try expect(
        try await fixture.send(.post, path, tokens.refresh, json: #"{"name":"not a name"}"#), 400,
        "can only contain ASCII letters, numbers, underscores, and hyphens", "InvalidParameter")
      try expect(
        try await fixture.send(.post, path, tokens.refresh, json: "{}"), 400, "'name' is a required string",
        nil)
      try expect(
        try await fixture.send(.get, path), 401, "expected Authorization header with JWT (Bearer schema)", nil
      )
      try expect(
        try await fixture.send(.get, path, tokens.access), 401, "invalid session: incorrect token type",
        "InvalidSession")
      #expect(try await fixture.send(.delete, "\(path)/\(id)", tokens.refresh).status == 204)
      try expect(try await logIn(fixture, "api-key", login), 401, "unauthorized", "AuthError")
    }
  }

  @Test func `a token in the URL does where there are no fields`() async throws {
    let functions = FunctionHost()
    functions.register("who") { .document($0.user ?? [:]) }
    let fixture = try await Fixture(nil, functions: functions, users: .open)
    let tokens = try Tokens(try await logIn(fixture, "anon-user", "{}"))
    let request = Base64.encode(Array(#"{"name":"who","arguments":[]}"#.utf8)).percentEncoded
    let call = "\(Self.app)/functions/call?baas_request=\(request)"
    let stream = ["accept": "text/event-stream"]
    for name in ["baas_at", "stitch_at"] {
      let answer = try await fixture.send(.get, "\(call)&\(name)=\(tokens.accessText)", stream)
      #expect(answer.text.contains(#"data: {"id":"\#(tokens.user)","#), "\(answer.text)")
      #expect(answer.text.contains(#""provider_type":"anon-user"}]"#), "\(answer.text)")
    }
    let field = try await fixture.send(.get, call, stream.merging(tokens.access) { $1 })
    #expect(field.text.contains(tokens.user))
    try expect(
      try await fixture.send(.get, "\(call)&baas_at=a.b.c", stream), 401, "unauthorized", "InvalidSession")
    // Elsewhere a token in a URL is a parameter that is not known.
    let elsewhere = try await fixture.send(.get, "/v1/collections?baas_at=\(tokens.accessText)")
    #expect((elsewhere.status, elsewhere.code) == (400, "unknown_parameter"))
    await fixture.remove()
  }

  @Test func `a provider that is not there logs nobody in`() async throws {
    try await with(.none) { fixture in
      for provider in [
        "anon-user", "local-userpass", "api-key", "custom-token", "custom-function", "oauth2-google",
      ] {
        let json = #"{"username":"a","password":"b","key":"c","token":"d"}"#
        try expect(
          try await logIn(fixture, provider, json), 404, "authentication provider not found",
          "AuthProviderNotFound")
      }
    }
  }

  @Test func `a user reads and writes what their role says`() async throws {
    try await with { fixture in
      for (objectType, json) in Intruder.objects {
        _ = try await fixture.send(.post, "/v1/collections/\(objectType)", json: json)
      }
      let roles = #"{"user":{"classes":{"Note":{"read":"owner == %%user.id","write":"owner == %%user.id"}}}}"#
      #expect(try await fixture.send(.put, "/v1/roles", json: roles).status == 200)
      let (ann, bob) = (
        try Tokens(try await logIn(fixture, "anon-user", "{}")),
        try Tokens(try await logIn(fixture, "anon-user", "{}"))
      )
      let note = #"{"id":9,"owner":"\#(ann.user)"}"#
      #expect(try await fixture.send(.post, "/v1/collections/Note", bob.access, json: note).status == 403)
      #expect(try await fixture.send(.post, "/v1/collections/Note", ann.access, json: note).status == 201)
      #expect(
        try await fixture.send(.get, "/v1/collections/Note?fields=id", ann.access).text == #"[{"id":9}]"#)
      #expect(try await fixture.send(.get, "/v1/collections/Note", bob.access).text == "[]")
      #expect(try await fixture.send(.get, "/v1/collections/Note/9", bob.access).status == 404)
      #expect(try await fixture.send(.get, "/v1/collections/Vault", ann.access).status == 403)
      #expect(try await fixture.send(.get, "/v1/roles", ann.access).status == 403)
      _ = try await fixture.send(.delete, "\(Self.base)/auth/session", ann.refresh)
      #expect(try await fixture.send(.get, "/v1/collections/Note", ann.access).status == 401)
    }
  }

  @Test func `what is no JSON is refused in the form that clients understand`() async throws {
    try await with { fixture in
      try expect(
        try await logIn(fixture, "anon-user", "["), 400, "request body is no JSON object", "BadRequest")
      let answer = try await fixture.send(
        .post, "\(Self.app)/auth/providers/anon-user/login", ["content-type": "text/plain"], Array("{}".utf8))
      #expect(answer.status == 415)
      let none = try await fixture.send(.get, "\(Self.base)/nothing")
      #expect(none.status == 404 && none.fields["content-type"] == "application/json")
    }
  }
}
