/// FNV-1a, in 64 bits: a hash of few instructions, for tables that don't depend on its being a good one.
struct TextHash {
  private static let prime: UInt64 = 0x0000_0100_0000_01B3
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds a text, or that there is none.
  mutating func add(_ text: String?) {
    guard let text else { return add(0xFE) }
    let bytes = text.utf8Span.span
    for index in bytes.indices { add(bytes[index]) }
    // Where it ends: no byte of UTF-8.
    add(0xFF)
  }

  /// Adds a number, in one step.
  mutating func add(_ number: Int) {
    value = (value ^ UInt64(truncatingIfNeeded: number)) &* Self.prime
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* Self.prime
  }
}
