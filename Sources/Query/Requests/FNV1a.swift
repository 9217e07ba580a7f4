/// A hash that is the same in every process: cursors outlive the one that made them.
///
/// Source: RFC 9923, FNV-1a with 64 bits.
package struct FNV1a {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func combine(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  package mutating func combine(_ text: String) {
    combine(text.utf8Span.span)
  }

  package mutating func combine(_ bytes: [UInt8]) {
    combine(bytes.span)
  }

  package mutating func combine(_ bytes: Span<UInt8>) {
    for index in bytes.indices { combine(bytes[index]) }
  }
}
