import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// The list of the ways to log in, for administrators.
@Suite struct ProviderListTests {
  private static let secret = "a-secret-of-more-than-thirty-two-bytes"
  private static let file = #"""
    {"anon-user": {"type": "anon-user", "disabled": true},
     "local-userpass": {"type": "local-userpass", "config": {
       "runConfirmationFunction": true, "confirmationFunctionName": "confirm",
       "resetPasswordUrl": "https://app.example/reset"}},
     "custom-token": {"type": "custom-token", "config": {"audience": "app"},
       "secret_config": {"signingKeys": ["signing"]}},
     "custom-function": {"type": "custom-function", "config": {"authFunctionName": "who"}},
     "oauth2-google": {"type": "oauth2-google", "config": {"clientId": ["web", "phone"]},
       "secret_config": {"clientSecret": "google"}},
     "oauth2-facebook": {"type": "oauth2-facebook", "config": {"clientId": "4711"},
       "secret_config": {"clientSecret": "facebook"}}}
    """#

  @Test func `administrators see the providers that are on, without secrets`() async throws {
    let providers = try Providers(notation: try Value(json: Self.file)) { _ in Self.secret }
    try await UserSite.with(providers) { site in
      let answer = try await site.fixture.send(.get, "/v1/providers")
      #expect(answer.status == 200 && answer.fields["cache-control"] == "no-store", "\(answer)")
      #expect(!answer.text.contains(Self.secret))
      #expect(
        answer.text == #"""
          [{"name":"local-userpass","settings":{"confirmation":"function","confirmationFunction":"confirm","reset":"mail"}},{"name":"custom-token","settings":{"keys":1,"audiences":["app"]}},{"name":"custom-function","settings":{"function":"who"}},{"name":"oauth2-google","settings":{"issuer":"https://accounts.google.com","oneOfAudiences":["web","phone"]}},{"name":"oauth2-facebook","settings":{"clientId":"4711","graph":"https://graph.facebook.com"}}]
          """#)
    }
  }

  @Test func `where nobody can log in, there are none`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/providers")
      #expect(answer.text == "[]")
    }
  }
}
