import CGatehouseSimulation
import GatehouseHTTP
import GatehouseScheduling

/// A lane in the place of an event loop.
final class SimulatedLoop: Loop, TaskExecutor {
  let index: Int
  private let lane: SimulatedLane

  init(_ index: Int, on scheduler: SeededScheduler, of process: SimulatedProcess? = nil) {
    self.index = index
    lane = SimulatedLane("loop \(index)", on: scheduler, of: process)
  }

  var now: MonotonicTime { MonotonicTime(nanoseconds: sim_now()) }

  func later(_ body: @escaping @Sendable () -> Void) { lane.async(body) }

  func later(after delay: Duration, _ body: @escaping @Sendable () -> Void) { lane.async(after: delay, body) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lane.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Keeps it from everything for so long, as something else does that takes long on its thread.
  func stall(for duration: Duration) {
    lane.suspend()
    Simulation.scheduler.at(sim_now() + duration.nanoseconds) { [lane] in lane.resume() }
  }

  /// Has the handler rest whenever nothing is ready.
  func serve(_ handler: any Handler) {
    handler.start(on: self)
    lane.didRunDry = { handler.rest() }
  }
}
