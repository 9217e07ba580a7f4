internal import Synchronization

/// The spans that wait to be sent. Nobody waits for room: a span for which there is none is dropped, and counted.
public final class SpanQueue: Sendable {
  private let spans = Mutex<[Span]>([])
  private let capacity: Int
  private let percent: Int
  private let dropped: Counter
  private let sent: Counter
  private let failed: Counter

  /// - Parameter percent: How many of a hundred requests are recorded that are a part of nobody's trace.
  public init(capacity: Int = 16_384, percent: Int = 100, metrics: Registry) {
    precondition(capacity > 0 && percent >= 0, "spans have room to wait, and some or none are recorded")
    self.capacity = capacity
    self.percent = percent
    let counter = { (outcome: String) in
      metrics.counter(
        "gatehouse_trace_spans", help: "Spans, by whether the collector took them.",
        labels: [.init("outcome", outcome)])
    }
    (dropped, sent, failed) = (counter("dropped"), counter("sent"), counter("failed"))
  }

  /// Decides whether a request is recorded that is a part of nobody's trace.
  public func samples() -> Bool { percent >= 100 || percent > 0 && Int.random(in: 0..<100) < percent }

  public func add(_ span: Span) {
    let isTaken = spans.withLock { spans in
      guard spans.count < capacity else { return false }
      spans.append(span)
      return true
    }
    if !isTaken { dropped.add() }
  }

  /// Returns the oldest spans, at most so many, which the caller owns from then on.
  public func take(_ most: Int) -> [Span] {
    spans.withLock { spans in
      let taken = Array(spans.prefix(most))
      spans.removeFirst(taken.count)
      return taken
    }
  }

  /// Puts spans that were taken before the others again, the oldest of them not where there is no room for all.
  public func putBack(_ spans: [Span]) {
    let count = self.spans.withLock { waiting in
      let kept = spans.suffix(capacity - waiting.count)
      waiting.insert(contentsOf: kept, at: 0)
      return kept.count
    }
    if count < spans.count { dropped.add(spans.count - count) }
  }

  /// Counts what has become of spans that were taken.
  public func count(sent: Int, failed: Int) {
    self.sent.add(sent)
    self.failed.add(failed)
  }
}
