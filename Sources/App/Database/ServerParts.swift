import GatehouseAPI
import GatehouseTelemetry

/// The parts of a server that its databases share.
struct ServerParts: Sendable {
  let instrumentation: Instrumentation
  let log: AccessLog?
  var readiness = Readiness()
  /// The cluster that the server is a node of; nil: it is alone.
  var cluster: ClusterAccess?
  /// The event loops.
  let loops: Int

  var metrics: Registry { instrumentation.metrics }

  /// Returns the same with instruments for an app alone.
  func ofApp() -> ServerParts {
    let own = Instrumentation(metrics: Registry(shardCount: loops), within: instrumentation)
    return ServerParts(instrumentation: own, log: log, readiness: readiness, loops: loops)
  }

  /// Takes lines about what failed. Without a log, a failure's cause would be known to nobody.
  var report: @Sendable ([UInt8]) -> Void {
    if let log { { log.write($0) } } else { { Output.error.tell($0) } }
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
