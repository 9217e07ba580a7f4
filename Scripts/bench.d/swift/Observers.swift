import Dispatch
import RealmSwift
import Synchronization

/// Observers of results, each of another filter, in a Realm of a queue.
///
/// Because all but the time is used on the queue, it is safe to share.
final class Observers: @unchecked Sendable {
  private let queue = DispatchQueue(label: "observers")
  private let told = DispatchSemaphore(value: 0)
  private let time = Mutex(ContinuousClock.now)
  private var tokens: [NotificationToken] = []
  private var realm: Realm?

  /// Returns when all have been told of what there is to begin with.
  init(_ configuration: Realm.Configuration, count: Int) throws {
    let begun = DispatchSemaphore(value: 0)
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      self.realm = realm
      for number in 0..<count {
        let items = realm.objects(SwiftBench.Item.self).where { $0.id == number && $0.price >= 0 }
        tokens.append(
          items.observe { [unowned self] change in
            if case .update = change {
              time.withLock { $0 = .now }
              told.signal()
            } else {
              begun.signal()
            }
          })
      }
    }
    for _ in 0..<count { begun.wait() }
  }

  /// Returns when an observer was told.
  func waitForChange() -> ContinuousClock.Instant {
    told.wait()
    return time.withLock { $0 }
  }

  /// Ends the observation, and closes the Realm.
  func end() {
    queue.sync {
      tokens = []
      realm = nil
    }
  }
}
