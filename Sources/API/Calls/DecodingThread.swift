import GatehouseScheduling
import GatehouseSharing
import Synchronization

/// A thread that decodes large contents, those of callers in turn.
///
/// There is one per event loop, and it exists while there is something to decode. What waits is bounded by the memory that
/// contents share.
final class DecodingThread: Sendable {
  private struct Job {
    let task: UnownedJob
    let content: IncomingContent
  }

  private struct State {
    var waiting = FairQueue<Job>(capacity: .max)
    var isRunning = false
  }

  private let lane: any Lane
  private let state = Mutex(State())

  init(on scheduler: any Scheduler) { lane = scheduler.makeLane("gatehouse.decode", priority: .utility) }

  /// Runs a job of the content's task when it is the caller's turn.
  func run(_ job: UnownedJob, on content: IncomingContent, for caller: Caller) {
    let isNew = state.withLock { state in
      do throws(SharingError) {
        try state.waiting.append(Job(task: job, content: content), for: caller)
      } catch {
        preconditionFailure("there is room for each content that is there")
      }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isNew { lane.async { self.runAll() } }
  }

  private func runAll() {
    while let job = next() { unsafe job.task.runSynchronously(on: job.content.asUnownedTaskExecutor()) }
  }

  private func next() -> Job? {
    state.withLock { state in
      precondition(state.isRunning, "one thread decodes at a time, while there is something to decode")
      guard let (job, caller) = state.waiting.popFirst() else {
        state.isRunning = false
        return nil
      }
      state.waiting.charge(1, to: caller)
      return job
    }
  }
}
