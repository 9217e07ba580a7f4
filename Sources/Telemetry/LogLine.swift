internal import Glibc

/// One JSON object on a line of its own.
public struct LogLine: Sendable {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  /// How much somebody should care.
  public enum Level: String, Sendable {
    case info
    case warning
    case error
  }

  /// Begins a line with time, level and what it is about.
  public init(_ level: Level, _ message: String, secondsSince1970: Int, nanoseconds: Int) {
    append("time", Self.text(secondsSince1970, nanoseconds))
    append("level", level.rawValue)
    append("message", message)
  }

  /// A line of now.
  public init(_ level: Level, _ message: String) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    self.init(level, message, secondsSince1970: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  public mutating func append(_ name: String, _ value: String) {
    appendName(name)
    appendQuoted(value)
  }

  public mutating func append(_ name: String, _ value: Int) {
    appendName(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  /// The line with its line feed.
  public var line: [UInt8] { bytes + [UInt8(ascii: "}"), UInt8(ascii: "\n")] }

  private mutating func appendName(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// A JSON string (RFC 8259 §7).
  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case ..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// RFC 3339 in UTC with milliseconds.
  private static func text(_ seconds: Int, _ nanoseconds: Int) -> String {
    var seconds = seconds
    var time = tm()
    gmtime_r(&seconds, &time)
    let padded = { (number: Int, width: Int) in
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = [(Int(time.tm_year) + 1900, 4), (Int(time.tm_mon) + 1, 2), (Int(time.tm_mday), 2)]
    let clock = [(Int(time.tm_hour), 2), (Int(time.tm_min), 2), (Int(time.tm_sec), 2)]
    return date.map(padded).joined(separator: "-") + "T" + clock.map(padded).joined(separator: ":") + "."
      + padded(nanoseconds / 1_000_000, 3) + "Z"
  }
}
