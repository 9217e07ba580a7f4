internal import CGatehouseOpenSSL

/// Hashes of passwords that are expensive to guess (RFC 7914).
public enum Scrypt {
  /// The hash of a password, of `size` bytes. It takes as long as ``ScryptCost`` says: not for an event loop.
  public static func hash(
    _ password: [UInt8], salt: [UInt8], cost: ScryptCost = .standard, size: Int = 32
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { output, count in
      let isDone = password.withUnsafeBytes { password in
        EVP_PBE_scrypt(
          password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count,
          UInt64(cost.iterations), UInt64(cost.blockSize), UInt64(cost.parallelism),
          UInt64(ScryptCost.memory + 1 << 20), output.baseAddress, size)
      }
      // The cost is within bounds: it can only fail where there is no memory.
      precondition(isDone == 1)
      count = size
    }
  }
}
