internal import CGatehouseOpenSSL

/// A public key as OpenSSL has it.
///
/// @unchecked Sendable: Because OpenSSL counts references to keys atomically, and a key is not changed once it is
/// made.
final class KeyHandle: @unchecked Sendable {
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
    self.init(owning: key)
  }

  /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1).
  convenience init(der bytes: [UInt8]) throws(CryptoError) {
    defer { ERR_clear_error() }
    let read: OpaquePointer? = bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_PUBKEY(nil, &start, buffer.count)
    }
    guard let read else { throw CryptoError.malformedKey }
    self.init(owning: read)
  }

  private init(owning key: OpaquePointer) { self.key = key }

  deinit {
    EVP_PKEY_free(key)
  }

  /// Throws ``CryptoError`` where the key is none for that algorithm.
  func require(_ algorithm: PublicKey.Algorithm) throws(CryptoError) {
    switch algorithm {
    case .rs256:
      guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else { throw CryptoError.foreignKey }
      let bits = Int(EVP_PKEY_get_bits(key))
      guard bits >= KeyHandle.leastBits else { throw CryptoError.weakKey(bits: bits) }
    case .es256:
      guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC, curve == "prime256v1" else {
        throw CryptoError.foreignKey
      }
    }
  }

  /// OpenSSL's name of the curve of the key.
  private var curve: String {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    let isNamed = EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
    defer { ERR_clear_error() }
    return isNamed ? String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
  }
}
