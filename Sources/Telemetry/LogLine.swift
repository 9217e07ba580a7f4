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
    bytes += #"{"time":""#.utf8
    clock.append(secondsSince1970, nanoseconds, to: &bytes)
    bytes += #"","level":""#.utf8
    bytes += level.rawValue.utf8
    bytes += #"","message":""#.utf8
    bytes += UnsafeBufferPointer(start: message.utf8Start, count: message.utf8CodeUnitCount)
    bytes.append(UInt8(ascii: "\""))
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
    bytes += String(value).utf8
  }

  /// The line with its line feed.
  public var line: [UInt8] {
    var line: [UInt8] = []
    finish(into: &line)
    return line
  }

  /// Puts the line with its line feed behind others.
  public func finish(into lines: inout [UInt8]) {
    lines += bytes
    lines.append(UInt8(ascii: "}"))
    lines.append(UInt8(ascii: "\n"))
  }

  private mutating func appendName(_ name: StaticString) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    bytes += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// A JSON string (RFC 8259 §7).
  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case ..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
