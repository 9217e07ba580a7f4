import GatehouseAccess
import GatehouseBSON
import GatehouseOutbound
import Synchronization
import Testing

@testable import GatehouseAPI

/// The keys of an issuer are asked for when they are needed, and not each time. Keys and tokens are made by Python's joserfc.
@Suite struct IssuerKeyTests {
  private static let issuer = "https://issuer.example"
  private static let modulus =
    "oEE_sWMP0UVIIQYq73aekkV-Q0acMUXghbyOBsMLUcgDoLqDi7187OHVx-WjTqgENX3YsvWg38MbkbH4PyTQ-zL-edX1cVcjtMCN"
    + "PYpj3YgQbQqvFYwrGx90RXRVjS8NV3H8S1XxRJxRdQoWhkLsBr_AL1uZi1pyNtxjPHaGtpY9dhadNeOsm34Rpm_TiXSabEkAUdQN"
    + "6p6Yzv_lGG5mEKINaibKqSB2aDxK4GCYgOWea0PE5VdfYbBQuo2WyPYwOm-GjxJDn_rbJlBF6RXuTHO1QFvoFnAhQ2LEu13omBdA"
    + "c7SkxGs6bQbyrVYX7u4ZD4LJJhg_JbdypOFCJNvbQQ"
  private static let otherModulus =
    "rxREqbpVz-JmnTQq4Y8TnSqAycYrEMyQctOp3D2wKZpZVUi8aB2AVgLwxZ8Z6Weieo2gzVomWct2PHN7W1X6k7dHpFTtXw2bPBXA"
    + "Muc2IHLhWTigmQqZpVWyWckbiAvQvHuq42BPFpFKtZPsytwglgKd9yH9uuEbGiS-6KwB9IWGw4he_D7mJyNACKCTTli2kfJycnab"
    + "pYx4enbb0_3nVZ3Hrvgg7UnA0TjRg7__6ZfCqQyNh75Q3WRuV53nnWu2AN2pZ_RgSwhFBVdh2tX_lS_Zr9fUfSEYS156eetuQ7oE"
    + "TUHXm9DriOxetSppLCP0ThdMWFqV-YiNgLfcef5zHw"
  /// Tokens of `ann`, signed by the first key, and of `bob`, by the second.
  private static let ann =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiJhbm4iLCJhdWQiOiJhcHAiLCJleHAiOjQxMDI"
    + "0NDQ4MDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUifQ.C2DRPUeR44Z1EMe6k2f8xN-a3En-iDQYts-Al8afcM6MEZKI"
    + "jxvURMC-0AtN_kE4d5duwT7X5WmL6F1pco5p1N1Kxu_dq46-b4Amtc2qI6TZ7RH0oRnH7MzcNxqPGxLp4JRNhcuCf5NpXz3jckPM"
    + "8Yfca4qt1gURMb7pkd7TQk5WpgIEmn_JzHnVWNjYicbYX5ouhv_9xSxnqc0QXBDZJRF8_8Cy_jNSirybWzYkoLqnqPP_SWXFWqwt"
    + "qugzTKB3FTNZ9J0L4Ki51yDsJL61-L93I0q8aSYboPWQAvmNFGYvaoeERIU3Jh8hzh3x5DnkB7tLFxdLwcaeOskZbM68jQ"
  private static let bob =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InR3byJ9.eyJzdWIiOiJib2IiLCJhdWQiOiJhcHAiLCJleHAiOjQxMDI"
    + "0NDQ4MDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUifQ.CGiv2Pe6ngLRpv94lqXcNPYCKOqHRSZyqyZl0XqCyo4pls2U"
    + "QssOIzUCbuxoquUFux84lYCo9IAx962fLCl-Cxxjz7Iy645euPAiBUogdcWEGYNi3E72boeuIEyX9btf_dTS0PoiUybNog3QnVj_"
    + "X2IYpx2j-anGN4_rqw5aKkHHfaiTSRu698uDpu-7cIDaB-oo-jSsUundZJFuhsL4j6RpHvfuFjJLfSKjt5tL8GENNGDkZOungXCk"
    + "_jBpExeQGx15vsCnm9F4LCJhYJ0kBI7HvVW2T_AcDj3HCr-H-nZQVfB-GF7TXOzxxENpQfWblhfnWgVAWONM-unDhBjNKQ"

  /// An issuer whose keys change, and who may be silent.
  private final class Issuer: Sendable {
    struct State {
      var keys = [("one", modulus)]
      var isSilent = false
      var urls: [String] = []
    }

