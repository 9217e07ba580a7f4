import GatehouseTelemetry

/// The metrics of the writer.
struct WriterInstruments: Sendable {
  private let commits: Counter
  /// The commits that were durable before they were answered, and the others.
  private let full: Counter
  private let relaxed: Counter
  private let groupSize: Histogram
  private let duration: Histogram
  /// Jobs that have been handed in and are not done.
  let waiting: Gauge

  init(_ registry: Registry) {
    commits = registry.counter("gatehouse_commits", help: "Commits.")
    func counter(_ durability: String) -> Counter {
      registry.counter(
        "gatehouse_commits_by_durability",
        help: "Commits that were durable when they were answered, and others.",
        labels: [Registry.Label("durability", durability)])
    }
    (full, relaxed) = (counter("full"), counter("within"))
    groupSize = registry.histogram(
      "gatehouse_commit_group_size", help: "Transactions that shared a commit of the file.",
      sizes: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    duration = registry.histogram(
      "gatehouse_commit_duration_seconds",
      help: "From the begin of a commit of the file until it can be answered."
    )
    waiting = registry.gauge(
      "gatehouse_write_queue_depth", help: "Writes that wait for the writer or are at work.")
  }

  /// A commit of the file with that many transactions, begun at that time, can be answered.
  func didCommit(_ transactions: Int, _ durability: Durability, since start: UInt64) {
    commits.add(transactions)
    (durability == .full ? full : relaxed).add(transactions)
    groupSize.record(transactions)
    duration.record(nanoseconds: Int(MonotonicClock.now() &- start))
  }
}
