import Synchronization

/// A counting semaphore for tasks: at most so many are in at once, the others wait in the order in which they came.
///
/// Swift Testing begins all tests at once. Those that open stores would have more files open than a process may.
public final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  public init(_ count: Int) {
    state = Mutex(State(free: count))
  }

  /// Waits for a permit, and has it while `body` runs. Bodies must not wait for other permits: all might.
  public func withPermit<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await take()
    defer { leave() }
    return try await body()
  }

  private func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free == 0 {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
