extension UUID {
  /// A new identifier of version 4: all random (RFC 9562 §5.4).
  public static func random() -> UUID {
    UUID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).tagged(version: 4)
  }

  /// A new identifier of version 7: milliseconds, then random (RFC 9562 §5.7).
  public static func timeOrdered(at date: Date = .now) -> UUID {
    let time = UInt64(bitPattern: date.milliseconds) << 16
    let random = UInt64.random(in: 0..<1 << 16)
    return UUID(high: time | random, low: .random(in: .min ... .max)).tagged(version: 7)
  }

  private func tagged(version: UInt64) -> UUID {
    UUID(high: high & ~0xF000 | version << 12, low: low & (.max >> 2) | 1 << 63)
  }
}
