import GatehouseLive
import Synchronization

/// Changes, each as the loop asks for it: what changes while nobody asks is told as one.
///
///     for await change in realm.objects(Dog.self).changes() { … }
///
/// To be used on the actor, or the main actor, that the Realm belongs to. It begins with the state of a collection, tells of what has
/// changed since the loop began, and ends with the loop, or with the object.
public struct RealmChanges<Change>: AsyncSequence {
  public typealias Element = Change
  public typealias Failure = Never

  let isLast: (Change) -> Bool
  let observe: (@escaping (Change) -> Void) -> NotificationToken

  init(
    until isLast: @escaping (Change) -> Bool = { _ in false },
    _ observe: @escaping (@escaping (Change) -> Void) -> NotificationToken
  ) {
    self.isLast = isLast
    self.observe = observe
  }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Waits for one change after the other.
  public final class Iterator: AsyncIteratorProtocol {
    private let isLast: (Change) -> Bool
    private let place = Place()
    private var token: NotificationToken?
    private var hasEnded = false

    init(_ changes: RealmChanges) {
      isLast = changes.isLast
      token = changes.observe { [place, weak self] change in
        place.put(change)
        self?.token?.isPaused = true
      }
    }

    deinit { token?.invalidate() }

    /// Returns the next change; nil: the object is gone, or the task was cancelled.
    public nonisolated(nonsending) func next() async -> Change? { await next(isolation: #isolation) }

    /// Returns the next change without leaving the actor; nil: the object is gone, or the task was cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> Change? {
      if hasEnded { return nil }
      if place.isEmpty { token?.isPaused = false }
      let change = await withTaskCancellationHandler {
        await place.take(isolation: actor)
      } onCancel: { [place] in
        place.end()
      }
      if change.map(isLast) ?? true {
        hasEnded = true
        token?.invalidate()
      }
      return change
    }
  }

  /// Holds a change until it is taken.
  ///
  /// Because all of it is behind the lock, and changes are put and taken on one actor, it is safe to share.
  private final class Place: @unchecked Sendable {
    private let lock = Mutex(())
    private var change: Change?
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    var isEmpty: Bool { lock.withLock { _ in change == nil } }

    func put(_ change: Change) {
      lock.withLock { _ -> CheckedContinuation<Void, Never>? in
        self.change = change
        return takeWaiter()
      }?.resume()
    }

    func end() {
      lock.withLock { _ -> CheckedContinuation<Void, Never>? in
        hasEnded = true
        return takeWaiter()
      }?.resume()
    }

    private func takeWaiter() -> CheckedContinuation<Void, Never>? {
      defer { waiter = nil }
      return waiter
    }

    func take(isolation actor: isolated (any Actor)?) async -> Change? {
      await withCheckedContinuation { waiter in
        let isReady = lock.withLock { _ in
          precondition(self.waiter == nil, "one change is waited for at a time")
          if change == nil, !hasEnded { self.waiter = waiter }
          return change != nil || hasEnded
        }
        if isReady { waiter.resume() }
      }
      var taken: Change?
      lock.withLock { _ in
        taken = hasEnded ? nil : change
        change = nil
      }
      return taken
    }
  }
}

extension RealmCollection {
  /// The collection, and then its changes, those of some properties, or of all.
  public func changes(keyPaths: [String]? = nil) -> RealmChanges<RealmCollectionChange<Self>> {
    RealmChanges { self.observe(keyPaths: keyPaths, on: nil, $0) }
  }
}

extension Map {
  /// The map, and then its changes, those of some properties of its values, or of all.
  public func changes(keyPaths: [String]? = nil) -> RealmChanges<RealmMapChange<Map>> {
    RealmChanges { self.observe(keyPaths: keyPaths, on: nil, $0) }
  }
}

extension RealmSectionedResult {
  /// The sections, and then their changes, those of some properties, or of all.
  public func changes(keyPaths: [String]? = nil) -> RealmChanges<SectionedResultsChange<Self>> {
    RealmChanges { self.observe(keyPaths: keyPaths, on: nil, $0) }
  }
}

extension ThreadConfined where Self: ObjectBase {
  /// Changes of the object, of some of its properties, or of all, until it is deleted.
  public func changes(keyPaths: [String]? = nil) -> RealmChanges<ObjectChange<Self>> {
    RealmChanges {
      if case .deleted = $0 { true } else { false }
    } _: {
      self.observeChanges(keyPaths, on: nil, $0)
    }
  }
}

extension ProjectionObservable {
  /// Changes of the object that the view shows, of some of its properties, or of all, until it is deleted.
  public func changes(keyPaths: [String]? = nil) -> RealmChanges<ObjectChange<Self>> {
    RealmChanges {
      if case .deleted = $0 { true } else { false }
    } _: {
      self.observe(keyPaths: keyPaths, on: nil, $0)
    }
  }
}
