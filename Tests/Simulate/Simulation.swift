import CGatehouseSimulation
import GatehouseHTTP

/// An expectation that a simulation has not met.
struct Failure: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

/// One simulation, which a process runs once: its scheduler, its failures, its trace.
enum Simulation {
  nonisolated(unsafe) private(set) static var scheduler = SeededScheduler(seed: 0, delays: 0)
  /// The lines of the trace that are written.
  enum Tracing {
    case none
    case all
    /// The last ones, before a failure.
    case last(Int)
  }

  nonisolated(unsafe) static var tracing = Tracing.none
  nonisolated(unsafe) private static var lines: [String] = []
  nonisolated(unsafe) private(set) static var failures: [String] = []

  /// Time that a simulation may take, in nanoseconds of its clock.
  private static let longest: UInt64 = 3_600_000_000_000
  private static let mostSteps = 1_000_000

  /// Runs a world; returns what is wrong with it.
  static func run(_ scenario: Scenario, at directory: String) -> [String] {
    scheduler = SeededScheduler(seed: scenario.generator(1).first, delays: scenario.delays)
    sim_disk_register()
    if case .all = tracing {
      sim_disk_observe { event, path, place in
        Simulation.note("disk: \(String(cString: event!)) \(String(cString: path!)) \(place)")
      }
    }
    sim_hook_executor { job, delay in
      Simulation.scheduler.enqueue(unsafeBitCast(job, to: UnownedJob.self), after: delay)
    }
    sim_disk_set_handovers(UInt32(scenario.handovers))
    sim_begin(scenario.generator(2).first, UInt32(scenario.pointsToYield))
    let world = World(scenario, at: directory)
    Task {
      do { try await world.run() } catch { fail("\((error as? Failure)?.text ?? "\(error)")") }
      scheduler.stop()
    }
    switch scheduler.run(steps: mostSteps, until: longest) {
    case .stopped: break
    case .stuck: fail("nothing can run any more: \(world.situation)")
    case .endless:
      fail("no end after \(scheduler.steps) steps and \(sim_now() / 1_000_000_000) s: \(world.situation)")
    }
    return failures
  }

  /// Has another one begin as if there had been none in this process. All that waits for something to happen in the one before does so
  /// for ever.
  static func end() {
    _ = Unmanaged.passRetained(scheduler)
    scheduler = SeededScheduler(seed: 0, delays: 0)
    failures = []
    sim_end()
  }

  /// Takes note of a failure, and goes on.
  static func fail(_ text: String) {
    note("FAILURE \(text)")
    failures.append("step \(scheduler.steps), \(sim_now() / 1_000) µs: \(text)")
    for line in lines { say(line) }
    lines = []
    // More of them say nothing new.
    if failures.count >= 5 { scheduler.stop() }
  }

  /// Adds to the trace.
  ///
  /// The text is made whether it is written or not: what Swift's runtime remembers of that is the same then.
  static func note(_ text: String) {
    if case .none = tracing { return }
    sim_set_aside(1)
    defer { sim_set_aside(0) }
    let line = "\(scheduler.steps)\t\(Double(sim_now() / 1_000) / 1_000_000)\t\(text)"
    guard case .last(let count) = tracing else { return say(line) }
    lines.append(line)
    if lines.count > count { lines.removeFirst() }
  }
}

/// Writes a line at once: the process may end by a signal.
func say(_ line: String) {
  sim_say(line)
  sim_say("\n")
}

extension RandomNumberGenerator {
  /// The first number.
  fileprivate var first: UInt64 {
    var copy = self
    return copy.next()
  }
}
