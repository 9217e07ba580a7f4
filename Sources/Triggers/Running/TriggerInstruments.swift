import GatehouseTelemetry

/// Counts the calls of triggers.
struct TriggerInstruments: Sendable {
  private let successes: Counter
  private let failures: Counter

  init(_ metrics: Registry) {
    let help = "Calls of functions by triggers, by outcome."
    successes = metrics.counter("gatehouse_trigger_calls", help: help, labels: [.init("outcome", "success")])
    failures = metrics.counter("gatehouse_trigger_calls", help: help, labels: [.init("outcome", "failure")])
  }

  func note(isFailure: Bool) { (isFailure ? failures : successes).add(1) }
}
