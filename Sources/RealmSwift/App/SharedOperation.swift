import Synchronization

/// Has everybody who asks for an operation while it runs share its outcome.
final class SharedOperation<Output: Sendable>: Sendable {
  private let running = Mutex<Task<Result<Output, RLMAppError>, Never>?>(nil)

  func run(
    _ body: @escaping @Sendable () async throws(RLMAppError) -> Output
  ) async throws(RLMAppError) -> Output {
    let task = running.withLock { running in
      if let running { return running }
      let task = Task {
        // It ends for the next who asks before anybody sees the outcome.
        defer { self.running.withLock { $0 = nil } }
        do throws(RLMAppError) { return Result<Output, RLMAppError>.success(try await body()) } catch {
          return .failure(error)
        }
      }
      running = task
      return task
    }
    return try await task.value.get()
  }
}

/// Hands the outcome of asynchronous work to a closure, on any thread.
enum Completion {
  static func run<Output: Sendable>(
    _ completion: @escaping @Sendable (Result<Output, any Error>) -> Void,
    _ body: @escaping @Sendable () async throws -> Output
  ) {
    Task {
      let result: Result<Output, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      completion(result)
    }
  }

  static func run(
    _ completion: @escaping @Sendable ((any Error)?) -> Void,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    run(
      { (result: Result<Void, any Error>) in
        if case .failure(let error) = result { completion(error) } else { completion(nil) }
      }, body)
  }
}
