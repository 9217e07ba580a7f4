import Synchronization
import Testing

@testable import Audit

struct SerialTaskQueueTests {
  struct Failure: Error {}

  @Test func `bodies run one after the other, and each caller gets the result of its own`() async throws {
    let queue = SerialTaskQueue()
    let running = Mutex((now: 0, most: 0))
    let results = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await queue.run {
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return number
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(results == Set(0..<20))
    #expect(running.withLock { $0.most } == 1)
  }

  @Test func `an error is its caller's, and the next body runs`() async throws {
    let queue = SerialTaskQueue()
    await #expect(throws: Failure.self) { try await queue.run { throw Failure() } as Int }
    #expect(try await queue.run { 7 } == 7)
  }
}
