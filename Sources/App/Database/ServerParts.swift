import GatehouseAPI
import GatehouseTelemetry

/// The parts of a server that its databases share.
struct ServerParts: Sendable {
  let instrumentation: Instrumentation
  let log: AccessLog?
  /// The app whose parts they are, or its group (`shop/archive`), which lines of the log name; nil: the default database.
  private var app: String?
  var readiness = Readiness()
  /// The cluster that the server is a node of; nil: it is alone.
  var cluster: ClusterAccess?
  /// The event loops.
  let loops: Int

  var metrics: Registry { instrumentation.metrics }

  init(instrumentation: Instrumentation, log: AccessLog?, loops: Int) {
    (self.instrumentation, self.log, self.loops) = (instrumentation, log, loops)
  }

  /// Returns the same with instruments for an app, or a group of its classes, alone.
  ///
  /// - Parameter name: `shop`, or `shop/archive`.
  func ofApp(_ name: String) -> ServerParts {
    let own = Instrumentation(metrics: Registry(shardCount: loops), within: instrumentation)
    var parts = ServerParts(instrumentation: own, log: log, loops: loops)
    (parts.readiness, parts.app) = (readiness, name)
    return parts
  }

  /// Whether they are those of an app.
  var areOfApp: Bool { app != nil }

  /// Takes lines of the log; nil: there is none.
  var write: (@Sendable ([UInt8]) -> Void)? {
    guard let log else { return nil }
    let app = app
    return { line in log.write(LogLine.line(line, of: app)) }
  }

  /// Takes lines about what failed. Without a log, a failure's cause would be known to nobody.
  var report: @Sendable ([UInt8]) -> Void {
    if let write { return write }
    let app = app
    return { line in Output.error.tell(LogLine.line(line, of: app)) }
  }

  /// Returns what makes the log of a database's slow queries, of those beyond so many milliseconds.
  func slowQueries() -> @Sendable (_ milliseconds: Int) -> SlowQueryLog {
    let (recent, instrumentation, report) = (RecentSlowQueries(), instrumentation, report)
    return {
      SlowQueryLog(
        beyond: $0, spans: instrumentation.spans, metrics: instrumentation.metrics, recent: recent, report)
    }
  }
}

extension LogLine {
  /// Returns a line with the name of an app, which is letters, digits, `-`, `_` and `/`, as its last member.
  fileprivate static func line(_ line: [UInt8], of app: String?) -> [UInt8] {
    let end = Array("}\n".utf8)
    guard let app, line.suffix(end.count).elementsEqual(end) else { return line }
    return line.dropLast(end.count) + Array(#","app":"\#(app)""#.utf8) + end
  }
}
