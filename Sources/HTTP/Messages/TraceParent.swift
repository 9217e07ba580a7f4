/// The place of a request in a trace, as its client names it in `traceparent` (W3C Trace Context §3.2).
public struct TraceParent: Hashable, Sendable {
  /// 16 bytes, of which one at least is not 0.
  public let trace: Identifier
  /// Names the part of the trace in which the client sent the request; not 0.
  public let span: UInt64
  /// Whether the client records the trace.
  public let isSampled: Bool

  /// The identifier of a trace.
  public struct Identifier: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
      (self.high, self.low) = (high, low)
    }
  }

  public init(trace: Identifier, span: UInt64, isSampled: Bool) {
    (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
  }

  /// Reads `00-<32 hexadecimal digits>-<16>-<2>`; later versions may have more behind it. Nil: that is none, and the field means
  /// nothing.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Self.number(parts[0], digits: 2), version != 0xff,
      version != 0 || parts.count == 4, parts[1].count == 32,
      let high = Self.number(parts[1].prefix(16), digits: 16),
      let low = Self.number(parts[1].suffix(16), digits: 16),
      let span = Self.number(parts[2], digits: 16), let flags = Self.number(parts[3], digits: 2),
      high | low != 0, span != 0
    else { return nil }
    (trace, self.span, isSampled) = (Identifier(high: high, low: low), span, flags & 1 == 1)
  }

  /// Upper-case digits are none here.
  private static func number(_ text: Substring.UTF8View, digits: Int) -> UInt64? {
    guard text.count == digits else { return nil }
    var number: UInt64 = 0
    for byte in text {
      guard let digit = byte.hexadecimalDigit, byte == byte.lowercased else { return nil }
      number = number << 4 | UInt64(digit)
    }
    return number
  }
}
