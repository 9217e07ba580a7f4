import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import Testing

@Suite struct TokenTests {
  private let start = Date(seconds: 1_700_000_000)
  private let user = ObjectID(high: 0x5f00_0000_0000_0000, low: 7)

  private func token(_ kind: UserToken.Kind) -> UserToken {
    UserToken(kind, of: Session(of: user, device: nil, at: start), at: start)
  }

  @Test(arguments: [UserToken.Kind.access, .refresh])
  func `a token that is read is the one that was signed`(kind: UserToken.Kind) {
    let keys = SigningKeys(at: start)
    let token = token(kind)
    #expect(UserToken(token.text(signedBy: keys), signedBy: keys, at: start) == token)
  }

  @Test func `a token has the claims that clients read`() throws {
    let text = token(.access).text(signedBy: SigningKeys(at: start))
    let parsed = try #require(JSONWebToken(text))
    #expect(parsed.claims["sub"] == .string(user.description))
    #expect(parsed.claims["typ"] == .string("access"))
    #expect(parsed.claims["exp"] == .int32(1_700_001_800) && parsed.claims["iat"] == .int32(1_700_000_000))
    #expect(parsed.claims["user_data"] == nil)
  }

  @Test(arguments: [(0, true), (1799, true), (1800, false), (5_000_000, false)] as [(Int64, Bool)])
  func `an access token is good for half an hour`(age: Int64, isGood: Bool) {
    let keys = SigningKeys(at: start)
    let text = token(.access).text(signedBy: keys)
    let found = UserToken(text, signedBy: keys, at: Date(seconds: start.seconds + age))
    #expect((found != nil) == isGood)
  }

  @Test func `a token of others, or one that was changed, is none`() {
    let keys = SigningKeys(at: start)
    let text = token(.access).text(signedBy: keys)
    #expect(UserToken(text, signedBy: SigningKeys(at: start), at: start) == nil)
    let parts = text.split(separator: ".").map(String.init)
    let none = Base64.encode(Array(#"{"alg":"none"}"#.utf8), as: .urlSafe)
    for changed in [
      "\(none).\(parts[1]).\(parts[2])", "\(none).\(parts[1]).", "\(parts[0]).\(parts[1])",
      "\(parts[0]).\(parts[1]).\(parts[0])", text + ".x", text + "=", "", "..", String(text.dropLast(2)),
    ] {
      #expect(UserToken(changed, signedBy: keys, at: start) == nil, "\(changed)")
    }
  }

  /// A token of such claims, signed with the key that `keys` sign with: what somebody makes who has the file.
  private func forged(
    _ kind: UserToken.Kind, issued: Int64, end: Int64, by keys: SigningKeys
  ) throws -> String {
    guard case .array(let stored)? = keys.record["keys"], case .document(let key) = stored[0],
      case .string(let id)? = key["id"], case .binary(let secret)? = key["secret"]
    else { throw CryptoError.malformedKey }
    let claims: Document = [
      "exp": .int64(end), "iat": .int64(issued), "sub": .string(user.description),
      "typ": .string(kind.rawValue),
      "baas_device_id": .string(user.description), "iss": .string(user.description),
      "baas_id": .string(user.description), "baas_domain_id": .string(keys.domain),
    ]
    let header: Document = ["alg": .string("HS256"), "typ": .string("JWT"), "kid": .string(id)]
    let message = [header, claims].map { Base64.encode(Value.document($0).plainJSON, as: .urlSafe) }
      .joined(separator: ".")
    let signature = MessageCode.of(Array(message.utf8), key: secret.bytes)
    return "\(message).\(Base64.encode(signature, as: .urlSafe))"
  }

  @Test(arguments: [UserToken.Kind.access, .refresh])
  func `a token that is good for longer than ours is none, though signed`(kind: UserToken.Kind) throws {
    let keys = SigningKeys(at: start)
    let (now, lifetime) = (start.seconds, kind.lifetime)
    for (issued, end, isGood) in [
      (now, now + lifetime, true), (now - 5, now + 5, true), (now + 300, now + 300 + lifetime, true),
      (now, now + lifetime + 1, false), (now, .max, false), (.min, .max, false), (.min, now + 1, false),
      (now + 301, now + 301 + lifetime, false), (now + 1_000_000, now + 1_000_000 + lifetime, false),
    ] as [(Int64, Int64, Bool)] {
      let text = try forged(kind, issued: issued, end: end, by: keys)
      #expect((UserToken(text, signedBy: keys, at: start) != nil) == isGood, "\(issued) \(end)")
    }
  }

  @Test func `keys are replaced, and old tokens stay good as long as they said`() throws {
    var keys = SigningKeys(at: start)
    let text = token(.refresh).text(signedBy: keys)
    #expect(!keys.areDue(at: Date(seconds: start.seconds + SigningKeys.period - 1)))
    let later = Date(seconds: start.seconds + SigningKeys.period)
    #expect(keys.areDue(at: later))
    keys.rotate(at: later)
    let stored = try #require(SigningKeys(record: keys.record))
    #expect(stored == keys)
    #expect(UserToken(text, signedBy: stored, at: later) != nil)
    let end = Date(seconds: start.seconds + SigningKeys.period + UserToken.Kind.refresh.lifetime)
    keys.rotate(at: end)
    #expect(UserToken(text, signedBy: keys, at: start) == nil)
  }

  @Test func `a password is known again, and no other is`() throws {
    let cost = try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1)
    let hash = PasswordHash(of: "päss wörd", cost: cost)
    #expect(
      try hash.matches("päss wörd") && !hash.matches("pass word") && !hash.matches(""))
    #expect(PasswordHash(of: "päss wörd", cost: cost) != hash)
    var account = PasswordAccount(email: "A@b.example", password: hash, isConfirmed: false)
    let (token, id) = account.expect(.confirm, at: start)
    var stored = try #require(PasswordAccount(record: account.record))
    #expect(stored == account && !"\(account.record)".contains(token.dropFirst(24)))
    let late = Date(seconds: start.seconds + 1_800)
    let accepted = [
      stored.accept(token, id, for: .reset, at: start), stored.accept(token, id, for: .confirm, at: late),
      stored.accept(token, id, for: .confirm, at: start), stored.accept(token, id, for: .confirm, at: start),
    ]
    #expect(accepted == [false, false, true, false] && stored.isConfirmed)
  }
}
