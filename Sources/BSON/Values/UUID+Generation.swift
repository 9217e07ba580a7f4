extension UUID {
  /// A new identifier of version 4: all random (RFC 9562 §5.4).
  public static func random() -> UUID {
    let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    return UUID(high: high & ~0xF000 | 0x4000, low: low & (.max >> 2) | 1 << 63)
  }
}
