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
    _ level: Level, _ message: StaticString, at time: CalendarTime = .now(), clock: inout LogClock
  ) {
    bytes.append(addingCapacity: OutputSpan<UInt8>.startRoom + message.utf8CodeUnitCount) { output in
      output.begin(level, message, at: time, clock: &clock)
    }
  }

  public mutating func append(_ name: StaticString, _ value: String) {
    var value = value
    let room = value.withUTF8 { $0.isPlain ? $0.count : OutputSpan<UInt8>.escapeRoom * $0.count }
    append(name, room: room) { $0.append(member: name, value) }
  }

  public mutating func append(_ name: StaticString, _ value: Int) {
    append(name) { $0.append(member: name, value) }
  }

  private mutating func append(
    _ name: StaticString, room: Int = 0, _ member: (inout OutputSpan<UInt8>) -> Void
  ) {
    let room = name.utf8CodeUnitCount + OutputSpan<UInt8>.memberRoom + room
    bytes.append(addingCapacity: room) { output in member(&output) }
  }

  /// The line with its line feed.
  public var line: [UInt8] { bytes + Array("}\n".utf8) }
}
