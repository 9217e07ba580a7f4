import GatehouseSharing
import GatehouseStorage

/// The content of one request that is still arriving: the memory that it takes is part of its caller's share, and what
/// is large is decoded on a thread.
///
/// The part is given back when the request has been answered, or the object is gone.
final class IncomingContent: TaskExecutor {
  /// Contents of no more bytes are not counted.
  static let small = 64 << 10
  /// Contents of more bytes are decoded on a thread.
  static let large = 1 << 20
  /// The bytes of memory that a byte of content takes, about, together with the texts that are made of it.
  static let growth = 4

  private let caller: Caller
  private let memory: SharedBudget.Reservation
  private let check: @Sendable () throws -> Void
  private let thread: DecodingThread

  /// `check` is called once all of the content has arrived; it throws where the request is not to be answered any more.
  init(
    for caller: Caller, in store: Store, on thread: DecodingThread,
    check: @escaping @Sendable () throws -> Void
  ) {
    self.check = check
    self.caller = caller
    self.thread = thread
    memory = store.memory.reservation(for: caller)
  }

  /// Counts `count` bytes of content as held.
  func hold(_ count: Int) throws(BudgetError) {
    if count > Self.small { try memory.grow(to: count * Self.growth) }
  }

  /// Counts the values that will be decoded as held, beside the bytes.
  func hold(_ count: Int, valuesTaking memory: @autoclosure () -> Int) throws(BudgetError) {
    if count > Self.small { try self.memory.grow(to: count * Self.growth + memory()) }
  }

  /// Called when all of the content has arrived.
  func didArrive() throws {
    try check()
  }

  /// Gives all of the memory back.
  func release() {
    memory.release()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    thread.run(UnownedJob(job), on: self, for: caller)
  }
}
