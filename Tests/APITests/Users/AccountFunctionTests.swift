import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Synchronization
import Testing

@testable import GatehouseAPI

/// Functions that decide about users, as App Services' providers name them, and the operator, who decides otherwise.
@Suite struct AccountFunctionTests {
  private static let path = "/api/client/v2.0/app/any-abcde/auth/providers"

  /// The arguments that functions were called with.
  private final class Calls: Sendable {
    private let all = Mutex<[Invocation]>([])

    func note(_ invocation: Invocation) { all.withLock { $0.append(invocation) } }
    var last: Invocation? { all.withLock(\.last) }
    var count: Int { all.withLock(\.count) }

    /// A text in the document that the last call had as its first argument.
    func text(_ name: String) -> String? {
      guard case .document(let document)? = last?.arguments.first, case .string(let text)? = document[name]
      else {
        return nil
      }
      return text
    }
  }

  /// A gateway whose function `f` notes its calls and says that.
  private func with(
    _ providers: Providers, _ result: @autoclosure @escaping @Sendable () throws -> Value,
    _ test: (Fixture, Calls) async throws -> Void
  ) async throws {
    let calls = Calls()
    let functions = FunctionHost()
    functions.register("f", access: .functions) { invocation in
      calls.note(invocation)
      return try result()
    }
    let fixture = try await Fixture(nil, functions: functions, users: providers)
    try await test(fixture, calls)
    await fixture.remove()
  }

  private static func status(_ text: String) -> Value { ["status": .string(text)] }

  private func send(_ fixture: Fixture, _ name: String, _ json: String) async throws -> Answer {
    try await fixture.send(.post, "\(Self.path)/\(name)", json: json)
  }

  private func told(_ answer: Answer) throws -> String {
    let document = try answer.document
    func text(_ name: String) -> String {
      if case .string(let text)? = document[name] { text } else { "-" }
    }
    return "\(answer.status) \(text("error")) \(text("error_code"))"
  }

  private static let ann = #"{"email":"a@example.org","password":"secret1"}"#
  private static let login = #"{"username":"a@example.org","password":"secret1"}"#
  private static let confirming = Providers(passwords: .init(confirmation: .byFunction("f")))

  @Test(arguments: [("success", "200"), ("pending", "401 unauthorized AuthError")])
  func `a function says whether somebody may register`(status: String, login: String) async throws {
    try await with(Self.confirming, Self.status(status)) { fixture, calls in
      let made = try await send(fixture, "local-userpass/register", Self.ann)
      #expect((made.status, made.text) == (201, "{}"))
      #expect(calls.text("username") == "a@example.org" && calls.last?.runsAsSystem == true)
      let answer = try await send(fixture, "local-userpass/login", Self.login)
      let outcome = answer.status == 200 ? "200" : try told(answer)
      #expect(outcome == login)
      // The client has to show the token that the function was given.
      guard status == "pending", let token = calls.text("token"), let id = calls.text("tokenId") else {
        return
      }
      let confirmed = try await send(
        fixture, "local-userpass/confirm", #"{"token":"\#(token)","tokenId":"\#(id)"}"#)
      #expect(confirmed.status == 200)
      #expect(try await send(fixture, "local-userpass/login", Self.login).status == 200)
    }
  }

  @Test(arguments: ["fail", "nonsense"])
  func `whom the function does not let register has no account`(status: String) async throws {
    try await with(Self.confirming, Self.status(status)) { fixture, calls in
      for count in 1...2 {
        let answer = try await send(fixture, "local-userpass/register", Self.ann)
        #expect(try told(answer) == #"400 failed to confirm user "a@example.org" BadRequest"#)
        #expect(calls.count == count)
      }
      #expect(
        try await told(send(fixture, "local-userpass/login", Self.login))
          == "401 unauthorized InvalidPassword")
    }
  }

  @Test func `the function is asked once more`() async throws {
    let answers = Mutex(["pending", "pending", "fail", "success"])
    try await with(Self.confirming, Self.status(answers.withLock { $0.removeFirst() })) { fixture, calls in
      _ = try await send(fixture, "local-userpass/register", Self.ann)
      let first = calls.text("token")
      let email = #"{"email":"a@example.org"}"#
      #expect(try await send(fixture, "local-userpass/confirm/call", email).status == 200)
      #expect(calls.text("token") != first)
      #expect(
        try await told(send(fixture, "local-userpass/confirm/call", email))
          == #"400 failed to confirm user "a@example.org" BadRequest"#)
      #expect(try await send(fixture, "local-userpass/confirm/call", email).status == 200)
      #expect(
        try await told(send(fixture, "local-userpass/confirm/call", email))
          == "400 already confirmed UserAlreadyConfirmed")
      #expect(
        try await told(send(fixture, "local-userpass/confirm/call", #"{"email":"b@example.org"}"#))
          == "404 user not found UserNotFound")
      #expect(try await send(fixture, "local-userpass/login", Self.login).status == 200)
    }
  }

