import GatehouseLive
import Synchronization

/// A value of a Realm on its way to another thread, where it is resolved once.
///
/// Because the value in it is used by nobody before it is resolved, but for what never changes, it is safe to share.
public struct ThreadSafeReference<Confined: ThreadConfined>: @unchecked Sendable {
  private final class Content {
    var value: Confined?

    init(_ value: Confined) { self.value = value }
  }

  private let content: Content
  fileprivate let file: RealmFile
  /// The state that the value is of; nil: it is of a transaction that was open when the reference was made.
  fileprivate let version: Int64?

  /// Whether it was resolved already.
  public var isInvalidated: Bool { content.value == nil }

  /// Makes a reference to an object, a collection or a Realm. One to what an open transaction has made leads to it once that was
  /// committed.
  public init(to threadConfined: Confined) {
    if threadConfined.isInvalidated { fatalError("Cannot construct reference to invalidated object") }
    guard let context = threadConfined.realm?.context else {
      fatalError(
        "Cannot construct reference to unmanaged object, which can be passed across threads directly")
    }
    guard let movable = threadConfined as? any MovableConfined else {
      fatalError("Illegal custom conformance to `RLMThreadConfined` by `\(Confined.self)`")
    }
    context.check()
    file = context.file
    let frozen = movable.anyMoved(to: context.frozen()) as? Confined
    if frozen == nil, context.live.write == nil {
      fatalError("Cannot construct reference to invalidated object")
    }
    content = Content(frozen ?? threadConfined)
    version = frozen.map { _ in context.live.version }
  }

  fileprivate func take() -> Confined {
    guard let value = content.value else { fatalError("Can only resolve a thread safe reference once.") }
    content.value = nil
    return value
  }
}

extension Realm {
  /// Returns the value of a reference in this Realm; nil: it was deleted. Stops in a transaction: that has its state already.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    context.check()
    if context.live.write != nil {
      fatalError("Cannot resolve a thread safe reference in a write transaction.")
    }
    let value = reference.take()
    if reference.file !== context.file {
      fatalError(
        "Cannot resolve thread safe reference in Realm with different configuration than the source Realm.")
    }
    if reference.version.map({ $0 > context.live.version }) ?? true { refresh() }
    return (value as? any MovableConfined)?.anyMoved(to: context) as? Confined
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
extension SectionedResults: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { moved(to: context) }
}
extension ResultsSection: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? { moved(to: context) }
}
extension Projection: MovableConfined {
  func anyMoved(to context: RealmContext) -> Any? {
    rootObject.copy(in: context).map { Self(projecting: $0) }
  }
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
