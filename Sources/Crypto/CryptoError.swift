/// Why something of a client's or an operator's cannot be computed with.
public enum CryptoError: Error, Hashable, Sendable {
  /// Parameters of scrypt outside ``ScryptCost``'s bounds.
  case costOutOfBounds
  /// No key in PEM form.
  case malformedKey
  /// A key of another kind than RSA.
  case foreignKey
  /// An RSA key of fewer bits than RFC 7518 §3.3 asks for.
  case weakKey(bits: Int)
  /// OpenSSL failed.
  case unusableKey
}
