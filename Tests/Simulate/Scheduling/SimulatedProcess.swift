import GatehouseScheduling

/// A process whose threads stop together, as by SIGSTOP, and go on together.
///
/// Swift's tasks belong to none, unless they run on a lane of one.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class SimulatedProcess: Scheduler, @unchecked Sendable {
  private let scheduler: SeededScheduler
  private(set) var isStopped = false
  private var waiting: [SimulatedLane] = []

  init(on scheduler: SeededScheduler) { self.scheduler = scheduler }

  func makeLane(_ label: String, priority: LanePriority) -> any Lane {
    SimulatedLane(label, on: scheduler, of: self)
  }

  func makeSignal() -> any Signal { scheduler.makeSignal() }

  func stop() {
    isStopped = true
    waiting += scheduler.withdraw(self)
  }

  func resume() {
    isStopped = false
    let lanes = waiting
    waiting = []
    for lane in lanes { scheduler.enqueue(lane) }
  }

  /// Keeps a lane until the process goes on.
  func hold(_ lane: SimulatedLane) { waiting.append(lane) }
}
