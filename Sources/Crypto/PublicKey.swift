internal import CGatehouseOpenSSL

/// The public half of an RSA key: verifies RS256 (RFC 7518 §3.3).
public struct PublicKey: Sendable {
  private let key: RSAKey

  /// Reads a key in PEM form (`BEGIN PUBLIC KEY`). Throws ``CryptoError``.
  public init(pem: String) throws(CryptoError) {
    key = try RSAKey(pem)
  }

  /// Makes a key of its two numbers, most significant byte first, as a JSON Web Key has them (RFC 7518 §6.3.1). Throws
  /// ``CryptoError``.
  public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    key = try RSAKey(der: KeyEncoding.publicKey(modulus: modulus, exponent: exponent))
  }

  /// Whether `signature` is that of the message.
  public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, Digest.sha256.algorithm, nil, key.key) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
