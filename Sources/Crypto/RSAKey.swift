internal import CGatehouseOpenSSL

/// A public key of RSASSA-PKCS1-v1_5, by which RS256 (RFC 7518 §3.3) signs.
///
/// @unchecked Sendable: Because OpenSSL counts references to keys atomically, and a key is not changed once it is
/// made.
final class RSAKey: @unchecked Sendable {
  /// RFC 7518 §3.3: "a key of size 2048 bits or larger MUST be used".
  static let leastBits = 2_048
  let key: OpaquePointer

  /// Reads a key in PEM form.
  convenience init(_ text: String) throws(CryptoError) {
    // OpenSSL's queue of errors is the thread's: one left there would be taken for a connection's.
    defer { ERR_clear_error() }
    let bytes = Array(text.utf8)
    guard let memory = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count)) else {
      throw CryptoError.unusableKey
    }
    defer { BIO_free(memory) }
    guard let key = PEM_read_bio_PUBKEY(memory, nil, nil, nil) else { throw CryptoError.malformedKey }
    try self.init(owning: key)
  }

  /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1).
  convenience init(der bytes: [UInt8]) throws(CryptoError) {
    defer { ERR_clear_error() }
    let read: OpaquePointer? = bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_PUBKEY(nil, &start, buffer.count)
    }
    guard let read else { throw CryptoError.malformedKey }
    try self.init(owning: read)
  }

  private init(owning key: OpaquePointer) throws(CryptoError) {
    self.key = key
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else { throw CryptoError.foreignKey }
    let bits = Int(EVP_PKEY_get_bits(key))
    guard bits >= RSAKey.leastBits else { throw CryptoError.weakKey(bits: bits) }
  }

  deinit {
    EVP_PKEY_free(key)
  }
}
