import GatehouseTelemetry
import Synchronization

/// The instruments of the apps of a process.
final class AppInstruments: Sendable {
  /// The most apps whose requests are counted by name; those of others are counted together.
  static let mostNames = 1_000

  private static let requests = "gatehouse_app_requests"

  private let metrics: Registry
  private let opens: Histogram
  private let counters = Mutex<[AppName: Counter]>([:])

  init(_ metrics: Registry) {
    self.metrics = metrics
    opens = metrics.histogram("gatehouse_app_open_seconds", help: "How long it took to open an app.")
  }

  /// Has the numbers of apps be read when the metrics are.
  func observe(_ apps: Apps) {
    metrics.read("gatehouse_apps", help: "Apps, open or not.") { [weak apps] in
      Double(apps?.names.count ?? 0)
    }
    metrics.read("gatehouse_apps_open", help: "Apps that are open.") { [weak apps] in
      Double(apps?.openCount ?? 0)
    }
  }

  func didOpen(nanoseconds: UInt64) { opens.record(nanoseconds: Int(nanoseconds)) }

  /// Forgets the requests to an app that is gone.
  func forget(_ name: AppName) {
    counters.withLock { counters in
      guard counters.removeValue(forKey: name) != nil else { return }
      metrics.remove(AppInstruments.requests, labels: [Registry.Label("app", name.text)])
    }
  }

  func countRequest(of name: AppName) {
    let counter = counters.withLock { counters in
      if let counter = counters[name] { return counter }
      let label = counters.count < AppInstruments.mostNames ? name.text : ""
      let counter = metrics.counter(
        AppInstruments.requests, help: "Requests to an app.", labels: [Registry.Label("app", label)])
      if !label.isEmpty { counters[name] = counter }
      precondition(counters.count <= AppInstruments.mostNames, "a bounded number of apps is counted by name")
      return counter
    }
    counter.add()
  }
}
