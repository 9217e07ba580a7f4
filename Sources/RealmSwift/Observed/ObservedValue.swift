import GatehouseLive
import Observation

/// Tells whoever tracks it, by `withObservationTracking`, that a value of a Realm has changed.
///
/// Because all of it is used where the Realm lives, it is safe to share.
final class ObservedValue: Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()
  private var token: NotificationToken?
  /// Counts changes; that is what is tracked.
  private var changes = 0

  /// Says that the value is read, and observes it from the first time on.
  func access(_ observe: (@escaping () -> Void) -> NotificationToken?) {
    registrar.access(self, keyPath: \.changes)
    if token != nil { return }
    token = observe { [weak self] in self?.didChange() }
  }

  /// Lets go of the observed value.
  func forget() { token = nil }

  /// Tells who tracks the value that it has changed.
  func didChange() { registrar.withMutation(of: self, keyPath: \.changes) { changes += 1 } }
}

/// A value of a Realm that the wrappers observe: objects, projections and collections.
public protocol RealmSubscribable: ThreadConfined {
  /// Calls `didChange` when the value changes; nil: it is in no Realm, or in one that cannot call.
  func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken?
}

extension ThreadConfined {
  /// Whether the Realm is one that can call where it lives.
  fileprivate var isObservable: Bool {
    guard let realm, !isFrozen, !isInvalidated else { return false }
    return realm.context.live.confinement.isReachable
  }

  /// Returns what is to be called for each change that an observer is told of: it calls `didChange`, for a beginning only where
  /// something was committed since now.
  func changesSinceNow(_ didChange: @escaping () -> Void) -> (_ isBeginning: Bool) -> Void {
    let live = realm?.context.live
    let version = live?.version
    return { isBeginning in if !isBeginning || live?.version != version { didChange() } }
  }

  /// Has the live value change, in a transaction of its own where none is open.
  func change(_ body: (Self) -> Void) {
    if isInvalidated { return }
    guard let realm else { return body(self) }
    guard let live = realm.isFrozen ? thaw() : self, let liveRealm = live.realm else { return }
    if liveRealm.isInWriteTransaction { return body(live) }
    do { try liveRealm.write { body(live) } } catch { fatalError("\(error)") }
  }
}

extension RealmCollection {
  public func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken? {
    guard isObservable else { return nil }
    let tell = changesSinceNow(didChange)
    return observe { change in
      if case .initial = change { tell(true) } else { tell(false) }
    }
  }
}

extension List: RealmSubscribable {}
extension MutableSet: RealmSubscribable {}
extension Results: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}
extension AnyRealmCollection: RealmSubscribable {}

extension Map: RealmSubscribable {
  public func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken? {
    guard isObservable else { return nil }
    let tell = changesSinceNow(didChange)
    return observe { change in
      if case .initial = change { tell(true) } else { tell(false) }
    }
  }
}

extension RealmSectionedResult {
  public func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken? {
    guard isObservable else { return nil }
    let tell = changesSinceNow(didChange)
    return observe { change in
      if case .initial = change { tell(true) } else { tell(false) }
    }
  }
}

extension SectionedResults: RealmSubscribable {}
extension ResultsSection: RealmSubscribable {}

extension ThreadConfined where Self: ObjectBase {
  public func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken? {
    guard isObservable else { return nil }
    return observeChanges(nil, on: nil) { (_: ObjectChange<Self>) in didChange() }
  }
}

extension RealmSwiftObject: RealmSubscribable {}
extension RealmSwiftEmbeddedObject: RealmSubscribable {}

extension Projection: RealmSubscribable {
  public func _rlmSubscribe(_ didChange: @escaping () -> Void) -> NotificationToken? {
    guard isObservable else { return nil }
    return rootObject.observeChanges(nil, on: nil) { (_: ObjectChange<Root>) in didChange() }
  }
}
