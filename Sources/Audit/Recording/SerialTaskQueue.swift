import Synchronization

/// Runs asynchronous bodies one after the other, in the order of the calls.
public final class SerialTaskQueue: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  public init() {}

  /// Returns what `body` does, after all that came before.
  public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws
    -> Result
  {
    try await task(body).value
  }

  /// Has `body` run after all that came before; returns at once.
  public func enqueue(_ body: @escaping @Sendable () async -> Void) { _ = task(body) }

  private func task<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) -> Task<Result, any Error> {
    last.withLock { last in
      let previous = last
      let task = Task {
        await previous?.value
        return try await body()
      }
      last = Task { _ = await task.result }
      return task
    }
  }
}
