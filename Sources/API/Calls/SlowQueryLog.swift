import GatehouseHTTP
import GatehouseQuery
import GatehouseStorage
public import GatehouseTelemetry

/// Writes a line for each query that takes long: how it was run, and nothing of what it asked for or found.
public struct SlowQueryLog: Sendable {
  private let nanoseconds: UInt64
  private let write: @Sendable ([UInt8]) -> Void
  private let spans: SpanQueue?
  private let metrics: Registry?
  private let recentQueries: RecentSlowQueries?
  /// The most characters of a statement in a span.
  private static let longestText = 2_048

  /// `write` takes lines of the log, JSON objects that end in line feeds.
  public init(
    beyond milliseconds: Int, spans: SpanQueue? = nil, metrics: Registry? = nil,
    recent: RecentSlowQueries? = nil,
    _ write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.metrics = metrics
    recentQueries = recent
    self.spans = spans
    nanoseconds = UInt64(milliseconds) * 1_000_000
    self.write = write
  }

  /// The latest ones, the last first.
  var recent: [RecentSlowQueries.Query] { recentQueries?.all ?? [] }

  /// Returns what `body` does with the plan, and notes it where it took long, or was broken off.
  func timing<Answer>(
    _ plan: Plan, of call: Call, from reader: Reader, _ body: () throws -> Answer
  ) throws -> Answer {
    let start = MonotonicClock.now()
    let answer = Result { try body() }
    let duration = MonotonicClock.now() - start
    if duration > nanoseconds { note(plan, of: call, from: reader, nanoseconds: duration) }
    return try answer.get()
  }

  private func note(_ plan: Plan, of call: Call, from reader: Reader, nanoseconds: UInt64) {
    // It has taken its time, though it may not be possible to explain it either.
    let explanation = try? reader.explain(plan)
    var clock = LogClock()
    var line = LogLine(.warning, "slow query", clock: &clock)
    line.append("request", call.request.id.description)
    line.append("class", plan.objectType)
    line.append("steps", explanation?.steps.joined(separator: "; ") ?? "")
    line.append("statement", explanation?.sql ?? "")
    line.append("microseconds", Int(nanoseconds / 1_000))
    write(line.line)
    recentQueries?.add(
      plan.objectType, microseconds: Int(nanoseconds / 1_000), statement: explanation?.sql ?? "",
      steps: explanation?.steps ?? [])
    metrics?.counter(
      "gatehouse_slow_queries", help: "Queries that took longer than slowQueryMilliseconds.",
      labels: [.init("class", plan.objectType)]
    ).add()
    spans?.add("slow query", in: call.request.trace, nanoseconds: nanoseconds) { span in
      span.attributes = [
        ("db.system.name", .text("sqlite")), ("db.collection.name", .text(plan.objectType)),
        // Many spans may wait, so that none may be large.
        ("db.query.text", .text(String((explanation?.sql ?? "").prefix(SlowQueryLog.longestText)))),
      ]
    }
  }
}

extension SpanQueue {
  /// Adds a span that ends now, a part of the answer to a request; not where that is not recorded.
  func add(
    _ name: String, in request: TraceParent?, nanoseconds: UInt64, _ body: (inout Span) -> Void = { _ in }
  ) {
    guard let request else { return }
    let place = Span.Place(
      traceHigh: request.trace.high, traceLow: request.trace.low, id: Span.newID(), parent: request.span)
    var span = Span(name, .internal, at: place, end: .now(), nanoseconds: Int(nanoseconds))
    body(&span)
    add(span)
  }
}
