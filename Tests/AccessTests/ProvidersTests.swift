import GatehouseBSON
import Testing

@testable import GatehouseAccess

struct ProvidersTests {
  @Test(arguments: [
    (#"{"anon-users":{}}"#, ProvidersError.unknownMember(["anon-users"])),
    (#"{"":{}}"#, .unknownMember([""])),
    (#"{"anon-user":{"disable":true}}"#, .unknownMember(["anon-user", "disable"])),
    (
      #"{"local-userpass":{"config":{"autoconfirm":true}}}"#,
      .unknownMember(["local-userpass", "config", "autoconfirm"])
    ),
    (
      #"{"anon-user":{"config":{"autoConfirm":true}}}"#,
      .unknownMember(["anon-user", "config", "autoConfirm"])
    ),
    (#"{"anon-user":true}"#, .member("anon-user")),
    (#"{"custom-token":{"config":{"audience":"a","useJWKURI":true}}}"#, .malformedURL("config.jwkURI")),
    (#"{"custom-token":{"config":{"audience":"a","issuer":"example.org"}}}"#, .malformedURL("config.issuer")),
    (#"{"oauth2-google":{"config":{}}}"#, .member("config.clientId")),
    (#"{"oauth2-facebook":{"config":{"clientId":"1"}}}"#, .member("secret_config.clientSecret")),
    (
      #"{"oauth2-apple":{"config":{"clientId":"1"},"secret_config":{"clientSecret":"s"}}}"#,
      .unknownSecret("s")
    ),
    (
      #"{"oauth2-google":{"config":{"client_id":"1"}}}"#,
      .unknownMember(["oauth2-google", "config", "client_id"])
    ),
  ])
  func `what means nothing is refused`(json: String, error: ProvidersError) throws {
    let notation = try Value(json: json)
    #expect(throws: error) { try Providers(notation: notation) { _ in nil } }
  }

  @Test func `what App Services exports is read`() throws {
    let json = """
      {"anon-user":{"name":"anon-user","type":"anon-user","disabled":false},
       "api-key":{"id":"5f","name":"api-key","type":"api-key","disabled":true},
       "local-userpass":{"name":"local-userpass","type":"local-userpass","disabled":false,
         "config":{"autoConfirm":false,"emailConfirmationUrl":"https://x","resetPasswordUrl":"https://y",
           "resetPasswordSubject":"s","confirmEmailSubject":"","runConfirmationFunction":false,"runResetFunction":false}},
       "oauth2-google":{"name":"oauth2-google","config":{"clientId":"1","openId":true},"redirect_uris":[]}}
      """
    let providers = try Providers(notation: Value(json: json)) { _ in nil }
    #expect(providers.allowsAnonymous && !providers.allowsKeys)
    var passwords = Providers.Passwords(confirmation: .byToken)
    passwords.confirmationLetter = .init(subject: "Confirm your address", url: "https://x")
    passwords.resetLetter = .init(subject: "s", url: "https://y")
    #expect(providers.passwords == passwords)
    #expect(providers.openID.keys.sorted() == ["oauth2-google"] && providers.facebook == nil)
  }
}
