internal import COpenSSL

/// The private half of an RSA key: signs RS256 (RFC 7518 §3.3).
public struct PrivateKey: Sendable {
  private let key: RSAKey

  /// Of a text in PEM form that is not encrypted. Throws ``CryptoError``.
  public init(pem: String) throws(CryptoError) {
    // Nobody is at the terminal to be asked for a password.
    key = try RSAKey(pem) { PEM_read_bio_PrivateKey($0, nil, openssl_no_password, nil) }
  }

  /// The signature of a message. Throws ``CryptoError/unusableKey``.
  public func signature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
    defer { ERR_clear_error() }
    guard let context = EVP_MD_CTX_new() else { throw CryptoError.unusableKey }
    defer { EVP_MD_CTX_free(context) }
    var size = 0
    guard EVP_DigestSignInit(context, nil, Digest.sha256.algorithm, nil, key.key) == 1,
      EVP_DigestSign(context, nil, &size, message, message.count) == 1
    else { throw CryptoError.unusableKey }
    var signature = [UInt8](repeating: 0, count: size)
    guard EVP_DigestSign(context, &signature, &size, message, message.count) == 1 else {
      throw CryptoError.unusableKey
    }
    return Array(signature.prefix(size))
  }
}
