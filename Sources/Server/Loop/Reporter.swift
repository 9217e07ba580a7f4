internal import GatehouseHTTP
internal import GatehouseTelemetry
internal import Glibc

/// Reports what happens on one loop: a log line per request, and metrics.
final class Reporter {
  /// The report of a request, made once it is over. Neither target nor fields: they may hold what is nobody's
  /// business.
  struct Exchange {
    let method: Method
    let id: RequestID
    /// When the events came that it was read by.
    let start: MonotonicTime
    var received = 0
    var sent = 0
    var status: Status?
    var route: String?
    var app: String?
    /// The trace that the client says the request is a part of.
    var trace: TraceParent?
    /// The place of its own span; nil: it is not recorded.
    var span: TraceParent?
    var isSecure = false
  }

  private struct Key: Hashable {
    let method: Method
    let route: String
    let status: Status

    // Without the method, which would be hashed as text: few differ in nothing else.
    func hash(into hasher: inout Hasher) {
      hasher.combine(route)
      hasher.combine(status.rawValue)
    }
  }

  /// An object of the loop's own: to take the two out of a value would be to count references together with other loops.
  private final class Instruments {
    let requests: Counter
    let duration: Histogram

    init(requests: Counter, duration: Histogram) {
      (self.requests, self.duration) = (requests, duration)
    }
  }

  private let shard: Int
  private let registry: Registry?
  private let write: (@Sendable ([UInt8]) -> Void)?
  private let spans: SpanQueue?
  private var lines = LogLines()
  private var instruments: [Key: Instruments] = [:]
  /// The last instruments that were looked for: mostly the next request needs them again.
  private var recent: (key: Key, instruments: Instruments)?

  private let connections: Gauge?
  private let accepted: Counter?
  private let refused: Counter?
  private let received: Counter?
  private let sent: Counter?
  private let lag: Histogram?

  init?(shard: Int, registry: Registry?, log: (@Sendable ([UInt8]) -> Void)?, spans: SpanQueue? = nil) {
    if registry == nil, log == nil, spans == nil { return nil }
    self.spans = spans
    self.shard = shard
    self.registry = registry
    write = log
    connections = registry?.gauge("gatehouse_connections", help: "Connections that are open.")
    accepted = registry?.counter("gatehouse_connections_accepted", help: "Connections that were taken.")
    refused = registry?.counter("gatehouse_connections_refused", help: "Connections beyond a limit.")
    received = registry?.counter("gatehouse_received_bytes", help: "Content of requests, in bytes.")
    sent = registry?.counter("gatehouse_sent_bytes", help: "Content of responses, in bytes.")
    lag = registry?.histogram("gatehouse_loop_lag_seconds", help: "How late event loops run their timer.")
  }

  func addConnection() {
    connections?.add(1, shard: shard)
    accepted?.add(shard: shard)
  }

  func removeConnection() {
    connections?.add(-1, shard: shard)
  }

  func refuseConnection() {
    refused?.add(shard: shard)
  }

  /// The timer ran that much later than it should have.
  func recordLag(nanoseconds: Int) {
    lag?.record(nanoseconds: nanoseconds, shard: shard)
  }

  /// The request is over; without a status, because the client left before it was answered.
  func finish(_ exchange: Exchange, now: MonotonicTime, calendarTime: CalendarTime) {
    let duration = Int(now.nanoseconds &- exchange.start.nanoseconds)
    received?.add(exchange.received, shard: shard)
    sent?.add(exchange.sent, shard: shard)
    // 499 is what nginx calls a client that left.
    let status = exchange.status ?? Status(rawValue: 499)
    if registry != nil {
      let instruments = instruments(Key(method: exchange.method, route: exchange.route ?? "", status: status))
      instruments?.requests.add(shard: shard)
      instruments?.duration.record(nanoseconds: duration, shard: shard)
    }
    if write != nil { log(exchange, status, duration: duration, at: calendarTime) }
    if let spans, let place = exchange.span {
      spans.add(Reporter.span(of: exchange, status, at: place, end: calendarTime, nanoseconds: duration))
    }
  }

  private func instruments(_ key: Key) -> Instruments? {
    if let recent, recent.key == key { return recent.instruments }
    guard let found = instruments[key] ?? make(key) else { return nil }
    recent = (key, found)
    return found
  }

  private func make(_ key: Key) -> Instruments? {
    guard let registry else { return nil }
    let route = Registry.Label("route", key.route)
    let made = Instruments(
      requests: registry.counter(
        "gatehouse_requests", help: "Requests by route and status.",
        labels: [route, .init("method", key.method.rawValue), .init("status", "\(key.status.rawValue)")]),
      duration: registry.histogram(
        "gatehouse_request_duration_seconds", help: "From when a request is seen to the end of its response.",
        labels: [route]))
    instruments[key] = made
    return made
  }

  private func log(
    _ exchange: Exchange, _ status: Status, duration: Int, at time: CalendarTime
  ) {
    let route = exchange.route ?? ""
    // An id has 128 bytes that are plain, a method 7.
    lines.append(
      .info, "request", at: time, room: 500 + 6 * (route.utf8.count + (exchange.app?.utf8.count ?? 0))
    ) { line in
      switch exchange.id {
      case .made(let number): line.append(member: "request", hexadecimal: number)
      case .given(let text): line.append(member: "request", text)
      }
      line.append(member: "method", exchange.method.rawValue)
      line.append(member: "route", route)
      if let app = exchange.app { line.append(member: "app", app) }
      line.append(member: "status", Int(status.rawValue))
      line.append(member: "received", exchange.received)
      line.append(member: "sent", exchange.sent)
      line.append(member: "microseconds", duration / 1_000)
      if let trace = exchange.trace {
        line.append(member: "trace", hexadecimal: trace.trace.high, trace.trace.low)
        line.append(member: "parent", hexadecimal: trace.span)
      } else if let span = exchange.span {
        line.append(member: "trace", hexadecimal: span.trace.high, span.trace.low)
      }
      if let span = exchange.span { line.append(member: "span", hexadecimal: span.span) }
    }
    if lines.count > 65_536 { flush() }
  }

  /// A request that broke a rule before it could be answered.
  func refuse(_ error: RequestError, id: RequestID) {
    registry?.counter(
      "gatehouse_refused_requests", help: "Requests that broke a rule of HTTP.",
      labels: [.init("rule", error.rule.rawValue)]
    ).add(shard: shard)
    guard write != nil else { return }
    let (id, rule) = (id.description, error.rule.rawValue)
    lines.append(.warning, "refused request", room: 256 + id.utf8.count + rule.utf8.count) { line in
      line.append(member: "request", id)
      line.append(member: "rule", rule)
      line.append(member: "offset", error.offset)
      line.append(member: "status", Int(error.status.rawValue))
    }
  }

  /// Hands the lines over, many at a time: the loop does so by its timer, and when its last connection closes.
  func flush() {
    lines.take { write?($0) }
  }
}