    let state = Mutex(State())
    let seconds = Atomic<Int64>(1_700_000_000)

    var clock: @Sendable () -> Date { { Date(seconds: self.seconds.load(ordering: .relaxed)) } }

    func answer(_ request: ClientRequest) -> [UInt8]? {
      state.withLock { state in
        state.urls.append(request.url)
        if state.isSilent { return nil }
        if request.url.hasSuffix("/.well-known/openid-configuration") {
          return Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#.utf8)
        }
        let keys = state.keys.map { #"{"kty":"RSA","kid":"\#($0.0)","n":"\#($0.1)","e":"AQAB"}"# }
        return Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
      }
    }

    var count: Int { state.withLock { $0.urls.count { $0.hasSuffix("/keys") } } }
  }

  private static func logins(_ issuer: Issuer) -> ForeignLogins {
    let peer = LoginPeer { issuer.answer($0) }
    return ForeignLogins(peer: peer, keys: IssuerKeys(peer, clock: issuer.clock), clock: issuer.clock)
  }

  private static let rules = CustomTokenRules(
    .issuer(issuer), audiences: .every(["app"]), fields: [], issuers: [issuer])

  @Test func `keys are kept for ten minutes, and looked for again where one is not known`() async throws {
    let issuer = Issuer()
    let logins = Self.logins(issuer)
    for _ in 0..<3 { #expect(try await logins.person(showing: Self.ann, to: Self.rules).subject == "ann") }
    #expect(issuer.count == 1)
    // Half a minute has to be over.
    issuer.state.withLock { $0.keys = [("one", Self.modulus), ("two", Self.otherModulus)] }
    await #expect(throws: UserError.refusedCredential) {
      _ = try await logins.person(showing: Self.bob, to: Self.rules)
    }
    #expect(issuer.count == 1)
    issuer.seconds.add(IssuerKeys.patience, ordering: .relaxed)
    #expect(try await logins.person(showing: Self.bob, to: Self.rules).subject == "bob")
    #expect(issuer.count == 2)
    // A key that the issuer has taken back is good no more when it is looked at again.
    issuer.state.withLock { $0.keys = [("two", Self.otherModulus)] }
    #expect(try await logins.person(showing: Self.ann, to: Self.rules).subject == "ann")
    issuer.seconds.add(IssuerKeys.lifetime, ordering: .relaxed)
    await #expect(throws: UserError.refusedCredential) {
      _ = try await logins.person(showing: Self.ann, to: Self.rules)
    }
    #expect(issuer.count == 3)
  }

  @Test func `an issuer that is silent for a while does no harm, and one that is never there is told`()
    async throws
  {
    let issuer = Issuer()
    issuer.state.withLock { $0.isSilent = true }
    await #expect(throws: UserError.issuerUnreachable) {
      _ = try await Self.logins(issuer).person(showing: Self.ann, to: Self.rules)
    }
    issuer.state.withLock { $0.isSilent = false }
    let logins = Self.logins(issuer)
    _ = try await logins.person(showing: Self.ann, to: Self.rules)
    issuer.state.withLock { $0.isSilent = true }
    issuer.seconds.add(IssuerKeys.lifetime, ordering: .relaxed)
    #expect(try await logins.person(showing: Self.ann, to: Self.rules).subject == "ann")
    issuer.seconds.add(IssuerKeys.grace, ordering: .relaxed)
    await #expect(throws: UserError.issuerUnreachable) {
      _ = try await logins.person(showing: Self.ann, to: Self.rules)
    }
  }

  @Test func `a token of another issuer with the same key is refused`() async throws {
    let rules = CustomTokenRules(
      .issuer(Self.issuer), audiences: .any, fields: [], issuers: ["https://other.example"])
    await #expect(throws: UserError.refusedCredential) {
      _ = try await Self.logins(Issuer()).person(showing: Self.ann, to: rules)
    }
  }

  @Test(arguments: [
    "[]", #"{"keys":{}}"#, #"{"keys":[{"kty":"RSA","kid":"one","n":"AQAB","e":"AQAB"}]}"#,
    #"{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"RSA","use":"enc","n":"\#(modulus)","e":"AQAB"}]}"#,
  ])
  func `keys that are none are left out`(json: String) throws {
    #expect(try JSONWebKeySet(Value(json: json))?.keys.isEmpty ?? true)
  }
}
