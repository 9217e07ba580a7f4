// The parts of a log line, written where there is room for them.

extension OutputSpan<UInt8> {
  /// The most bytes that a member takes beside its name and its text.
  static var memberRoom: Int { 24 }
  /// The most bytes that the start of a line takes beside the message.
  static var startRoom: Int { 72 }
  /// The most bytes that a byte of text takes.
  static var escapeRoom: Int { 6 }

  /// A text, in quotes. Room: six bytes for each of its own, and 6 beside the name.
  @inlinable
  @inline(__always)
  public mutating func append(member name: StaticString, _ text: String) {
    append(name: name)
    append("\"")
    var text = text
    text.withUTF8 { append(content: $0) }
    append("\"")
  }

  /// A number. Room: 24 bytes beside the name.
  @inlinable
  @inline(__always)
  public mutating func append(member name: StaticString, _ number: Int) {
    append(name: name)
    append(decimal: number)
  }

  /// A number in 16 hexadecimal digits, as text. Room: 22 bytes beside the name.
  @inlinable
  @inline(__always)
  public mutating func append(member name: StaticString, hexadecimal number: UInt64) {
    append(name: name)
    append("\"")
    append(hexadecimal: number)
    append("\"")
  }

  /// A number in 32 hexadecimal digits, as text. Room: 38 bytes beside the name.
  public mutating func append(member name: StaticString, hexadecimal high: UInt64, _ low: UInt64) {
    append(name: name)
    append("\"")
    append(hexadecimal: high)
    append(hexadecimal: low)
    append("\"")
  }

  /// Begins a line with time, level and what it is about, which is plain text.
  mutating func begin(
    _ level: LogLine.Level, _ message: StaticString, at time: CalendarTime, clock: inout LogClock
  ) {
    append(#"{"time":""#)
    clock.append(time, to: &self)
    append(#"","level":""#)
    append(level.text)
    append(#"","message":""#)
    append(message)
    append("\"")
  }

  @inlinable
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable
  @inline(__always)
  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    withUnsafeMutableBufferPointer { buffer, count in
      precondition(buffer.count - count >= text.count, "a line is made where there is room for it")
      if let start = buffer.baseAddress, let source = text.baseAddress {
        (start + count).initialize(from: source, count: text.count)
      }
      count += text.count
    }
  }

  @inlinable
  @inline(__always)
  mutating func append(name: StaticString) {
    append(",\"")
    append(name)
    append("\":")
  }

  /// The content of a JSON string (RFC 8259 §7).
  @usableFromInline
  mutating func append(content text: UnsafeBufferPointer<UInt8>) {
    if text.isPlain { return append(text) }
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append("\\")
        append(byte)
      case ..<0x20:
        append("\\u00")
        append(hexadecimalDigit: byte >> 4)
        append(hexadecimalDigit: byte & 15)
      default: append(byte)
      }
    }
  }

  @usableFromInline
  mutating func append(decimal number: Int) {
    if number < 0 { append("-") }
    var rest = number.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      append(UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  @usableFromInline
  mutating func append(hexadecimal number: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      for place in 0..<16 {
        digits[place] = Self.digit(UInt8(truncatingIfNeeded: number >> (60 - 4 * UInt64(place))) & 15)
      }
      append(UnsafeBufferPointer(digits))
    }
  }

  private mutating func append(hexadecimalDigit value: UInt8) {
    append(Self.digit(value))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }
}

extension LogLine.Level {
  fileprivate var text: StaticString {
    switch self {
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether nothing is to be escaped in a JSON string. All bytes are looked at, for that is done many at a time.
  var isPlain: Bool {
    var special: UInt8 = 0
    for byte in self {
      special |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    }
    return special == 0
  }
}
