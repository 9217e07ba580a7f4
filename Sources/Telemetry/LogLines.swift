/// The lines that a thread has written and nobody has taken yet, one behind the other: a line takes no memory of its own,
/// and looks for room once.
public struct LogLines: Sendable {
  private var bytes: [UInt8] = []
  private var clock = LogClock()

  public init() {}

  /// In bytes.
  public var count: Int { bytes.count }

  public var isEmpty: Bool { bytes.isEmpty }

  /// Adds a line; `members` has so many bytes of room for what it writes behind the message.
  @inline(__always)
  public mutating func append(
    _ level: LogLine.Level, _ message: StaticString, at time: CalendarTime = .now(), room: Int,
    members: (inout OutputSpan<UInt8>) -> Void
  ) {
    let start = OutputSpan<UInt8>.startRoom + message.utf8CodeUnitCount
    bytes.append(addingCapacity: start + room + 2) { output in
      output.begin(level, message, at: time, clock: &clock)
      members(&output)
      output.append("}\n")
    }
  }

  /// Calls `body` with the lines, and forgets them.
  public mutating func take(_ body: ([UInt8]) -> Void) {
    if isEmpty { return }
    body(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
