internal import GatehouseTelemetry
internal import Synchronization

/// Reports calls as log lines and as metrics.
final class CallReporter: Sendable {
  private struct Instruments: Sendable {
    let calls: Counter
    let duration: Histogram
  }

  private struct Key: Hashable {
    let function: String
    let outcome: String
  }

  private let write: (@Sendable ([UInt8]) -> Void)?
  private let registry: Registry?
  private let instruments = Mutex<[Key: Instruments]>([:])
  private let clock = Mutex(LogClock())

  init(log: (@Sendable ([UInt8]) -> Void)?, metrics: Registry?) {
    write = log
    registry = metrics
  }

  /// Whether reports go anywhere.
  var isNeeded: Bool { write != nil || registry != nil }

  func report(_ record: CallRecord) {
    if let write { write(clock.withLock { record.lines(&$0) }) }
    guard let registry else { return }
    let key = Key(function: record.function, outcome: record.outcome)
    let instruments = instruments.withLock { known in
      if let made = known[key] { return made }
      let made = Self.make(key, registry)
      known[key] = made
      return made
    }
    instruments.calls.add()
    instruments.duration.record(nanoseconds: record.nanoseconds)
  }

  private static func make(_ key: Key, _ registry: Registry) -> Instruments {
    let function = Registry.Label("function", key.function)
    return Instruments(
      calls: registry.counter(
        "gatehouse_function_calls", help: "Calls of functions by outcome.",
        labels: [function, .init("outcome", key.outcome)]),
      duration: registry.histogram(
        "gatehouse_function_duration_seconds", help: "How long calls of functions take.", labels: [function]))
  }
}
