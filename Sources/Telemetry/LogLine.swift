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
    bytes.append(addingCapacity: 40 + message.utf8CodeUnitCount) { output in
      output.append(#"","level":""#)
      output.append(level.text)
      output.append(#"","message":""#)
      output.append(message)
      output.append("\"")
    }
  }

  /// A line of now.
  public init(_ level: Level, _ message: StaticString, clock: inout LogClock) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    self.init(level, message, secondsSince1970: time.tv_sec, nanoseconds: time.tv_nsec, clock: &clock)
  }

  public mutating func append(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { value in
      let isPlain = value.isPlain
      let room = isPlain ? value.count : 6 * value.count
      bytes.append(addingCapacity: name.utf8CodeUnitCount + 6 + room) { output in
        output.append(name: name)
        output.append("\"")
        if isPlain { output.append(value) } else { output.append(escaped: value) }
        output.append("\"")
      }
    }
  }

  public mutating func append(_ name: StaticString, _ value: Int) {
    bytes.append(addingCapacity: name.utf8CodeUnitCount + 24) { output in
      output.append(name: name)
      output.append(decimal: value)
    }
  }

  /// A number in 16 hexadecimal digits, as text.
  public mutating func append(_ name: StaticString, hexadecimal value: UInt64) {
    bytes.append(addingCapacity: name.utf8CodeUnitCount + 22) { output in
      output.append(name: name)
      output.append("\"")
      var rest = value
      for _ in 0..<16 {
        output.append(hexadecimal: UInt8(truncatingIfNeeded: rest >> 60))
        rest <<= 4
      }
      output.append("\"")
    }
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
    bytes.append(addingCapacity: text.utf8CodeUnitCount) { $0.append(text) }
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

// Parts of a line, for which there is room.
extension OutputSpan<UInt8> {
  @inline(__always)
  fileprivate mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  fileprivate mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    withUnsafeMutableBufferPointer { buffer, count in
      precondition(buffer.count - count >= text.count)
      if let start = buffer.baseAddress, let source = text.baseAddress {
        (start + count).initialize(from: source, count: text.count)
      }
      count += text.count
    }
  }

  @inline(__always)
  fileprivate mutating func append(name: StaticString) {
    append(",\"")
    append(name)
    append("\":")
  }

  fileprivate mutating func append(hexadecimal digit: UInt8) {
    append(digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
  }

  fileprivate mutating func append(decimal value: Int) {
    if value < 0 { append("-") }
    append(decimal: value.magnitude)
  }

  private mutating func append(decimal value: UInt) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// The content of a JSON string (RFC 8259 §7).
  fileprivate mutating func append(escaped text: UnsafeBufferPointer<UInt8>) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append("\\")
        append(byte)
      case ..<0x20:
        append("\\u00")
        append(hexadecimal: byte >> 4)
        append(hexadecimal: byte & 15)
      default: append(byte)
      }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether nothing is to be escaped in a JSON string. All bytes are looked at, for that is done many at a time.
  fileprivate var isPlain: Bool {
    var special: UInt8 = 0
    for byte in self {
      special |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    }
    return special == 0
  }
}
