internal import CGatehouseOpenSSL

/// Random bytes that nobody can guess.
public enum SecureRandom {
  /// Returns `count` random bytes, from OpenSSL's generator, which the kernel seeds.
  public static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // Without random numbers there are no secrets: nothing may go on.
      precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1)
      filled = count
    }
  }
}
