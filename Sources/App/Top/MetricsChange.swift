/// Two readings of a server's metrics, and the time between them.
struct MetricsChange: Sendable {
  let before: MetricsText
  let now: MetricsText
  let seconds: Double

  /// How often a second what a counter counts has happened, in all series that the labels fit.
  func rate(_ name: String, where fits: ([String: String]) -> Bool = { _ in true }) -> Double {
    let sums = [before, now].map { text in
      text[name].reduce(0) { fits($1.labels) ? $0 + $1.value : $0 }
    }
    // A server that was started anew counts from 0.
    let growth = sums[1] >= sums[0] ? sums[1] - sums[0] : sums[1]
    return seconds > 0 ? growth / seconds : 0
  }

  /// Returns the value below which that share of what a histogram took meanwhile is, as Prometheus estimates it: evenly spread in each
  /// bucket. Nil: it took nothing.
  func quantile(
    _ share: Double, of name: String, where fits: ([String: String]) -> Bool = { _ in true }
  ) -> Double? {
    var buckets: [Double: Double] = [:]
    for (text, sign) in [(before, -1.0), (now, 1.0)] {
      for sample in text["\(name)_bucket"] where fits(sample.labels) {
        guard let text = sample.labels["le"], let bound = text == "+Inf" ? .infinity : Double(text) else {
          continue
        }
        buckets[bound, default: 0] += sign * sample.value
      }
    }
    let sorted = buckets.sorted { $0.key < $1.key }
    guard let total = sorted.last?.value, total > 0 else { return nil }
    let rank = share * total
    var (low, below) = (0.0, 0.0)
    for (bound, count) in sorted {
      if count >= rank, count > below {
        // The last bucket has no upper bound.
        return bound.isFinite ? low + (bound - low) * (rank - below) / (count - below) : low
      }
      (low, below) = (bound, count)
    }
    return low
  }

  /// Returns the values that a label has, with how often a second and how often in all what a counter counts has happened with each.
  func series(_ name: String, by label: ([String: String]) -> String) -> [(
    label: String, rate: Double, total: Double
  )] {
    let totals = Dictionary(now[name].map { (label($0.labels), $0.value) }, uniquingKeysWith: +)
    return totals.map { key, total in (key, rate(name) { label($0) == key }, total) }
      .sorted { ($1.rate, $1.total, $0.label) < ($0.rate, $0.total, $1.label) }
  }
}
