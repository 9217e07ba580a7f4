import Synchronization

/// Runs asynchronous bodies one after the other, in the order of the calls.
final class SerialTaskQueue: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = last.withLock { last in
      let previous = last
      let task = Task {
        await previous?.value
        return try await body()
      }
      last = Task { _ = await task.result }
      return task
    }
    return try await task.value
  }
}
