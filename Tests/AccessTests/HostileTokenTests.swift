import GatehouseBSON
import GatehouseCrypto
import GatehouseSeeded
import Testing

@testable import GatehouseAccess

/// Tokens that are signed as they should be, and say what should not be believed.
@Suite struct HostileTokenTests {
  private static let now: Int64 = 1_700_000_000
  private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let rules = CustomTokenRules(
    keys: [.secret(secret)], audiences: .any, fields: [])

  private static func token(_ header: String, _ claims: String) -> String {
    let parts = [header, claims].map { Base64.encode(Array($0.utf8), as: .urlSafe) }.joined(separator: ".")
    let signature = MessageCode.of(Array(parts.utf8), key: secret)
    return "\(parts).\(Base64.encode(signature, as: .urlSafe))"
  }

  private static func isBelieved(_ header: String, _ claims: String) -> Bool {
    rules.accept(token(header, claims), at: Date(seconds: now)) != nil
  }

  @Test(arguments: [
    (#"["a","b","a"]"#, ["a", "b"]), (#""a  b a""#, ["a", "b"]), ("[]", []), (#""""#, []), ("null", []),
    (#"["a",1]"#, nil), ("1", nil), ("{}", nil), (#"[["a"]]"#, nil), (#"["a b"]"#, ["a b"]),
    ("[\((1...100).map { "\"r\($0)\"" }.joined(separator: ","))]", (1...100).map { "r\($0)" }),
    ("[\((1...101).map { "\"r\($0)\"" }.joined(separator: ","))]", nil),
  ])
  func `roles are texts, and not too many`(claim: String, roles: [String]?) {
    let rules = CustomTokenRules(
      keys: [.secret(Self.secret)], audiences: .any, fields: [],
      rolesClaim: "realm_access.roles")
    let claims = #"{"sub":"ann","exp":1800000000,"realm_access":{"roles":\#(claim)}}"#
    #expect(rules.accept(Self.token(Self.header, claims), at: Date(seconds: Self.now))?.roles == roles)
    #expect(
      rules.accept(Self.token(Self.header, Self.claims), at: Date(seconds: Self.now))?.roles == [])
    #expect(Self.rules.accept(Self.token(Self.header, claims), at: Date(seconds: Self.now))?.roles == [])
  }

  private static let header = #"{"alg":"HS256"}"#
  private static let claims = #"{"sub":"ann","exp":1700000001}"#

  @Test(arguments: [
    (header, true), (#"{"typ":"JWT","alg":"HS256","kid":"x"}"#, true), ("{}", false),
    (#"{"alg":"none"}"#, false), (#"{"alg":"hs256"}"#, false), (#"{"alg":"HS512"}"#, false),
    (#"{"alg":"RS256"}"#, false), (#"{"alg":["HS256"]}"#, false), (#"{"alg":null}"#, false),
    (#"{"alg":"HS256","alg":"HS256"}"#, false), (#"{"alg":"none","alg":"HS256"}"#, false),
    (#"{"alg":"HS256","crit":["x"],"x":1}"#, false), (#"{"alg":"HS256","crit":[]}"#, false),
    (#"{"alg":"HS256","crit":null}"#, false), (#"{"alg":"HS256","crit":["exp"]}"#, false),
    (#"{"alg":"HS256","b64":false}"#, false), (#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, false),
    (#"{"alg":"HS256","jwk":{"k":1,"k":2}}"#, false), ("[]", false), ("", false), (#""HS256""#, false),
    (#"{"alg":{"$symbol":"HS256"}}"#, false), ("{\"alg\":\"HS256\"}}", false), (" {\"alg\":\"HS256\"}", true),
    (#"{"\u0061lg":"HS256"}"#, true), (#"{"alg":"HS256","\u0061lg":"none"}"#, false),
  ])
  func `a header is understood, or the token is not believed`(header: String, isGood: Bool) {
    #expect(Self.isBelieved(header, Self.claims) == isGood)
  }

  @Test(arguments: [
    (claims, true), (#"{"sub":"ann","exp":1700000000}"#, false),
    (#"{"sub":"ann","exp":1700000000.9}"#, false),
    (#"{"sub":"ann","exp":1700000001.5}"#, true), (#"{"sub":"ann","exp":1.7e9}"#, false),
    (#"{"sub":"ann","exp":1.8e9}"#, true), (#"{"sub":"ann","exp":"1800000000"}"#, false),
    (#"{"sub":"ann","exp":null}"#, false), (#"{"sub":"ann","exp":true}"#, false),
    (#"{"sub":"ann","exp":[1800000000]}"#, false), (#"{"sub":"ann","exp":-1}"#, false),
    (#"{"sub":"ann","exp":253402300799}"#, true), (#"{"sub":"ann","exp":253402300800}"#, false),
    (#"{"sub":"ann","exp":9223372036854775807}"#, false),
    (#"{"sub":"ann","exp":9223372036854775808}"#, false),
    (#"{"sub":"ann","exp":1e300}"#, false), (#"{"sub":"ann","exp":1e999}"#, false),
    (#"{"sub":"ann","exp":{"$numberLong":"1800000000"}}"#, false), (#"{"sub":"ann"}"#, false),
    (#"{"sub":"ann","exp":1800000000,"exp":1800000000}"#, false),
    (#"{"sub":"ann","exp":1600000000,"exp":1800000000}"#, false),
    (#"{"sub":"ann","exp":1700000001,"nbf":1700000300}"#, true),
    (#"{"sub":"ann","exp":1800000000,"nbf":1700000301}"#, false),
    (#"{"sub":"ann","exp":1800000000,"nbf":"1600000000"}"#, false),
    (#"{"sub":"ann","exp":1800000000,"nbf":null}"#, false),
    (#"{"sub":"ann","exp":1800000000,"nbf":1e300}"#, false),
    (#"{"sub":"ann","exp":1800000000,"nbf":-5}"#, false),
    (#"{"sub":"ann","exp":1800000000,"iat":1700000300}"#, true),
    (#"{"sub":"ann","exp":1800000000,"iat":1700000301}"#, false),
    (#"{"sub":"ann","exp":1800000000,"iat":"x"}"#, false),
    (#"{"sub":"ann","exp":1800000000,"iat":1600000000.25}"#, true),
    (#"{"sub":"","exp":1800000000}"#, false), (#"{"sub":5,"exp":1800000000}"#, false),
    (#"{"sub":"a\u0000b","exp":1800000000}"#, false), (#"{"sub":"a\nb","exp":1800000000}"#, false),
    (#"{"sub":"ann","sub":"bob","exp":1800000000}"#, false),
    (#"{"sub":"ann","exp":1800000000,"user":{"a":1,"a":2}}"#, false),
    (#"{"sub":"ann","exp":1800000000,"list":[{"a":1,"a":2}]}"#, false),
    (#"{"sub":"\ud800","exp":1800000000}"#, false), (#"{"sub":"ann","exp":1800000000"#, false),
  ])
  func `claims are times and texts, or the token is not believed`(claims: String, isGood: Bool) {
    #expect(Self.isBelieved(Self.header, claims) == isGood)
  }

  @Test func `a name that is too long is nobody's`() {
    let fits = String(repeating: "a", count: 1_024)
    #expect(Self.isBelieved(Self.header, #"{"sub":"\#(fits)","exp":1800000000}"#))
    #expect(!Self.isBelieved(Self.header, #"{"sub":"\#(fits)a","exp":1800000000}"#))
  }

  /// Values of claims, and whether they stand for a time that is before, at or after now, or for none.
  private static let times: [(text: String, time: Int64?)] = [
    ("0", 0), ("1600000000", 1_600_000_000), ("1699999999.99", 1_699_999_999), ("1700000000", now),
    ("1700000030", now + 30), ("1700000060.5", now + 60), ("1700000061", now + 61), ("1.8e9", 1_800_000_000),
    ("253402300799", 253_402_300_799), ("253402300800", nil), ("1e19", nil), ("-1", nil), ("null", nil),
    ("\"1800000000\"", nil), ("{}", nil), ("true", nil),
  ]

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `a token is believed exactly when all its times are right`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var members = [#""sub":"ann""#]
    var isGood = true
    let end = Self.times.randomElement(using: &random) ?? Self.times[0]
    members.append(#""exp":\#(end.text)"#)
    isGood = end.time.map { $0 > Self.now } ?? false
    for name in ["nbf", "iat"] where Bool.random(using: &random) {
      let begin = Self.times.randomElement(using: &random) ?? Self.times[0]
      members.append(#""\#(name)":\#(begin.text)"#)
      isGood = isGood && begin.time.map { $0 <= Self.now + 300 } ?? false
    }
    if Int.random(in: 0..<5, using: &random) == 0, let twice = members.randomElement(using: &random) {
      members.append(twice)
      isGood = false
    }
    let claims = "{\(members.shuffled(using: &random).joined(separator: ","))}"
    #expect(Self.isBelieved(Self.header, claims) == isGood, "\(claims)")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a token with another bit is none`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = Array(Self.token(Self.header, Self.claims).utf8)
    let index = Int.random(in: 0..<bytes.count, using: &random)
    bytes[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
    #expect(Self.rules.accept(String(decoding: bytes, as: UTF8.self), at: Date(seconds: Self.now)) == nil)
  }

  @Test(
    arguments: [
      (UserToken.Kind.access, 0, 1_800, true), (.access, 0, 1_801, false), (.access, 300, 2_100, true),
      (.access, 301, 2_101, false), (.access, -1_000, 800, true), (.refresh, 0, 5_184_000, true),
      (.refresh, 0, 5_184_001, false), (.access, 0, 5_184_000, false),
    ] as [(UserToken.Kind, Int64, Int64, Bool)])
  func `a token of ours lasts no longer than its kind does`(
    kind: UserToken.Kind, issued: Int64, end: Int64, isGood: Bool
  ) {
    let keys = SigningKeys(at: Date(seconds: Self.now))
    let id = ObjectID(high: 0x5f00_0000_0000_0000, low: 7).description
    let text = keys.sign([
      "exp": .int64(Self.now + end), "iat": .int64(Self.now + issued), "sub": .string(id),
      "typ": .string(kind.rawValue), "baas_device_id": .string(id), "baas_domain_id": .string(keys.domain),
      kind == .access ? "iss" : "baas_id": .string(id),
    ])
    #expect((UserToken(text, signedBy: keys, at: Date(seconds: Self.now)) != nil) == isGood)
  }

  @Test(arguments: [UserToken.Kind.access, .refresh])
  func `a token of the users of another database is none, though one key signed both`(kind: UserToken.Kind) {
    var keys = SigningKeys(at: Date(seconds: Self.now))
    let id = ObjectID(high: 0x5f00_0000_0000_0000, low: 7).description
    let text = keys.sign([
      "exp": .int64(Self.now + 60), "iat": .int64(Self.now), "sub": .string(id),
      "typ": .string(kind.rawValue), "baas_device_id": .string(id), "baas_domain_id": .string(keys.domain),
      kind == .access ? "iss" : "baas_id": .string(id),
    ])
    #expect(UserToken(text, signedBy: keys, at: Date(seconds: Self.now)) != nil)
    keys.domain = id
    #expect(UserToken(text, signedBy: keys, at: Date(seconds: Self.now)) == nil)
  }
}
