internal import Glibc

/// Formats the time of log lines: RFC 3339 in UTC with milliseconds.
///
/// It remembers the second that it last wrote, as there may be many lines in one. Whoever writes lines has one.
public struct LogClock: Sendable {
  private var second = Int.min
  /// The text up to the point before the milliseconds.
  private var text: [UInt8] = []

  public init() {}

  /// The time, in 24 bytes, to be followed by whatever belongs behind it.
  mutating func append(_ time: CalendarTime, to output: inout OutputSpan<UInt8>) {
    if time.second != second {
      second = time.second
      text = Self.text(second)
    }
    text.withUnsafeBufferPointer { output.append($0) }
    let milliseconds = time.nanoseconds / 1_000_000
    output.append(UInt8(ascii: "0") + UInt8(milliseconds / 100))
    output.append(UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10))
    output.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
    output.append(UInt8(ascii: "Z"))
  }

  private static func text(_ second: Int) -> [UInt8] {
    var second = second
    var time = tm()
    gmtime_r(&second, &time)
    let padded = { (number: Int, width: Int) in
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = [(Int(time.tm_year) + 1900, 4), (Int(time.tm_mon) + 1, 2), (Int(time.tm_mday), 2)]
    let clock = [(Int(time.tm_hour), 2), (Int(time.tm_min), 2), (Int(time.tm_sec), 2)]
    let text =
      date.map(padded).joined(separator: "-") + "T" + clock.map(padded).joined(separator: ":") + "."
    return Array(text.utf8)
  }
}
