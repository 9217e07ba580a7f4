import Dispatch

/// Runs what waits on its thread by a thread of its own: Swift's pool has as many as there are processors, and tests that would keep
/// them all would wait for tasks that need one.
func offPool(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    DispatchQueue(label: "test").async { continuation.resume(with: Result(catching: body)) }
  }
}
