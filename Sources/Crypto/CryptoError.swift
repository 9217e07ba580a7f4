/// The reason why a client's or an operator's input cannot be used.
public enum CryptoError: Error, Hashable, Sendable {
  /// The parameters of scrypt are outside ``ScryptCost``'s bounds.
  case costOutOfBounds
  /// The text is no key in PEM form.
  case malformedKey
  /// The key is of another kind than the algorithm takes.
  case foreignKey
  /// The RSA key has fewer bits than RFC 7518 §3.3 asks for.
  case weakKey(bits: Int)
  /// The system has not the library that compares with such a hash.
  case missingLibrary(String)
  /// OpenSSL failed.
  case unusableKey
}
