internal import GatehouseHTTP
internal import GatehouseTelemetry

extension Reporter {
  /// Returns the place of a request's span; nil: it is not recorded. `client` is that of the client, who decides where it says so.
  static func span(after client: TraceParent?, _ spans: SpanQueue) -> TraceParent? {
    guard client?.isSampled ?? spans.samples() else { return nil }
    let trace = client?.trace ?? TraceParent.Identifier(high: Span.newID(), low: Span.newID())
    return TraceParent(trace: trace, span: Span.newID(), isSampled: true)
  }

  /// The span of a request, named as OpenTelemetry names those of HTTP servers; neither target nor fields are in it.
  static func span(
    of exchange: Exchange, _ status: Status, at place: TraceParent, end: CalendarTime, nanoseconds: Int
  ) -> Span {
    let method = exchange.method.rawValue
    var span = Span(
      exchange.route.map { "\(method) \($0)" } ?? method, .server,
      at: Span.Place(
        traceHigh: place.trace.high, traceLow: place.trace.low, id: place.span, parent: exchange.trace?.span),
      end: end, nanoseconds: nanoseconds)
    span.attributes = [
      ("http.request.method", .text(method)), ("http.response.status_code", .number(Int(status.rawValue))),
      ("url.scheme", .text(exchange.isSecure ? "https" : "http")),
      ("http.request.body.size", .number(exchange.received)),
      ("http.response.body.size", .number(exchange.sent)),
      ("gatehouse.request.id", .text(exchange.id.description)),
    ]
    if let route = exchange.route { span.attributes.append(("http.route", .text(route))) }
    span.isError = status.rawValue >= 500
    if span.isError { span.attributes.append(("error.type", .text("\(status.rawValue)"))) }
    return span
  }
}
