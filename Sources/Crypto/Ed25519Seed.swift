internal import CGatehouseOpenSSL

/// A private key of Ed25519 (RFC 8032 §5.1.5): 32 bytes, from which everything else comes.
public struct Ed25519Seed: Sendable {
  private let bytes: [UInt8]
  /// The 32 bytes of the public key.
  public let publicKey: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 32, let key = Ed25519Seed.key(bytes) else { return nil }
    defer { EVP_PKEY_free(key) }
    var length = 32
    publicKey = [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      count = EVP_PKEY_get_raw_public_key(key, output.baseAddress, &length) == 1 ? length : 0
    }
    guard publicKey.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Returns the 64 bytes of the signature of a message.
  public func sign(_ message: [UInt8]) -> [UInt8] {
    // It can only fail where there is no memory: the key was made before.
    guard let key = Ed25519Seed.key(bytes), let context = EVP_MD_CTX_new() else {
      preconditionFailure("no memory")
    }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
    }
    precondition(EVP_DigestSignInit(context, nil, nil, nil, key) == 1)
    var length = 64
    return [UInt8](unsafeUninitializedCapacity: 64) { output, count in
      precondition(EVP_DigestSign(context, output.baseAddress, &length, message, message.count) == 1)
      count = length
    }
  }

  private static func key(_ bytes: [UInt8]) -> OpaquePointer? {
    EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
  }
}
