import GatehouseTestSupport
import Testing

/// Lets so many cases of tests run at once that their stores have descriptors enough, however many worlds there are.
struct BoundedWorlds: TestTrait, SuiteTrait, TestScoping {
  private static let open = AsyncSemaphore(32)

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await Self.open.withPermit { try await function() }
  }
}

extension Trait where Self == BoundedWorlds {
  static var boundedWorlds: BoundedWorlds { BoundedWorlds() }
}
