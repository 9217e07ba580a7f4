import GatehouseScheduling
import Synchronization

/// The writer's turn, given to another thread: the writer's queue does nothing until that thread gives it back.
///
///     waiting ──its turn──▶ given ──useLast(_:)──▶ used ──end()──▶ ended
///                             └──too long──▶ expired, rolled back
///
/// Where the queue has nothing to do, the turn is taken at once, and the queue suspended until it ends: that takes no other thread.
final class WriterTurn: Sendable {
  private enum State { case waiting, given, used, ended, expired }

  private let state = Mutex(State.waiting)
  /// Nil: the turn was taken at once.
  private let began: (any Signal)?
  private let ended: (any Signal)?
  /// How long the turn may take; nil: as long as it takes.
  private let limit: Duration?
  /// The queue that is suspended for the turn; nil: it is waiting for the end of it.
  private let suspended: (any Lane)?
  /// Called before the queue goes on.
  private let finish: @Sendable () -> Void
  /// The thread that asked for it.
  let thread: UInt

  /// - Parameter limit: In nanoseconds.
  init(of thread: UInt, limit: UInt64?, on scheduler: any Scheduler) {
    self.thread = thread
    (began, ended) = (scheduler.makeSignal(), scheduler.makeSignal())
    self.limit = limit.map { .nanoseconds(Int64(clamping: $0)) }
    suspended = nil
    finish = {}
  }

  /// A turn that is taken by who runs on the queue, which goes on when it has ended and `finish` was called.
  init(of thread: UInt, suspending lane: any Lane, finish: @escaping @Sendable () -> Void) {
    self.thread = thread
    (began, ended) = (nil, nil)
    limit = nil
    suspended = lane
    self.finish = finish
    state.withLock { $0 = .given }
    lane.suspend()
  }

  // The writer

  /// Gives the turn, and returns when it is over. `expire` is called, with nobody else at work, if it took too long.
  func give(expire: () -> Void) {
    state.withLock { state in
      precondition(state == .waiting, "a turn is given once")
      state = .given
    }
    began?.signal()
    guard let ended else { return }
    guard let limit else { return ended.wait() }
    guard !ended.wait(for: limit) else { return }
    state.withLock { state in
      guard state == .given else { return }
      state = .expired
      expire()
    }
  }

  // The thread that has it

  /// Returns when the turn has come.
  func wait() { began?.wait() }

  /// Runs `body`, which the writer does not interrupt; throws ``StorageError/timeLimit`` where the turn is over.
  func use<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
    try use(then: .given, body)
  }

  /// Does the same with what is done last in the turn: it is committed, or rolled back, and the time limit takes nothing back any more.
  func useLast<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
    try use(then: .used, body)
  }

  private func use<Answer>(
    then next: State, _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try state.withLock { state -> Result<Answer, StorageError> in
      guard state == .given else { return .failure(.timeLimit) }
      state = next
      do throws(StorageError) { return .success(try body()) } catch { return .failure(error) }
    }.get()
  }

  /// Gives the turn back.
  func end() {
    let wasGiven = state.withLock { state in
      precondition(state != .waiting && state != .ended, "a turn ends once, and not before it has come")
      guard state == .given || state == .used else { return false }
      state = .ended
      return true
    }
    guard wasGiven else { return }
    if let suspended {
      finish()
      suspended.resume()
    } else {
      ended?.signal()
    }
  }
}
