import GatehouseSQLite
import GatehouseScheduling
import GatehouseSharing
import GatehouseTelemetry
import Synchronization

/// Readers on threads of their own, for what would keep an event loop too long.
///
/// ``ReadSchedule`` says what runs when. A job whose task is cancelled stops within a few thousand instructions of
/// SQLite's machine, or leaves the queue.
final class ReaderPool: Sendable {
  private struct Job: Sendable {
    let caller: Caller
    let interruption: Interruption
    /// Does it, after it has waited for so many nanoseconds.
    let run: @Sendable (PooledReader, _ waited: UInt64) -> Void
    let fail: @Sendable (StorageError) -> Void
  }

  private struct State {
    var idle: [PooledReader] = []
    var schedule: ReadSchedule<Job>
    var hasTimer = false
  }

  private let view: StoreView
  private let state: Mutex<State>
  private let timers: any Lane

  /// At most `threads` threads, each made when the others are busy.
  init(_ view: StoreView, threads: Int, places: Int) {
    self.view = view
    timers = view.options.scheduler.makeLane("gatehouse.reader.timers", priority: .utility)
    let schedule = ReadSchedule<Job>(threads: threads, places: places, timeLimit: view.options.queryTime)
    state = Mutex(State(schedule: schedule))
  }

  /// Throws ``StorageError/refused(_:)`` where too many wait.
  func read<Answer: Sendable>(
    for caller: Caller, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    let interruption = Interruption()
    let result: Result<Answer, any Error> = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        submit(
          Job(caller: caller, interruption: interruption) { reader, waited in
            continuation.resume(
              returning: Result { try reader.read(until: interruption, waited: waited, body) })
          } fail: {
            continuation.resume(returning: .failure($0))
          })
      }
    } onCancel: {
      interruption.request()
      withSchedule { $0.removeFirst { $0.interruption === interruption } }?.fail(.cancelled)
    }
    return try result.get()
  }

  private func submit(_ job: Job) {
    let now = MonotonicClock.now()
    let result = state.withLock { state -> Result<PooledReader?, StorageError> in
      // A cancellation looks for it in the queue after the request.
      if job.interruption.isRequested { return .failure(.cancelled) }
      do throws(SharingError) {
        defer { note(state.schedule.waiting) }
        guard try state.schedule.submit(job, for: job.caller, at: now) else {
          startTimer(&state, now)
          return .success(nil)
        }
        return .success(state.idle.popLast() ?? PooledReader(view))
      } catch {
        return .failure(.refused(error))
      }
    }
    switch result {
    case .success(let reader): reader?.perform { reader in self.run(job, on: reader) }
    case .failure(let error): job.fail(error)
    }
  }

  private func run(_ first: Job, on reader: PooledReader) {
    var (job, waited) = (first, UInt64(0))
    while true {
      let start = MonotonicClock.now()
      job.run(reader, waited)
      let end = MonotonicClock.now()
      expire()
      guard let next = next(after: job.caller, end - start, on: reader) else { return }
      (job, waited) = (next.job, max(end, next.start) - next.start)
    }
  }

  private func next(after caller: Caller, _ time: UInt64, on reader: PooledReader) -> ReadSchedule<Job>
    .Waiting?
  {
    state.withLock { state in
      let next = state.schedule.finish(caller, after: time)?.waiting
      note(state.schedule.waiting)
      if next == nil { state.idle.append(reader) }
      precondition(
        state.idle.count + state.schedule.running <= state.schedule.threads, "a reader has one thread")
      return next
    }
  }

  private func withSchedule<Answer>(
    _ body: (inout sending ReadSchedule<Job>) -> Answer
  ) -> Answer {
    state.withLock { state in
      defer { note(state.schedule.waiting) }
      return body(&state.schedule)
    }
  }

  /// Tells those who read on loops how many wait.
  private func note(_ waiting: Int) {
    view.waitingReads.store(waiting, ordering: .relaxed)
  }

  // Deadlines

  /// Fails the jobs whose time is over.
  private func expire() {
    for job in withSchedule({ $0.expire(at: MonotonicClock.now()) }) { job.fail(.timeLimit) }
  }

  private func startTimer(_ state: inout State, _ now: UInt64) {
    guard !state.hasTimer, let deadline = state.schedule.deadline else { return }
    state.hasTimer = true
    timers.async(after: .nanoseconds(Int64(max(deadline, now) - now))) { [weak self] in
      guard let self else { return }
      expire()
      self.state.withLock { state in
        state.hasTimer = false
        self.startTimer(&state, MonotonicClock.now())
      }
    }
  }
}

/// A thread with a reader.
///
/// `@unchecked Sendable`. Because its reader is used on its lane only.
private final class PooledReader: @unchecked Sendable {
  private let lane: any Lane
  private let view: StoreView
  private var reader: Reader?

  init(_ view: StoreView) {
    self.view = view
    lane = view.options.scheduler.makeLane("gatehouse.reader", priority: .utility)
  }

  func perform(_ body: @escaping @Sendable (PooledReader) -> Void) {
    lane.async { body(self) }
  }

  func read<Answer>(
    until interruption: Interruption, waited: UInt64, _ body: (Reader) throws -> Answer
  ) throws -> Answer {
    lane.assertIsCurrent()
    let reader = try reader ?? Reader(view)
    self.reader = reader
    return try reader.read(until: interruption, waited: waited, body)
  }
}
