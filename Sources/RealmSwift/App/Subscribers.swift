import Synchronization

/// Closures that are called when something changes.
final class Subscribers<Subject>: Sendable {
  private struct State {
    var blocks: [(id: UInt64, block: @Sendable (Subject) -> Void)] = []
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Adds a closure, and returns its number.
  func add(_ block: @escaping @Sendable (Subject) -> Void) -> UInt64 {
    state.withLock { state in
      state.last += 1
      state.blocks.append((state.last, block))
      return state.last
    }
  }

  func remove(_ id: UInt64) { state.withLock { $0.blocks.removeAll { $0.id == id } } }

  /// Calls them all.
  func tell(_ subject: Subject) {
    for (_, block) in state.withLock({ $0.blocks }) { block(subject) }
  }
}

/// Stands for a closure that is called when an app's user changes, until the token lets go of it.
public final class RLMAppSubscriptionToken: Sendable {
  private let subscribers: Subscribers<App>
  private let id: UInt64

  init(_ subscribers: Subscribers<App>, _ block: @escaping @Sendable (App) -> Void) {
    self.subscribers = subscribers
    id = subscribers.add(block)
  }

  /// Has the closure not be called any more.
  public func unsubscribe() { subscribers.remove(id) }
}

/// Stands for a closure that is called when a user changes, until the token lets go of it.
public final class RLMUserSubscriptionToken: Sendable {
  private let subscribers: Subscribers<User>
  private let id: UInt64

  init(_ subscribers: Subscribers<User>, _ block: @escaping @Sendable (User) -> Void) {
    self.subscribers = subscribers
    id = subscribers.add(block)
  }

  /// Has the closure not be called any more.
  public func unsubscribe() { subscribers.remove(id) }
}
