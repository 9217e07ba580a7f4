import GatehouseStorage
import Synchronization

/// The rounds in which a broker tells of commits: one is to come for all commits until it begins, and none while nobody watches.
final class CommitRounds: Sendable {
  private let tail: LogTailDemand
  private let isSignalled = Atomic(false)
  private let isWatched = Atomic(false)
  private let told = Atomic<Int64>(0)

  init(_ tail: LogTailDemand) { self.tail = tail }

  /// Whether anybody watches.
  var isAwake: Bool { isWatched.load(ordering: .relaxed) }

  /// The version up to which everybody was told.
  var published: Int64 {
    get { told.load(ordering: .relaxed) }
    set { told.store(newValue, ordering: .relaxed) }
  }

  /// Where those are who are told of commits; while there are none, no position is beyond it.
  var live: LogPosition { LogPosition(version: isAwake ? published : .max) }

  /// Notes a commit, on the writer's queue; returns whether a round is to be begun for it.
  func noteCommit() -> Bool { isAwake && request() }

  /// Has a round come; returns whether it is to be begun, and none is to come already.
  func request() -> Bool { !isSignalled.exchange(true, ordering: .acquiringAndReleasing) }

  /// Called as a round begins: later commits are for the next one.
  func begin() { isSignalled.store(false, ordering: .releasing) }

  /// Begins to be told of commits, and returns the position behind which; nil: it cannot be read.
  func wake(_ store: Store, at position: () throws -> LogPosition) -> LogPosition? {
    published = store.version
    isWatched.store(true, ordering: .sequentiallyConsistent)
    tail.begin()
    guard let position = try? position() else {
      tail.end()
      return nil
    }
    published = position.version
    return position
  }

  /// Nobody watches: commits are no concern any more.
  ///
  /// - Parameter hasBegun: Whether ``wake(_:at:)`` has returned a position before.
  func sleep(hasBegun: Bool) {
    isWatched.store(false, ordering: .sequentiallyConsistent)
    if hasBegun { tail.end() }
  }
}
