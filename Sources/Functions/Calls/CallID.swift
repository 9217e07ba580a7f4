internal import GatehouseBSON

/// The random identifier of a call, different from that of earlier calls, whose code may still be running. What an
/// earlier call was told is of no use in a later one.
struct CallID: Hashable, Sendable {
  static let size = 16
  /// The identifier of messages that belong to no call.
  static let none = CallID(high: 0, low: 0)

  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init() {
    self.init(high: .random(in: 1 ... .max), low: .random(in: 0 ... .max))
  }

  /// Makes an identifier of its bytes, exactly ``size`` of them.
  init(_ bytes: some Collection<UInt8>) {
    precondition(bytes.count == CallID.size, "an identifier has so many bytes")
    self.init(
      high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Makes an identifier of its hexadecimal digits; nil if the text has others.
  init?(text: some Collection<UInt8>) {
    guard text.count == 2 * CallID.size else { return nil }
    let halves = Array(text).withUnsafeBufferPointer { digits in
      (Hexadecimal.word(digits, from: 0, count: 16), Hexadecimal.word(digits, from: 16, count: 16))
    }
    guard case (let high?, let low?) = halves else { return nil }
    self.init(high: high, low: low)
  }

  var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }

  /// The hexadecimal digits, as programs see them.
  var text: String { Hexadecimal.text(of: bytes) }
}
