internal import GatehouseHTTP
internal import GatehouseTelemetry

/// The system's clock, for connections.
enum Clock {
  /// Returns the time that only goes forward.
  static func now() -> MonotonicTime { MonotonicTime(nanoseconds: MonotonicClock.now()) }
}
