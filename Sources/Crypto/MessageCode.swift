internal import CGatehouseOpenSSL

/// HMAC: codes by which whoever has the key knows a message again (RFC 2104).
public enum MessageCode {
  /// The code of a message.
  public static func of(_ message: [UInt8], key: [UInt8], _ digest: Digest = .sha256) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: digest.size) { output, count in
      var length: UInt32 = 0
      let result = HMAC(
        digest.algorithm, key, Int32(key.count), message, message.count, output.baseAddress, &length)
      // It can only fail where there is no memory.
      precondition(result != nil)
      count = Int(length)
    }
  }

  /// Whether `code` is the message's, compared in constant time.
  public static func isValid(
    _ code: [UInt8], for message: [UInt8], key: [UInt8], _ digest: Digest = .sha256
  ) -> Bool {
    ConstantTime.isEqual(code, of(message, key: key, digest))
  }
}
