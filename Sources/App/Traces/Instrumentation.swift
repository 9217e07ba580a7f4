import GatehouseTelemetry

/// Where a server tells what it does: metrics, and traces where there is a collector.
struct Instrumentation: Sendable {
  let metrics: Registry
  /// Nil: there are no traces.
  let spans: SpanQueue?
  let exporter: TraceExporter?

  /// Makes those of a database beside others, which tells the same collector of traces.
  init(metrics: Registry, within server: Instrumentation) {
    (self.metrics, spans, exporter) = (metrics, server.spans, nil)
  }

  /// - Parameters:
  ///   - version: The version of the program.
  ///   - warn: Takes a sentence for the operator.
  init(
    _ settings: Settings, metrics: Registry, version: String, warn: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    self.metrics = metrics
    guard !settings.tracesEndpoint.isEmpty else {
      (spans, exporter) = (nil, nil)
      return
    }
    let spans = SpanQueue(percent: settings.tracesPercent, metrics: metrics)
    self.spans = spans
    exporter = TraceExporter(
      spans, to: try TraceEndpoint(settings.tracesEndpoint, headers: settings.tracesHeaders),
      version: version,
      report: warn)
  }
}
