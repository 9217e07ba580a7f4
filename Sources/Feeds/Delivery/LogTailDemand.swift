import GatehouseStorage
import Synchronization

/// Has the store keep the end of its log in memory as long as one of those who follow it wants that.
final class LogTailDemand: Sendable {
  private let store: Store
  private let count = Mutex(0)

  init(_ store: Store) {
    self.store = store
  }

  func begin() {
    count.withLock { count in
      count += 1
      if count == 1 { store.keepTail(true) }
    }
  }

  /// Ends what ``begin()`` began.
  func end() {
    count.withLock { count in
      precondition(count > 0, "what ends has begun")
      count -= 1
      if count == 0 { store.keepTail(false) }
    }
  }
}
