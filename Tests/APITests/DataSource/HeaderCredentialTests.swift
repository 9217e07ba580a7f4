import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// The fields by which clients of the Data API show who they are.
@Suite struct HeaderCredentialTests {
  private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let base = "/api/client/v2.0"
  /// Users see and change the notes that are theirs, by their address or their name at somebody else.
  private static let roles = """
    {"user":{"classes":{"Note":{"read":"owner == 'me'","write":"owner == 'me'"}}}}
    """
  private static let find = DataAPITests.content("Note", #""projection":{"_id":1}"#)

  private func with(_ body: (Fixture, [String: String]) async throws -> Void) async throws {
    let rules = CustomTokenRules(
      keys: [.secret(Self.secret)], audiences: .any, fields: [])
    let fixture = try await Fixture(
      Intruder.schema,
      users: Providers(
        allowsKeys: true, passwords: Providers.Passwords(confirmation: .atOnce), customTokens: rules),
      clock: { Date(seconds: 1_700_000_000) })
    let notes = #"[{"id":1,"owner":"me"},{"id":2,"owner":"you"}]"#
    _ = try await fixture.send(.post, "/v1/collections/Note", json: notes)
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
    let administrator = ["authorization": "Bearer \(key.text)"]
    let applied = try await fixture.send(.put, "/v1/roles", administrator, json: Self.roles)
    try #require(applied.status == 200, "\(applied.text)")
    let account = #"{"email":"ann@example.com","password":"secret1"}"#
    let registered = try await fixture.send(
      .post, "\(Self.base)/app/a/auth/providers/local-userpass/register", json: account)
    try #require(registered.status == 201, "\(registered.text)")
    try await body(fixture, ["api-key": key.text])
    await fixture.remove()
  }

  private func find(_ fixture: Fixture, _ fields: [String: String]) async throws -> Answer {
    try await fixture.send(.post, DataAPITests.target("find"), fields, json: Self.find)
  }

  private static func token(_ key: [UInt8] = secret) -> String {
    let parts = [#"{"alg":"HS256"}"#, #"{"sub":"ann","exp":1800000000}"#].map {
      Base64.encode(Array($0.utf8), as: .urlSafe)
    }
    let message = parts.joined(separator: ".")
    return "\(message).\(Base64.encode(MessageCode.of(Array(message.utf8), key: key), as: .urlSafe))"
  }

  @Test func `address and password, a key and a token are credentials`() async throws {
    try await with { fixture, gatewayKey in
      let login = try await fixture.send(
        .post, "\(Self.base)/app/a/auth/providers/local-userpass/login",
        json: #"{"username":"ann@example.com","password":"secret1"}"#)
      guard case .string(let refresh)? = try login.document["refresh_token"] else {
        Issue.record("\(login.text)")
        return
      }
      let made = try await fixture.send(
        .post, "\(Self.base)/auth/api_keys", ["authorization": "Bearer \(refresh)"], json: #"{"name":"k"}"#)
      guard case .string(let key)? = try made.document["key"] else {
        Issue.record("\(made.text)")
        return
      }
      let mine = #"{"documents":[{"_id":1}]}"#
      for fields in [
        ["email": "ann@example.com", "password": "secret1"], ["api-key": key], ["apikey": key],
        ["jwttokenstring": Self.token()],
      ] {
        for _ in 0..<3 { #expect(try await find(fixture, fields).text == mine, "\(fields)") }
      }
      #expect(try await find(fixture, gatewayKey).text == #"{"documents":[{"_id":1},{"_id":2}]}"#)
    }
  }

  @Test func `requests after the first begin no session`() async throws {
    try await with { fixture, _ in
      let fields = ["email": "ann@example.com", "password": "secret1"]
      #expect(try await find(fixture, fields).status == 200)
      let reader = try fixture.store.makeReader()
      let sessions = try reader.records("session").count
      for _ in 0..<5 { #expect(try await find(fixture, fields).status == 200) }
      #expect(try reader.records("session").count == sessions)
    }
  }

  @Test func `a key that is taken away is none at once`() async throws {
    try await with { fixture, _ in
      let login = try await fixture.send(
        .post, "\(Self.base)/app/a/auth/providers/local-userpass/login",
        json: #"{"username":"ann@example.com","password":"secret1"}"#)
      guard case .string(let refresh)? = try login.document["refresh_token"] else { return }
      let token = ["authorization": "Bearer \(refresh)"]
      let made = try await fixture.send(.post, "\(Self.base)/auth/api_keys", token, json: #"{"name":"k"}"#)
      guard case .string(let key)? = try made.document["key"],
        case .string(let id)? = try made.document["_id"]
      else { return }
      #expect(try await find(fixture, ["api-key": key]).status == 200)
      let gone = try await fixture.send(.delete, "\(Self.base)/auth/api_keys/\(id)", token)
      try #require(gone.status == 204, "\(gone.text)")
      #expect(try await find(fixture, ["api-key": key]).status == 401)
    }
  }

  @Test(
    arguments: [
      ([:], "no authentication methods were specified", "InvalidParameter"),
      (["api-key": "x"], "unauthorized", "AuthError"),
      (["email": "ann@example.com", "password": "wrong"], "unauthorized", "InvalidPassword"),
      (["email": "ann@example.com"], "no authentication methods were specified", "InvalidParameter"),
      (["jwttokenstring": token([UInt8](repeating: 1, count: 32))], "unauthorized", "AuthError"),
      (
        ["authorization": "Bearer x", "email": "ann@example.com", "password": "secret1"], "unauthorized",
        "InvalidSession"
      ),
    ] as [([String: String], String, String)])
  func `a credential that is none is refused`(fields: [String: String], text: String, code: String)
    async throws
  {
    try await with { fixture, _ in
      let answer = try await find(fixture, fields)
      let body = try answer.document
      #expect(answer.status == 401 && answer.fields["content-type"] == "application/json")
      #expect(body["error"] == .string(text) && body["error_code"] == .string(code), "\(answer.text)")
    }
  }

  @Test func `the fields mean nothing elsewhere`() async throws {
    try await with { fixture, gatewayKey in
      let answer = try await fixture.send(.get, "/v1/collections/Note", gatewayKey)
      #expect(answer.status == 401)
    }
  }
}
