internal import GatehouseHTTP

/// A task that answers the requests of one loop's connections, one after the other.
///
///     busy ──no request waits──▶ idle ──a request──▶ busy
///      └──its client leaves──▶ spent
///
/// A task per request would cost more than reading the request does. A task that was cancelled stays so, and is
/// not used again.
///
/// @unchecked Sendable: Because it is touched on its loop's queue only.
final class RequestTask: @unchecked Sendable {
  /// How many that have nothing to do a loop keeps for what may come.
  static let idle = 16

  private let loop: EventLoop
  private var task: Task<Void, Never>?
  private var isSpent = false
  private var waiter: UnsafeContinuation<Void, Never>?

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Answers at once, on the caller's stack, until a handler must wait.
  func start() {
    let task = Task.immediate(executorPreference: loop) { await self.run() }
    self.task = task
    if isSpent { task.cancel() }
  }

  /// Lets an idle task go on, as a job of the loop.
  func resume() {
    waiter?.resume()
    waiter = nil
  }

  /// Tells the handler at work that nobody waits for its answer.
  func cancel() {
    isSpent = true
    task?.cancel()
  }

  private func run() async {
    while !isSpent {
      if let next = loop.nextToAnswer() {
        let connection = next.connection
        await connection.answer(consume next, by: self)
      } else if loop.keeps(self) {
        precondition(waiter == nil, "a task waits for one request at a time")
        await withUnsafeContinuation { waiter = $0 }
      } else {
        return
      }
    }
  }
}
