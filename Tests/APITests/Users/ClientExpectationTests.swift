import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Details that Realm's clients decide by.
@Suite struct ClientExpectationTests {
  /// realm-web renews the token and tries again at any 401 with that text, without end.
  @Test func `a credential that cannot be linked is refused, and not as a token`() async throws {
    let tokens = CustomTokenRules(
      keys: [.secret(Array("0123456789abcdef0123456789abcdef".utf8))], audiences: .any, fields: [])
    let functions = FunctionHost()
    functions.register("nobody") { _ in .null }
    let providers = Providers(
      allowsAnonymous: true, allowsKeys: true, passwords: .init(confirmation: .byToken),
      customTokens: tokens, customFunction: "nobody")
    try await UserSite.with(providers, functions: functions) { site in
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      try await site.register("ann@example.org")
      for (provider, json) in [
        ("local-userpass", UserSite.password("ann@example.org", "another")),
        ("local-userpass", UserSite.password("ann@example.org")),
        ("local-userpass", UserSite.password("nobody@example.org")), ("api-key", #"{"key":"x"}"#),
        ("custom-token", #"{"token":"a.b.c"}"#), ("custom-function", "{}"),
      ] {
        let answer = try await site.logIn(provider, json, linkingTo: user)
        #expect(try answer.refusal == "400 unauthorized InvalidSession", "\(provider) \(json)")
      }
      #expect(try await site.providers(user) == ["anon-user"])
      // The token of the user is one: it may have to be renewed.
      let out = try await site.fixture.send(.delete, "\(UserSite.base)/auth/session", user.refresh)
      #expect(out.status == 204)
      let late = try await site.logIn("anon-user", "{}", linkingTo: user)
      #expect(try late.refusal == "401 invalid session: failed to find refresh token InvalidSession")
    }
  }

  @Test func `a user has one address with a password`() async throws {
    try await UserSite.with { site in
      for email in ["ann@example.org", "bob@example.org"] { try await site.register(email) }
      let ann = try UserSite.Tokens(
        try await site.logIn("local-userpass", UserSite.password("ann@example.org")))
      let second = try await site.logIn(
        "local-userpass", UserSite.password("bob@example.org"), linkingTo: ann)
      #expect(
        try second.refusal
          == "400 linking an additional local-userpass identity is not allowed InvalidSession")
      #expect(try await site.providers(ann) == ["local-userpass"])
      // Who links what they have is who they are.
      let same = try await site.logIn("local-userpass", UserSite.password("ann@example.org"), linkingTo: ann)
      #expect(try UserSite.Tokens(same).user == ann.user)
      let bob = try await site.logIn("local-userpass", UserSite.password("bob@example.org"))
      #expect(try UserSite.Tokens(bob).user != ann.user)
    }
  }

  @Test func `a login with a key shows an identity of that kind, and no other login does`() async throws {
    try await UserSite.with { site in
      try await site.register("ann@example.org")
      let json = UserSite.password("ann@example.org")
      let ann = try UserSite.Tokens(try await site.logIn("local-userpass", json))
      let made = try await site.fixture.send(
        .post, "\(UserSite.base)/auth/api_keys", ann.refresh, json: #"{"name":"k"}"#
      ).document
      let key = try #require(made["key"]?.string)
      let login = try UserSite.Tokens(try await site.logIn("api-key", #"{"key":"\#(key)"}"#))
      #expect(login.user == ann.user)
      guard case .array(let identities)? = try await site.profile(login)["identities"],
        case .document(let last)? = identities.last
      else { return #expect(Bool(false)) }
      #expect(identities.count == 2)
      #expect(last["provider_type"] == .string("api-key") && last["id"] == made["_id"])
      #expect(try await site.providers(ann) == ["local-userpass"])
    }
  }

  @Test func `dates are cut to milliseconds`() async throws {
    let functions = FunctionHost()
    functions.register("when") { _ in
      [
        "late": .date(Date(seconds: 1, nanoseconds: 234_567_891)),
        "early": [.date(Date(seconds: -2, nanoseconds: 999_999))],
      ]
    }
    try await UserSite.with(functions: functions) { site in
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      let answer = try await site.post("/functions/call", #"{"name":"when","arguments":[]}"#, user.access)
      #expect(
        answer.text
          == #"{"late":{"$date":{"$numberLong":"1234"}},"early":[{"$date":{"$numberLong":"-2000"}}]}"#)
    }
  }

  @Test func `a call without a session is unauthorized`() async throws {
    let fixture = try await Fixture(nil, users: .open, adminKey: "k3y-of-the-administrator")
    let site = UserSite(fixture: fixture)
    for fields in [[:], ["authorization": "Bearer a.b.c"]] {
      let answer = try await site.post("/functions/call", #"{"name":"f","arguments":[]}"#, fields)
      #expect(try answer.refusal == "401 unauthorized InvalidSession")
    }
    let bad = try await fixture.send(
      .get, "\(UserSite.base)/auth/profile", ["authorization": "Bearer a.b.c"])
    #expect(try bad.refusal == "401 unauthorized InvalidSession")
    await fixture.remove()
  }
}
