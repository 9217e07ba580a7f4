import GatehouseAudit
import GatehouseTelemetry

extension Recorder.Notice {
  /// A line for the log.
  var line: [UInt8] {
    var clock = LogClock()
    switch self {
    case .scopeExpired(let id):
      var line = LogLine(.warning, "audit scope expired, cancelled", clock: &clock)
      line.append("scope", id)
      return line.line
    case .scopeEndedEarly(let id):
      var line = LogLine(.warning, "audit scope ended before a write in it", clock: &clock)
      line.append("scope", id)
      return line.line
    }
  }
}
