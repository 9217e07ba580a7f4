/// The hashes by which entries of an ``ObjectCache`` are found.
enum CacheHash {
  static func of(_ table: Int, _ value: UInt64) -> UInt64 {
    mix(mix(value) ^ UInt64(truncatingIfNeeded: table))
  }

  static func of(_ table: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = of(table, UInt64(bytes.count))
    var start = 0
    while start < bytes.count {
      var word: UInt64 = 0
      for byte in bytes[start..<min(start + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
      hash = mix(hash ^ word)
      start += 8
    }
    return hash
  }

  /// The finaliser of MurmurHash3: each bit of the input changes half of those of the result.
  private static func mix(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
    value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return value ^ value >> 33
  }
}
