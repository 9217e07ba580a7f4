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
    (#"{"custom-token":{"config":{"useJWKURI":true}}}"#, .unsupported("custom-token.config.useJWKURI")),
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
    #expect(providers.passwords == .init(confirmation: .byToken))
  }
}
