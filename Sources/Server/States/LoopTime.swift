internal import GatehouseHTTP
internal import GatehouseTelemetry

/// The time of a batch of events, read once for all of them.
struct LoopTime {
  let monotonic: MonotonicTime
  /// The same moment.
  private let calendar: CalendarTime

  static func now() -> LoopTime {
    LoopTime(monotonic: Clock.now(), calendar: .now())
  }

  /// The second of the calendar's time, which responses bear.
  var second: Int { calendar.second }

  /// Returns the calendar's time at a moment not before this one.
  func calendar(at moment: MonotonicTime) -> CalendarTime {
    calendar + Int(moment.nanoseconds &- monotonic.nanoseconds)
  }
}
