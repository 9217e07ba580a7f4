internal import CGatehouseOpenSSL

/// AES-256-GCM (NIST SP 800-38D): messages that nobody can read, or make, who lacks the key.
///
/// A sealed message is a random nonce of 12 bytes, the tag of 16, and the ciphertext. A key is good for 2^32 messages.
public struct MessageSeal: Sendable {
  /// The bytes of a key.
  public static let keySize = 32
  private static let nonceSize = 12
  private static let tagSize = 16
  private let key: [UInt8]

  /// Nil: the key has another size.
  public init?(key: [UInt8]) {
    guard key.count == Self.keySize else { return nil }
    self.key = key
  }

  /// Returns the message, sealed.
  public func seal(_ message: [UInt8]) -> [UInt8] {
    let nonce = SecureRandom.bytes(Self.nonceSize)
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    var tag = [UInt8](repeating: 0, count: Self.tagSize)
    var isDone = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
    let text = [UInt8](unsafeUninitializedCapacity: message.count) { output, count in
      var (length, rest): (Int32, Int32) = (0, 0)
      isDone =
        isDone && EVP_EncryptUpdate(context, output.baseAddress, &length, message, Int32(message.count)) == 1
      isDone = isDone && EVP_EncryptFinal_ex(context, nil, &rest) == 1
      count = Int(length)
    }
    isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), &tag) == 1
    // It can only fail where there is no memory.
    precondition(isDone)
    return nonce + tag + text
  }

  /// Returns the message; nil where it was not sealed with the key.
  public func open(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
    let nonce = Array(sealed[..<Self.nonceSize])
    var tag = Array(sealed[Self.nonceSize..<Self.nonceSize + Self.tagSize])
    let text = Array(sealed[(Self.nonceSize + Self.tagSize)...])
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    var isValid = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
    let message = [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
      var length: Int32 = 0
      isValid =
        isValid && EVP_DecryptUpdate(context, output.baseAddress, &length, text, Int32(text.count)) == 1
      count = Int(length)
    }
    var rest: Int32 = 0
    isValid = isValid && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag) == 1
    isValid = isValid && EVP_DecryptFinal_ex(context, nil, &rest) == 1
    return isValid ? message : nil
  }
}
