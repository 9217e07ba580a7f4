import GatehouseLive
import Synchronization

/// A value of a Realm on its way to another thread, where it is resolved once.
///
/// Because the frozen value in it is used by nobody before it is resolved, it is safe to share.
public struct ThreadSafeReference<Confined: ThreadConfined>: @unchecked Sendable {
  private final class Content {
    var frozen: Confined?

    init(_ frozen: Confined) { self.frozen = frozen }
  }

  private let content: Content

  /// Whether it was resolved already.
  public var isInvalidated: Bool { content.frozen == nil }

  /// Makes a reference to an object, a collection or a Realm.
  public init(to threadConfined: Confined) {
    guard threadConfined.realm != nil || threadConfined.isInvalidated else {
      fatalError(
        "Cannot construct reference to unmanaged object, which can be passed across threads directly")
    }
    if threadConfined.isInvalidated { fatalError("Cannot construct reference to invalidated object") }
    content = Content(threadConfined.freeze())
  }

  fileprivate func take() -> Confined {
    guard let frozen = content.frozen else {
      fatalError("Can only resolve a thread safe reference once.")
    }
    content.frozen = nil
    return frozen
  }

  fileprivate var version: Int64? { content.frozen?.realm?.context.live.version }
}

extension Realm {
  /// Returns the value of a reference in this Realm; nil: it was deleted.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    context.check()
    let version = reference.version ?? 0
    let frozen = reference.take()
    if frozen.realm?.context.file !== context.file {
      fatalError(
        "Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
    }
    if context.live.write == nil, version > context.live.version { refresh() }
    return (frozen as? any MovableConfined)?.anyMoved(to: context) as? Confined
  }
}

/// A value of a Realm that is to be had in another one of the same file, behind `Any`.
protocol MovableConfined {
  func anyMoved(to context: RealmContext) -> Any?
}

extension ObjectBase: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { copy(in: context) }
}

extension List: MovableConfined { func anyMoved(to context: RealmContext) -> Any? { moved(to: context) } }
extension MutableSet: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { moved(to: context) }
}
extension Map: MovableConfined { func anyMoved(to context: RealmContext) -> Any? { moved(to: context) } }
extension Results: MovableConfined { func anyMoved(to context: RealmContext) -> Any? { moved(to: context) } }
extension LinkingObjects: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { moved(to: context) }
}
extension AnyRealmCollection: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { moved(to: context) }
}

/// Holds a value of a Realm that any thread may take.
///
/// Because what it holds is behind the lock, it is safe to share.
@propertyWrapper public final class ThreadSafe<T: ThreadConfined>: @unchecked Sendable {
  private let lock = Mutex(())
  private var frozen: T?

  /// The value, in a Realm of the thread that asks.
  public var wrappedValue: T? {
    get { lock.withLock { _ in frozen }.flatMap { $0.thaw() } }
    set {
      if let newValue, newValue.realm == nil, !newValue.isInvalidated {
        fatalError("Only managed objects may be wrapped as thread safe.")
      }
      let frozen = newValue.flatMap { $0.isInvalidated ? nil : $0.freeze() }
      lock.withLock { _ in self.frozen = frozen }
    }
  }

  /// Holds a value; nil: none.
  public init(wrappedValue: T?) { self.wrappedValue = wrappedValue }
}
