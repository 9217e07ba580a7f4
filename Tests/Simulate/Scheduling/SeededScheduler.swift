import CGatehouseSimulation
import GatehouseScheduling
import GatehouseSeeded

/// The scheduler of a simulation: one thread at a time runs, and the seed says which is next.
///
/// Everything that runs is a closure on a lane or a job of Swift's concurrency. Each has a thread while it runs, and
/// gives up its turn where the C part of the simulation says so: at calls of the disk, looks at the clock, locks and signals.
///
/// `@unchecked Sendable`. Because one thread at a time runs, and the turn is handed over by semaphores.
final class SeededScheduler: Scheduler, @unchecked Sendable {
  /// Why the simulation ended.
  enum End: Equatable {
    case stopped
    /// Nothing can run, and no time will change that.
    case stuck
    /// More steps or more time than it may take.
    case endless
  }

  private struct TimedWork {
    let time: UInt64
    let number: UInt64
    let run: () -> Void
  }

  /// The jobs of Swift's concurrency that run at once.
  private static let width = 3

  private var generator: SeededGenerator
  private var ready: [SimulatedLane] = []
  private var jobs: [UnownedJob] = []
  private var busyJobs = 0
  private var running: [SimulatedWorker] = []
  private var idle: [SimulatedWorker] = []
  private var timers: [TimedWork] = []
  private var count: UInt64 = 0
  private var isStopped = false
  /// How often, of a thousand, a thread that gave up its turn is passed over for a while.
  private let delays: Int
  private(set) var steps = 0
  /// Called before each step, by the scheduler.
  var willStep: (Int) -> Void = { _ in }

  init(seed: UInt64, delays: Int) {
    generator = SeededGenerator(seed: seed)
    self.delays = delays
  }

  func makeLane(_ label: String, priority: LanePriority) -> any Lane { SimulatedLane(label, on: self) }

  func makeSignal() -> any Signal { SimulatedSignal() }

  /// Ends ``run(steps:until:)``.
  func stop() { isStopped = true }

  // Work

  func enqueue(_ job: UnownedJob, after delay: UInt64) {
    sim_point()
    guard delay > 0 else { return jobs.append(job) }
    at(sim_now() + delay) { [unowned self] in jobs.append(job) }
  }

  /// Has a lane run what it has.
  func enqueue(_ lane: SimulatedLane) {
    if let process = lane.process, process.isStopped { return process.hold(lane) }
    ready.append(lane)
  }

  /// Takes back the lanes of a process that were to run.
  func withdraw(_ process: SimulatedProcess) -> [SimulatedLane] {
    defer { ready.removeAll { $0.process === process } }
    return ready.filter { $0.process === process }
  }

  /// Calls a closure, by the scheduler, when the time has come.
  func at(_ time: UInt64, _ run: @escaping () -> Void) {
    count += 1
    let item = TimedWork(time: time, number: count, run: run)
    // The earliest comes last.
    var (low, high) = (0, timers.count)
    while low < high {
      let middle = (low + high) / 2
      if (timers[middle].time, timers[middle].number) > (time, count) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    timers.insert(item, at: low)
  }

  // Running

  /// Runs everything, for so many steps and until that time at most.
  func run(steps most: Int, until end: UInt64) -> End {
    while !isStopped {
      guard steps < most, sim_now() < end else { return .endless }
      steps += 1
      willStep(steps)
      while let next = timers.last, next.time <= sim_now() { timers.removeLast().run() }
      if !takeStep(), !waitForTime() { return isStopped ? .stopped : .stuck }
    }
    return .stopped
  }

  /// Lets time pass up to what is next; false: nothing is.
  private func waitForTime() -> Bool {
    var next = timers.last?.time ?? .max
    for worker in running where !worker.isStopped { next = min(next, sim_thread_deadline(worker.thread)) }
    guard next != .max else { return false }
    sim_set_now(max(next, sim_now()))
    return true
  }

  /// Lets one thread run; false: there is none.
  private func takeStep() -> Bool {
    sim_set_now(sim_now() + 1_000)
    let able = running.indices.filter {
      !running[$0].isStopped && sim_thread_is_ready(running[$0].thread) != 0
    }
    let willing = able.filter { running[$0].restsUntil <= steps }
    let free = busyJobs < Self.width ? jobs.count : 0
    let choices = willing.count + ready.count + free
    guard choices > 0 else {
      guard let index = able.randomElement(using: &generator) else { return false }
      resume(running[index])
      return true
    }
    let choice = Int.random(in: 0..<choices, using: &generator)
    if choice < willing.count {
      resume(running[willing[choice]])
    } else if choice < willing.count + ready.count {
      let lane = ready.remove(at: choice - willing.count)
      begin(in: lane.process) {
        lane.runFirst()
      } atEnd: {
        if lane.finish() { self.enqueue(lane) }
      }
    } else {
      let job = jobs.remove(at: choice - willing.count - ready.count)
      busyJobs += 1
      begin {
        job.runSynchronously(on: Self.generic)
      } atEnd: {
        self.busyJobs -= 1
      }
    }
    return true
  }

  /// The executor of jobs that no executor was asked for: two words that are 0 (`SerialExecutorRef::generic()`).
  private static var generic: UnownedSerialExecutor { unsafeBitCast((0, 0), to: UnownedSerialExecutor.self) }

  private func begin(
    in process: SimulatedProcess? = nil, _ work: @escaping () -> Void, atEnd: @escaping () -> Void
  ) {
    let worker = idle.popLast() ?? SimulatedWorker(number: running.count + idle.count)
    (worker.process, worker.work, worker.atEnd) = (process, work, atEnd)
    running.append(worker)
    resume(worker)
  }

  private func resume(_ worker: SimulatedWorker) {
    sim_note(UInt64(worker.number))
    sim_thread_resume(worker.thread)
    guard sim_thread_is_idle(worker.thread) != 0 else {
      let handsOver = sim_thread_take_handover(worker.thread) != 0
      if handsOver || delays > 0 && Int.random(in: 0..<1000, using: &generator) < delays {
        worker.restsUntil = steps + Int.random(in: 1...200, using: &generator)
      }
      return
    }
    running.removeAll { $0 === worker }
    idle.append(worker)
    worker.atEnd()
    worker.atEnd = {}
  }
}

/// A thread that runs one closure after the other.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class SimulatedWorker: @unchecked Sendable {
  let number: Int
  private(set) var thread: OpaquePointer!
  /// The process that its work is of.
  var process: SimulatedProcess?
  var work: () -> Void = {}
  var atEnd: () -> Void = {}
  /// The step from which on it may run again.
  var restsUntil = 0
  /// Whether its process has been stopped.
  var isStopped: Bool { process?.isStopped ?? false }

  init(number: Int) {
    self.number = number
    // Workers live as long as the process.
    thread = sim_thread_make(
      { Unmanaged<SimulatedWorker>.fromOpaque($0!).takeUnretainedValue().run() },
      Unmanaged.passRetained(self).toOpaque())
  }

  private func run() {
    work()
    work = {}
  }
}
