import Synchronization
import Testing

@testable import GatehouseAudit

struct SerialTaskQueueTests {
  struct Failure: Error {}

  /// Bodies that run at once, and the most that there were.
  private final class Running: Sendable {
    let counts = Mutex((now: 0, most: 0))
  }

  @Test func `bodies run one after the other, and each caller gets the result of its own`() async throws {
    let queue = SerialTaskQueue()
    let running = Running()
    let results = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await queue.run {
            running.counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.counts.withLock { $0.now -= 1 }
            return number
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(results == Set(0..<20))
    #expect(running.counts.withLock { $0.most } == 1)
  }

  @Test func `an error is its caller's, and the next body runs`() async throws {
    let queue = SerialTaskQueue()
    await #expect(throws: Failure.self) { try await queue.run { throw Failure() } as Int }
    #expect(try await queue.run { 7 } == 7)
  }
}
