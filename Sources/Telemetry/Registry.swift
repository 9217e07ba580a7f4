internal import Synchronization

/// Instruments by name and labels.
public final class Registry: Sendable {
  /// A name and a value that tell instruments of one family apart.
  public struct Label: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  enum Instrument: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
    /// A gauge that is read when the metrics are.
    case reading(@Sendable () -> Double)
    /// A counter that is read when the metrics are.
    case total(@Sendable () -> Double)

    /// The type as OpenMetrics names it.
    var type: String {
      switch self {
      case .counter, .total: "counter"
      case .gauge, .reading: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  struct Family: Sendable {
    let name: String
    let help: String
    var members: [[Label]: Instrument] = [:]
  }

  private let shardCount: Int
  private let families = Mutex<[String: Family]>([:])

  /// Bounds in nanoseconds that suit requests: 50 µs to 10 s.
  public static let requestBounds = [
    50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
  ]

  /// One shard per event loop, or one.
  public init(shardCount: Int = 1) {
    self.shardCount = shardCount
  }

  /// The counter of that name, which gets `_total` when it is rendered.
  public func counter(_ name: String, help: String, labels: [Label] = []) -> Counter {
    guard
      case .counter(let counter) = instrument(
        name, help: help, labels: labels, make: { .counter(Counter(shardCount: shardCount)) })
    else { preconditionFailure("\(name) is not a counter") }
    return counter
  }

  public func gauge(_ name: String, help: String, labels: [Label] = []) -> Gauge {
    guard
      case .gauge(let gauge) = instrument(
        name, help: help, labels: labels, make: { .gauge(Gauge(shardCount: shardCount)) })
    else { preconditionFailure("\(name) is not a gauge") }
    return gauge
  }

  /// The histogram of durations of that name, which should end in `_seconds`; bounds in nanoseconds.
  public func histogram(
    _ name: String, help: String, labels: [Label] = [], bounds: [Int] = requestBounds
  ) -> Histogram {
    histogram(name, help: help, labels: labels, bounds: bounds, scale: 1e9)
  }

  /// The histogram of sizes, or of whatever is counted, of that name.
  public func histogram(_ name: String, help: String, labels: [Label] = [], sizes: [Int]) -> Histogram {
    histogram(name, help: help, labels: labels, bounds: sizes, scale: 1)
  }

  private func histogram(
    _ name: String, help: String, labels: [Label], bounds: [Int], scale: Double
  ) -> Histogram {
    let make = {
      Instrument.histogram(Histogram(bounds: bounds, scale: scale, shardCount: self.shardCount))
    }
    guard case .histogram(let histogram) = instrument(name, help: help, labels: labels, make: make)
    else { preconditionFailure("\(name) is not a histogram") }
    return histogram
  }

  /// A gauge that is read when the metrics are.
  public func read(
    _ name: String, help: String, labels: [Label] = [], _ read: @escaping @Sendable () -> Double
  ) {
    _ = instrument(name, help: help, labels: labels) { .reading(read) }
  }

  /// A counter that is read when the metrics are; its name gets `_total` when it is rendered.
  public func readTotal(_ name: String, help: String, _ read: @escaping @Sendable () -> Double) {
    _ = instrument(name, help: help, labels: []) { .total(read) }
  }

  /// Takes an instrument out: what it stood for is gone.
  public func remove(_ name: String, labels: [Label]) {
    families.withLock { families in
      families[name]?.members[labels] = nil
      if families[name]?.members.isEmpty == true { families[name] = nil }
    }
  }

  private func instrument(
    _ name: String, help: String, labels: [Label], make: () -> Instrument
  ) -> Instrument {
    families.withLock { families in
      var family = families[name] ?? Family(name: name, help: help)
      if let instrument = family.members[labels] { return instrument }
      let instrument = make()
      precondition(
        family.members.values.first.map { $0.type == instrument.type } ?? true,
        "the instruments of a family are of one type")
      family.members[labels] = instrument
      families[name] = family
      return instrument
    }
  }

  /// All of it as OpenMetrics text, of type ``mediaType``.
  public func render() -> [UInt8] {
    let families = families.withLock { $0.values.sorted { $0.name < $1.name } }
    return OpenMetrics.text(families)
  }

  /// The media type of ``render()``.
  public static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
}
