import GatehouseBSON
import GatehouseTelemetry
import Synchronization

/// Work on a running server's store that somebody has begun: a check, a copy.
public struct MaintenanceTask: Sendable {
  /// A word, which is its place below `/v1/tasks/`.
  public let name: String
  /// Does the work, and tells how much of it is done, from 0 to 1. Returns lines for whoever has begun it; no lines are a good
  /// result that needs no words.
  public let run: @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws -> [String]

  public init(
    _ name: String,
    run: @escaping @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws -> [String]
  ) {
    self.name = name
    self.run = run
  }
}

/// The tasks of a server. Each runs once at a time, for whoever began it and for all who watch.
public final class Maintenance: Sendable {
  /// The last time that a task ran.
  struct Status: Sendable {
    let name: String
    var state = State.idle
    var started: Date?
    /// From 0 to 1.
    var progress = 0.0
    var seconds = 0.0
    /// The first lines of its result.
    var findings: [String] = []
    var error: String?

    enum State: String, Sendable {
      case idle, running, done, failed
    }
  }

  /// The most lines of a result that are kept.
  private static let mostFindings = 1_000

  private let tasks: [MaintenanceTask]
  private let states: Mutex<[Status]>
  private let explain: @Sendable (any Error) -> String

  /// `explain` says an error in words.
  public init(
    _ tasks: [MaintenanceTask] = [], explain: @escaping @Sendable (any Error) -> String = { "\($0)" }
  ) {
    self.tasks = tasks
    self.explain = explain
    states = Mutex(tasks.map { Status(name: $0.name) })
  }

  /// Whether one of them runs.
  public var isRunning: Bool { states.withLock { $0.contains { $0.state == .running } } }

  var statuses: [Status] { states.withLock { $0 } }

  /// Has a task begin, and returns its state. Throws ``APIError/taskNotFound`` and ``APIError/taskRunning``.
  func begin(_ name: String) throws(APIError) -> Status {
    guard let index = tasks.firstIndex(where: { $0.name == name }) else { throw .taskNotFound }
    let status = states.withLock { states -> Status? in
      guard states[index].state != .running else { return nil }
      states[index] = Status(name: name, state: .running, started: .now)
      return states[index]
    }
    guard let status else { throw .taskRunning }
    Task.detached(priority: .utility) { await self.run(index) }
    return status
  }

  private func run(_ index: Int) async {
    let start = MonotonicClock.now()
    let seconds: @Sendable () -> Double = { Double(MonotonicClock.now() - start) / 1e9 }
    let result: Result<[String], any Error>
    do {
      result = .success(
        try await tasks[index].run { progress in
          self.change(index) { ($0.progress, $0.seconds) = (min(max(progress, 0), 1), seconds()) }
        })
    } catch {
      result = .failure(error)
    }
    change(index) { status in
      precondition(status.state == .running, "the task \(status.name) ends while it is \(status.state)")
      status.seconds = seconds()
      switch result {
      case .success(let findings):
        (status.state, status.progress) = (.done, 1)
        status.findings = Array(findings.prefix(Self.mostFindings))
      case .failure(let error):
        (status.state, status.error) = (.failed, self.explain(error))
      }
    }
  }

  private func change(_ index: Int, _ body: (inout Status) -> Void) {
    states.withLock { body(&$0[index]) }
  }
}
