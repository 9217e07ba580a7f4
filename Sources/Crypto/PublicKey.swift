internal import CGatehouseOpenSSL

/// The public half of a key: verifies RS256 (RFC 7518 §3.3) or ES256 (§3.4).
public struct PublicKey: Sendable {
  /// The algorithm that a key is for, by its name in tokens (RFC 7518 §3.1).
  public enum Algorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
  }

  public let algorithm: Algorithm
  private let handle: KeyHandle

  /// Reads a key in PEM form (`BEGIN PUBLIC KEY`). Throws ``CryptoError``.
  public init(pem: String, for algorithm: Algorithm) throws(CryptoError) {
    try self.init(try KeyHandle(pem), for: algorithm)
  }

  /// Makes an RSA key of its two numbers, most significant byte first, as a JSON Web Key has them (RFC 7518 §6.3.1). Throws
  /// ``CryptoError``.
  public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    let der = KeyEncoding.publicKey(modulus: modulus, exponent: exponent)
    try self.init(try KeyHandle(der: der), for: .rs256)
  }

  /// Makes a key on the curve P-256 of the coordinates of its point, 32 bytes each (RFC 7518 §6.2.1). Throws ``CryptoError``.
  public init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == 32, y.count == 32 else { throw .malformedKey }
    try self.init(try KeyHandle(der: KeyEncoding.publicKey(x: x, y: y)), for: .es256)
  }

  private init(_ handle: KeyHandle, for algorithm: Algorithm) throws(CryptoError) {
    try handle.require(algorithm)
    (self.handle, self.algorithm) = (handle, algorithm)
  }

  /// Whether `signature` is that of the message.
  public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    switch algorithm {
    case .rs256: return verifies(signature, message)
    case .es256:
      // Two numbers of 32 bytes, where OpenSSL reads DER.
      guard signature.count == 64 else { return false }
      return verifies(
        KeyEncoding.signature(Array(signature[..<32]), Array(signature[32...])), message)
    }
  }

  private func verifies(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, Digest.sha256.algorithm, nil, handle.key) == 1 else {
      return false
    }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
