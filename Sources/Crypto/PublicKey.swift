internal import CGatehouseOpenSSL

/// The public half of an RSA key: verifies RS256 (RFC 7518 §3.3).
public struct PublicKey: Sendable {
  private let key: RSAKey

  /// Reads a key in PEM form (`BEGIN PUBLIC KEY`). Throws ``CryptoError``.
  public init(pem: String) throws(CryptoError) {
    key = try RSAKey(pem)
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
