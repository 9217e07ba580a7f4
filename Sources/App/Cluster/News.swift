import Synchronization

/// Has tasks wait until something is so that may be so after each piece of news.
final class News: Sendable {
  private struct State {
    var count = 0
    /// The tasks that wait, by numbers; nil: one that is asking, and is about to wait.
    var waiting: [Int: CheckedContinuation<Void, Never>?] = [:]
  }

  private let state = Mutex(State())

  /// Has all who wait ask anew.
  func tell() {
    for continuation in state.withLock({ state in
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }) {
      continuation?.resume()
    }
  }

  /// Returns whether something is so, once it is, or after some time, or when the task is cancelled.
  ///
  /// - Parameter isSo: Asked anew after each piece of news; called from any thread.
  func wait(atMost limit: Duration, until isSo: @escaping @Sendable () -> Bool) async -> Bool {
    await withTaskGroup { group in
      group.addTask {
        while !Task.isCancelled {
          let number = self.expect()
          // News from here on are not missed.
          if isSo() {
            self.forget(number)
            return true
          }
          await self.wait(for: number)
        }
        return isSo()
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return isSo()
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func expect() -> Int {
    state.withLock { state in
      state.count += 1
      state.waiting.updateValue(nil, forKey: state.count)
      return state.count
    }
  }

  private func forget(_ number: Int) {
    if let continuation = state.withLock({ $0.waiting.removeValue(forKey: number) }) {
      continuation?.resume()
    }
  }

  private func wait(for number: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard let known = state.waiting[number] else { return false }
          precondition(known == nil, "a task waits for one piece of news at a time")
          state.waiting[number] = .some(continuation)
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      forget(number)
    }
  }
}
