internal import Glibc

/// One JSON object on a line of its own.
public struct LogLine: Sendable {
  private var bytes: [UInt8] = []

  /// How much somebody should care.
  public enum Level: String, Sendable {
    case info
    case warning
    case error
  }

  /// Begins a line with time, level and what it is about, which is plain text.
  public init(
    _ level: Level, _ message: StaticString, secondsSince1970: Int, nanoseconds: Int, clock: inout LogClock
  ) {
    bytes.reserveCapacity(256)
    begin(level, message, secondsSince1970, nanoseconds, &clock)
  }

  /// A line of now behind others, which are here until ``finish(into:)``: so the line has no memory of its own.
  public init(_ level: Level, _ message: StaticString, clock: inout LogClock, after lines: inout [UInt8]) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    swap(&bytes, &lines)
    begin(level, message, time.tv_sec, time.tv_nsec, &clock)
  }

  private mutating func begin(
    _ level: Level, _ message: StaticString, _ second: Int, _ nanoseconds: Int, _ clock: inout LogClock
  ) {
    append(#"{"time":""#)
    clock.append(second, nanoseconds, to: &bytes)
    append(#"","level":""#)
    bytes += level.rawValue.utf8
    append(#"","message":""#)
    append(message)
    append("\"")
  }

  /// A line of now.
  public init(_ level: Level, _ message: StaticString, clock: inout LogClock) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    self.init(level, message, secondsSince1970: time.tv_sec, nanoseconds: time.tv_nsec, clock: &clock)
  }

  public mutating func append(_ name: StaticString, _ value: String) {
    appendName(name)
    appendQuoted(value)
  }

  public mutating func append(_ name: StaticString, _ value: Int) {
    appendName(name)
    appendDecimal(value)
  }

  /// A number in 16 hexadecimal digits, as text.
  public mutating func append(_ name: StaticString, hexadecimal value: UInt64) {
    appendName(name)
    append("\"")
    for place in 1...16 {
      bytes.append(Self.digit(UInt8(truncatingIfNeeded: value >> UInt64(64 - 4 * place) & 15)))
    }
    append("\"")
  }

  /// The line with its line feed.
  public var line: [UInt8] {
    var (line, lines) = (self, [UInt8]())
    line.finish(into: &lines)
    return lines
  }

  /// Puts the line with its line feed behind others, and is empty.
  ///
  /// It changes the value, and does not consume it: a copy that is consumed would be one of all lines before.
  public mutating func finish(into lines: inout [UInt8]) {
    append("}\n")
    if lines.isEmpty { swap(&bytes, &lines) } else { lines += bytes }
    bytes = []
  }

  private mutating func append(_ text: StaticString) {
    bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  private mutating func appendName(_ name: StaticString) {
    append(",\"")
    append(name)
    append("\":")
  }

  private mutating func appendDecimal(_ value: Int) {
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    if value < 0 { append("-") }
    // In place, which a slice is not.
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// A JSON string (RFC 8259 §7).
  private mutating func appendQuoted(_ text: String) {
    append("\"")
    var text = text
    text.withUTF8 { text in
      if text.contains(where: Self.isEscaped) { appendEscaped(text) } else { bytes += text }
    }
    append("\"")
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case ..<0x20:
        append("\\u00")
        bytes += [Self.digit(byte >> 4), Self.digit(byte & 15)]
      default: bytes.append(byte)
      }
    }
  }
}
