import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseTestSupport
import Testing

/// Logins by tokens that somebody else made.
@Suite struct CustomTokenTests {
  private static let now = Date(seconds: 1_700_000_000)

  private func rules(_ algorithm: String, audience: String = #"["app"]"#) throws -> CustomTokenRules {
    let notation = try Value(
      json: """
        {"custom-token":{"name":"custom-token","type":"custom-token","disabled":false,\
        "config":{"audience":\(audience),"signingAlgorithm":"\(algorithm)"},\
        "secret_config":{"signingKeys":["it"]},\
        "metadata_fields":[{"required":true,"name":"user.email","field_name":"email"},\
        {"required":false,"name":"nick"}]}}
        """)
    let secret =
      switch algorithm {
      case "HS256": ForeignTokens.secret
      case "ES256": Keys.p256Public
      default: Keys.rsaPublic
      }
    return try #require(try Providers(notation: notation) { $0 == "it" ? secret : nil }.customTokens)
  }

  @Test(arguments: [
    ("HS256", ForeignTokens.hs256), ("RS256", ForeignTokens.rs256), ("ES256", ForeignTokens.es256),
  ])
  func `a token that Python signed is believed`(algorithm: String, token: String) throws {
    let found = try rules(algorithm).accept(token, at: Self.now)
    #expect(found?.subject == "ann" && found?.data == ["email": .string("ann@example.org")])
  }

  @Test(arguments: [
    ("HS256", ForeignTokens.rs256), ("RS256", ForeignTokens.hs256), ("RS256", ForeignTokens.confused),
    ("RS256", ForeignTokens.es256), ("ES256", ForeignTokens.rs256), ("ES256", ForeignTokens.hs256),
    ("HS256", ForeignTokens.none), ("HS256", ForeignTokens.expired), ("HS256", ForeignTokens.endless),
    ("HS256", ForeignTokens.early), ("HS256", ForeignTokens.foreign), ("HS256", ForeignTokens.nobody),
    ("HS256", ForeignTokens.unknown), ("HS256", ""), ("HS256", "a.b.c"),
  ])
  func `a token of somebody else is not`(algorithm: String, token: String) throws {
    #expect(try rules(algorithm).accept(token, at: Self.now) == nil)
  }

  @Test(arguments: [
    (#""app""#, true), (#"["app","other"]"#, false), (#""*""#, true), (#"["*"]"#, true), (#""other""#, false),
  ])
  func `a token is for all who are named, or for anybody where that is said`(audience: String, isFine: Bool)
    throws
  {
    #expect(
      (try rules("HS256", audience: audience).accept(ForeignTokens.hs256, at: Self.now) != nil) == isFine)
  }

  @Test(arguments: [
    ("[]", ProvidersError.member("")),
    (#"{"custom-token":{"config":{"audience":"a"}}}"#, .member("secret_config.signingKeys")),
    (
      #"{"custom-token":{"config":{"audience":"a"},"secret_config":{"signingKeys":["no"]}}}"#,
      .unknownSecret("no")
    ),
    (
      #"{"custom-token":{"config":{"audience":"a"},"secret_config":{"signingKeys":["short"]}}}"#,
      .shortSecret("short")
    ),
    (
      #"{"custom-token":{"config":{"audience":"a","signingAlgorithm":"none"},"secret_config":{"signingKeys":["short"]}}}"#,
      .unknownAlgorithm
    ),
    (
      #"{"custom-token":{"config":{"audience":"a","signingAlgorithm":"RS256"},"secret_config":{"signingKeys":["short"]}}}"#,
      .key("short", .malformedKey)
    ),
    (
      #"{"custom-token":{"config":{"audience":"a","rolesClaim":""},"secret_config":{"signingKeys":[]}}}"#,
      .member("config.rolesClaim")
    ),
    (#"{"custom-token":{"secret_config":{"signingKeys":[]}}}"#, .missingAudience),
    (#"{"custom-token":{"config":{"audience":[""]},"secret_config":{"signingKeys":[]}}}"#, .missingAudience),
    (
      #"{"custom-token":{"config":{"audience":["a",1]},"secret_config":{"signingKeys":[]}}}"#,
      .member("config.audience")
    ),
    (#"{"custom-function":{"config":{}}}"#, .member("config.authFunctionName")),
    (
      #"{"local-userpass":{"config":{"autoConfirm":false,"runConfirmationFunction":true}}}"#,
      .member("config.confirmationFunctionName")
    ),
    (
      #"{"local-userpass":{"config":{"autoConfirm":true,"runResetFunction":true,"resetFunctionName":""}}}"#,
      .member("config.resetFunctionName")
    ),
  ])
  func `providers that cannot work are refused`(json: String, error: ProvidersError) throws {
    let notation = try Value(json: json)
    #expect(throws: error) { try Providers(notation: notation) { $0 == "short" ? "short" : nil } }
  }

  @Test func `providers are those that are not disabled`() throws {
    let providers = try Providers(
      notation: Value(
        json: """
          {"anon-user":{"disabled":true},"api-key":{"disabled":false},\
          "local-userpass":{"config":{"autoConfirm":true}}}
          """)
    ) { _ in nil }
    #expect(!providers.allowsAnonymous && providers.allowsKeys && providers.customTokens == nil)
    #expect(providers.passwords == Providers.Passwords(confirmation: .atOnce))
  }

  @Test(arguments: [
    ("{}", Providers.Passwords(confirmation: .byToken)),
    (
      #"{"autoConfirm":true,"runConfirmationFunction":true,"confirmationFunctionName":"c"}"#,
      .init(confirmation: .atOnce)
    ),
    (
      #"{"runConfirmationFunction":true,"confirmationFunctionName":"c","resetFunctionName":"r"}"#,
      .init(confirmation: .byFunction("c"))
    ),
    (
      #"{"confirmationFunctionName":"c","runResetFunction":true,"resetFunctionName":"r"}"#,
      .init(confirmation: .byToken, resetFunction: "r")
    ),
  ])
  func `functions decide where the file says that they run`(config: String, passwords: Providers.Passwords)
    throws
  {
    let json = """
      {"local-userpass":{"config":\(config)},"custom-function":{"config":{"authFunctionName":"a"}}}
      """
    let providers = try Providers(notation: Value(json: json)) { _ in nil }
    #expect(providers.passwords == passwords && providers.customFunction == "a")
  }
}