  @Test func `where accounts need no confirmation, no function is asked`() async throws {
    try await with(.open, .null) { fixture, calls in
      _ = try await send(fixture, "local-userpass/register", Self.ann)
      let email = #"{"email":"a@example.org"}"#
      #expect(
        try await told(send(fixture, "local-userpass/confirm/call", email))
          == "400 cannot run confirmation for a@example.org: automatic confirmation is enabled -")
      #expect(
        try await told(send(fixture, "local-userpass/confirm/send", email))
          == "400 already confirmed UserAlreadyConfirmed")
      #expect(calls.count == 0)
    }
  }

  @Test(arguments: ["success", "pending", "fail"])
  func `a function says whether somebody gets another password`(status: String) async throws {
    let providers = Providers(passwords: .init(confirmation: .atOnce, resetFunction: "f"))
    try await with(providers, Self.status(status)) { fixture, calls in
      _ = try await send(fixture, "local-userpass/register", Self.ann)
      let answer = try await send(
        fixture, "local-userpass/reset/call",
        #"{"email":"A@example.org","password":"secret2","arguments":["x",{"$numberInt":"5"}]}"#)
      #expect(calls.last?.arguments.dropFirst() == [.string("x"), .int32(5)])
      #expect((calls.text("username"), calls.text("password")) == ("a@example.org", "secret2"))
      guard case .document(let first)? = calls.last?.arguments.first else { return #expect(Bool(false)) }
      #expect(first["currentPasswordValid"] == .bool(false))
      let new = #"{"username":"a@example.org","password":"secret2"}"#
      switch status {
      case "success":
        #expect(answer.status == 200)
      case "pending":
        #expect(answer.status == 200)
        #expect(try await send(fixture, "local-userpass/login", new).status == 401)
        let (token, id) = (calls.text("token") ?? "", calls.text("tokenId") ?? "")
        let content = #"{"token":"\#(token)","tokenId":"\#(id)","password":"secret2"}"#
        #expect(try await send(fixture, "local-userpass/reset", content).status == 200)
      default:
        #expect(try told(answer) == #"400 failed to reset password for user "A@example.org" -"#)
        #expect(try await send(fixture, "local-userpass/login", Self.login).status == 200)
        return
      }
      #expect(try await send(fixture, "local-userpass/login", new).status == 200)
      #expect(
        try await told(send(fixture, "local-userpass/reset/send", #"{"email":"a@example.org"}"#))
          == "400 please use reset password via function -")
    }
  }

  static let identities: [(Value, String?)] = [
    (.string("ann"), "{}"), (["id": .string("ann"), "name": .string("Ann")], #"{"name":"Ann"}"#),
    (["id": .string("ann"), "name": .int32(5)], "{}"), (.string(""), nil), (.null, nil), (.int32(5), nil),
    (["name": .string("Ann")], nil),
  ]

  @Test(arguments: identities)
  func `a function says who somebody is`(result: Value, data: String?) async throws {
    try await with(Providers(customFunction: "f"), result) { fixture, calls in
      let content = #"{"user":"ann","pin":{"$numberInt":"7"},"options":{"device":{"platform":"node"}}}"#
      let answer = try await send(fixture, "custom-function/login", content)
      #expect(calls.last?.arguments == [["user": .string("ann"), "pin": .int32(7)]])
      guard let data else { return #expect(try told(answer) == "401 authentication failed AuthError") }
      guard case .string(let access)? = try answer.document["access_token"] else {
        return #expect(Bool(false))
      }
      let profile = try await fixture.send(
        .get, "/api/client/v2.0/auth/profile", ["authorization": "Bearer \(access)"])
      #expect(profile.text.contains(#""provider_type":"custom-function""#))
      #expect(profile.text.contains(#""id":"ann""#) && profile.text.contains(#""data":\#(data)"#))
      // Who comes again is the same.
      let again = try await send(fixture, "custom-function/login", content)
      #expect(try again.document["user_id"] == answer.document["user_id"])
    }
  }

  @Test func `whom a function throws out is not logged in`() async throws {
    @Sendable func fail() throws -> Value { throw FunctionError.thrown(message: "secret reason") }
    try await with(Providers(customFunction: "f"), try fail()) { fixture, _ in
      let answer = try await send(fixture, "custom-function/login", "{}")
      #expect(try told(answer) == "401 authentication failed AuthError")
    }
    try await with(Providers(customFunction: "none"), try fail()) { fixture, _ in
      let answer = try await send(fixture, "custom-function/login", "{}")
      #expect(try told(answer) == "401 authentication failed AuthError")
    }
  }

  @Test func `the operator lists accounts, confirms them, and gives tokens`() async throws {
    try await with(Providers(passwords: .init(confirmation: .byToken)), .null) { fixture, _ in
      for name in ["c", "a", "b"] {
        _ = try await send(
          fixture, "local-userpass/register", #"{"email":"\#(name)@example.org","password":"secret1"}"#)
      }
      #expect(try await fixture.send(.put, "/v1/accounts/A@example.org/confirm").status == 204)
      #expect(try await fixture.send(.put, "/v1/accounts/a@example.org/confirm").status == 204)
      let page = try await fixture.send(.get, "/v1/accounts?limit=2")
      #expect(
        page.text
          == #"[{"email":"a@example.org","confirmed":true},{"email":"b@example.org","confirmed":false}]"#)
      #expect(page.fields["link"] == #"</v1/accounts?limit=2&cursor=b%40example.org>; rel="next""#)
      let rest = try await fixture.send(.get, "/v1/accounts?limit=2&cursor=b%40example.org")
      #expect(rest.text == #"[{"email":"c@example.org","confirmed":false}]"# && rest.fields["link"] == nil)
      let user = try Value.text(
        "user_id", try await send(fixture, "local-userpass/login", Self.login).document)
      #expect(
        try await fixture.send(.get, "/v1/accounts?limit=1").text
          == #"[{"email":"a@example.org","confirmed":true,"user":"\#(user)","disabled":false}]"#)
      let tokens = try await fixture.send(.put, "/v1/accounts/a@example.org/reset")
      #expect(tokens.fields["cache-control"] == "no-store")
      let (token, id) = (
        try Value.text("token", tokens.document), try Value.text("tokenId", tokens.document)
      )
      let reset = try await send(
        fixture, "local-userpass/reset", #"{"token":"\#(token)","tokenId":"\#(id)","password":"secret3"}"#)
      #expect(reset.status == 200)
      for name in ["confirm", "reset"] {
        let answer = try await fixture.send(.put, "/v1/accounts/x@example.org/\(name)")
        #expect((answer.status, answer.code) == (404, "user_not_found"))
      }
    }
  }

  @Test func `a user who is shut out gets nowhere until they are let in`() async throws {
    try await with(.open, .null) { fixture, _ in
      let answer = try await send(fixture, "anon-user/login", "{}").document
      _ = try await send(fixture, "local-userpass/register", Self.ann)
      let user = try Value.text(
        "user_id", try await send(fixture, "local-userpass/login", Self.login).document)
      let anonymous = try Value.text("user_id", answer)
      for id in [user, anonymous] {
        #expect(try await fixture.send(.put, "/v1/users/\(id)/disable").status == 204)
      }
      #expect(
        try await told(send(fixture, "local-userpass/login", Self.login)) == "403 user disabled UserDisabled")
      let access = ["authorization": "Bearer \(try Value.text("access_token", answer))"]
      let refresh = ["authorization": "Bearer \(try Value.text("refresh_token", answer))"]
      let base = "/api/client/v2.0/auth"
      #expect(
        try await told(fixture.send(.get, "\(base)/profile", access)) == "403 user disabled UserDisabled")
      #expect(
        try await told(fixture.send(.post, "\(base)/session", refresh)) == "403 user disabled UserDisabled")
      #expect(try await fixture.send(.get, "/v1/collections", access).status == 401)
      #expect(try await fixture.send(.put, "/v1/users/\(anonymous)/enable").status == 204)
      #expect(try await fixture.send(.get, "\(base)/profile", access).status == 200)
      for id in ["x", "0123456789abcdef01234567"] {
        let answer = try await fixture.send(.put, "/v1/users/\(id)/disable")
        #expect((answer.status, answer.code) == (404, "user_not_found"))
      }
    }
  }

  @Test func `a key that a session began with stays, and others end their sessions`() async throws {
    try await with(.open, .null) { fixture, _ in
      let base = "/api/client/v2.0/auth"
      let bearer = { (document: Document) throws in
        ["authorization": "Bearer \(try Value.text("refresh_token", document))"]
      }
      let owner = try bearer(try await send(fixture, "anon-user/login", "{}").document)
      let made = try await fixture.send(.post, "\(base)/api_keys", owner, json: #"{"name":"k"}"#).document
      let (key, id) = (try Value.text("key", made), try Value.text("_id", made))
      let byKey = try bearer(try await send(fixture, "api-key/login", #"{"key":"\#(key)"}"#).document)
      let refused = try await fixture.send(.delete, "\(base)/api_keys/\(id)", byKey)
      #expect(refused.status == 403)
      #expect(try await fixture.send(.post, "\(base)/session", byKey).status == 201)
      #expect(try await fixture.send(.delete, "\(base)/api_keys/\(id)", owner).status == 204)
      #expect(try await fixture.send(.post, "\(base)/session", byKey).status == 401)
      #expect(try await fixture.send(.post, "\(base)/session", owner).status == 201)
    }
  }
}

extension Value {
  fileprivate struct Missing: Error { let name: String }

  fileprivate static func text(_ name: String, _ document: Document) throws -> String {
    guard case .string(let text)? = document[name] else { throw Missing(name: name) }
    return text
  }
}
