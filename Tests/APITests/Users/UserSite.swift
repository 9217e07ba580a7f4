import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// A gateway with users, who log in as App Services' clients do.
struct UserSite {
  static let base = "/api/client/v2.0"
  static let app = "\(base)/app/any-abcde"

  /// The tokens of a login.
  struct Tokens {
    let user: String
    let access: [String: String]
    let refresh: [String: String]

    init(_ answer: Answer) throws {
      let document = try answer.document
      let text = { (name: String) throws in try #require(document[name]?.string, "\(answer.text)") }
      user = try text("user_id")
      access = ["authorization": "Bearer \(try text("access_token"))"]
      refresh = ["authorization": "Bearer \(try text("refresh_token"))"]
    }
  }

  let fixture: Fixture

  /// Sends JSON to a path of the app.
  func post(_ path: String, _ json: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await fixture.send(.post, "\(Self.app)\(path)", fields, json: json)
  }

  func logIn(
    _ provider: String, _ json: String, linkingTo tokens: Tokens? = nil
  ) async throws -> Answer {
    let query = tokens == nil ? "" : "?link=true"
    return try await post("/auth/providers/\(provider)/login\(query)", json, tokens?.access ?? [:])
  }

  /// Makes an account, of the password `secret1`.
  func register(_ email: String) async throws {
    let json = #"{"email":"\#(email)","password":"secret1"}"#
    let answer = try await post("/auth/providers/local-userpass/register", json)
    #expect(answer.status == 201, "\(answer.text)")
  }

  static func password(_ email: String, _ password: String = "secret1") -> String {
    #"{"username":"\#(email)","password":"\#(password)"}"#
  }

  func profile(_ tokens: Tokens) async throws -> Document {
    try await fixture.send(.get, "\(Self.base)/auth/profile", tokens.access).document
  }

  /// The providers of a user's identities.
  func providers(_ tokens: Tokens) async throws -> [String] {
    guard case .array(let identities)? = try await profile(tokens)["identities"] else { return [] }
    return identities.compactMap { identity in
      if case .document(let identity) = identity { identity["provider_type"]?.string } else { nil }
    }
  }

  static func with(
    _ providers: Providers = .open, functions: FunctionHost = FunctionHost(),
    clock: @escaping @Sendable () -> Date = { .now }, _ body: (UserSite) async throws -> Void
  ) async throws {
    let fixture = try await Fixture(Intruder.schema, functions: functions, users: providers, clock: clock)
    try await body(UserSite(fixture: fixture))
    await fixture.remove()
  }
}

extension Answer {
  /// Status, text and code of an error in App Services' form.
  var refusal: String {
    get throws {
      let document = try document
      return [String(status), document["error"]?.string, document["error_code"]?.string].compactMap(\.self)
        .joined(separator: " ")
    }
  }
}

extension Value {
  var string: String? { if case .string(let text) = self { text } else { nil } }
}
