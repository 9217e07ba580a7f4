public import GatehouseBSON
import GatehouseCrypto

/// The secrets that users' tokens are signed with: the present one, and earlier ones whose tokens have not expired.
public struct SigningKeys: Hashable, Sendable {
  private struct Key: Hashable {
    let id: String
    let secret: [UInt8]
    let created: Date
  }

  /// Seconds for which a key signs.
  public static let period: Int64 = 30 * 24 * 60 * 60

  /// The domain of the users whose tokens they sign, which is no part of the record.
  public var domain = UserToken.domain
  /// The keys, the present one first.
  private var keys: [Key]

  /// No keys yet.
  public init() { keys = [] }

  /// Makes the first key.
  public init(at now: Date) {
    keys = []
    rotate(at: now)
  }

  public var isEmpty: Bool { keys.isEmpty }

  /// Whether the present key has signed long enough, or there is none.
  public func areDue(at now: Date) -> Bool {
    keys.first.map { now.seconds - $0.created.seconds >= SigningKeys.period } ?? true
  }

  /// Makes a new key, and drops those whose tokens have all expired.
  public mutating func rotate(at now: Date) {
    let key = Key(id: ObjectID.generate().description, secret: SecureRandom.bytes(32), created: now)
    keys =
      [key]
      + keys.filter {
        now.seconds - $0.created.seconds < SigningKeys.period + UserToken.Kind.refresh.lifetime
      }
  }

  /// Returns a signed token with the claims.
  func sign(_ claims: Document) -> String {
    precondition(!keys.isEmpty, "one key is the present one")
    return JSONWebToken.sign(claims, with: keys[0].secret, keyID: keys[0].id)
  }

  /// Whether one of the keys signed the text, which may be an expired token.
  public func haveSigned(_ text: String) -> Bool {
    JSONWebToken(text).map { haveSigned($0) } ?? false
  }

  /// Whether one of the keys signed the token.
  func haveSigned(_ token: JSONWebToken) -> Bool {
    guard let key = keys.first(where: { $0.id == token.keyID }) else { return false }
    return token.isSigned(by: key.secret)
  }

  /// The keys as stored.
  public var record: Document {
    [
      "keys": .array(
        keys.map { key in
          .document([
            "id": .string(key.id), "secret": .binary(Binary(bytes: key.secret)),
            "created": .date(key.created),
          ])
        })
    ]
  }

  /// Reads stored keys; nil if the document holds none.
  public init?(record: Document) {
    guard case .array(let values)? = record["keys"], !values.isEmpty else { return nil }
    var keys: [Key] = []
    for value in values {
      guard case .document(let key) = value, let id = key["id"]?.text,
        case .binary(let secret)? = key["secret"], case .date(let created)? = key["created"]
      else { return nil }
      keys.append(Key(id: id, secret: secret.bytes, created: created))
    }
    self.keys = keys
  }
}
