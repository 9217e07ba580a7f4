/// A hash of few instructions, for tables that don't depend on its being a good one.
struct TextHash {
  private var hash = FNV1a()

  var value: UInt64 { hash.value }

  /// Adds a text, or that there is none.
  mutating func add(_ text: String?) {
    guard let text else { return hash.combine(0xFE) }
    hash.combine(text)
    // Where it ends: no byte of UTF-8.
    hash.combine(0xFF)
  }

  /// Adds a number.
  mutating func add(_ number: Int) {
    for shift in stride(from: 0, to: 64, by: 8) { hash.combine(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
