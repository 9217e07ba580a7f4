import CGatehouseSimulation
import GatehouseScheduling

/// A serial queue that the seeded scheduler runs.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class SimulatedLane: Lane, @unchecked Sendable {
  let label: String
  /// The process that it stops with; nil: it never stops.
  let process: SimulatedProcess?
  private let scheduler: SeededScheduler
  private var waiting: [@Sendable () -> Void] = []
  private var isScheduled = false
  private var suspensions = 0
  private var runsNow = false
  /// Called when a closure has ended and no other waits.
  var didRunDry: () -> Void = {}

  init(_ label: String, on scheduler: SeededScheduler, of process: SimulatedProcess? = nil) {
    self.label = label
    self.process = process
    self.scheduler = scheduler
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    sim_point()
    append(work)
  }

  func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    scheduler.at(sim_now() + delay.nanoseconds) { self.append(work) }
  }

  func sync(_ work: () -> Void) {
    let (began, ended) = (SimulatedSignal(), SimulatedSignal())
    append {
      began.signal()
      ended.wait()
    }
    // The lane waits while the caller's thread does it.
    began.wait()
    work()
    ended.signal()
  }

  func suspend() { suspensions += 1 }

  func resume() {
    suspensions -= 1
    schedule()
  }

  func assertIsCurrent() { precondition(runsNow) }

  func makeTimer() -> any LaneTimer { SimulatedTimer(on: self, scheduler) }

  fileprivate func append(_ work: @escaping @Sendable () -> Void) {
    waiting.append(work)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, suspensions == 0, !waiting.isEmpty else { return }
    isScheduled = true
    scheduler.enqueue(self)
  }

  func runFirst() {
    runsNow = true
    waiting.removeFirst()()
    if waiting.isEmpty { didRunDry() }
    runsNow = false
  }

  /// Whether there is more to run.
  func finish() -> Bool {
    isScheduled = !waiting.isEmpty && suspensions == 0
    return isScheduled
  }
}

/// `@unchecked Sendable`. Because one thread at a time runs.
private final class SimulatedTimer: LaneTimer, @unchecked Sendable {
  private let lane: SimulatedLane
  private let scheduler: SeededScheduler
  private var work: (@Sendable () -> Void)?
  private var edition = 0

  init(on lane: SimulatedLane, _ scheduler: SeededScheduler) {
    (self.lane, self.scheduler) = (lane, scheduler)
  }

  func handle(_ work: @escaping @Sendable () -> Void) { self.work = work }

  func schedule(after delay: Duration) {
    edition += 1
    let mine = edition
    scheduler.at(sim_now() + delay.nanoseconds) { [weak self] in
      guard let self, edition == mine else { return }
      lane.append { [weak self] in if let self, edition == mine { work?() } }
    }
  }

  func cancel() {
    edition += 1
    work = nil
  }
}

/// `@unchecked Sendable`. Because one thread at a time runs.
final class SimulatedSignal: Signal, @unchecked Sendable {
  private let count: UnsafeMutablePointer<Int64>

  init() {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  deinit { count.deallocate() }

  func signal() {
    count.pointee += 1
    sim_point()
  }

  func wait() { _ = sim_wait(count, .max) }

  func wait(for limit: Duration) -> Bool { sim_wait(count, sim_now() + limit.nanoseconds) != 0 }
}

extension Duration {
  /// At most 292 years.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(clamping: Int64(clamping: seconds) * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
