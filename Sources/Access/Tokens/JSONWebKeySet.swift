public import GatehouseBSON
public import GatehouseCrypto

/// The public keys by which an issuer's tokens are verified: a JWK Set (RFC 7517 §5), as far as its keys are of RS256 or ES256.
public struct JSONWebKeySet: Sendable {
  /// The most keys of a set.
  public static let limit = 100

  /// A key, and the name by which tokens refer to it.
  public struct Key: Sendable {
    public let id: String?
    public let key: PublicKey
  }

  public let keys: [Key]

  /// Reads a set; keys of other kinds and uses are left out (§5). Nil: it is none.
  public init?(_ value: Value) {
    guard case .document(let document) = value, case .array(let values)? = document["keys"],
      values.count <= JSONWebKeySet.limit
    else { return nil }
    keys = values.compactMap(JSONWebKeySet.key)
  }

  private static func key(_ value: Value) -> Key? {
    guard case .document(let key) = value, key["use"]?.text ?? "sig" == "sig", let publicKey = publicKey(key),
      key["alg"]?.text ?? publicKey.algorithm.rawValue == publicKey.algorithm.rawValue
    else { return nil }
    return Key(id: key["kid"]?.text, key: publicKey)
  }

  private static func publicKey(_ key: Document) -> PublicKey? {
    switch key["kty"]?.text {
    case "RSA":
      guard let modulus = bytes(key["n"]), let exponent = bytes(key["e"]) else { return nil }
      return try? PublicKey(modulus: modulus, exponent: exponent)
    case "EC" where key["crv"]?.text == "P-256":
      guard let x = bytes(key["x"]), let y = bytes(key["y"]) else { return nil }
      return try? PublicKey(x: x, y: y)
    default: return nil
    }
  }

  private static func bytes(_ value: Value?) -> [UInt8]? {
    guard let text = value?.text, text.utf8.count <= 4_096 else { return nil }
    return Base64.decode(text, as: .urlSafe)
  }
}
