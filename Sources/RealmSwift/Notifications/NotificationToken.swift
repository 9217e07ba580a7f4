import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Stands for an observer: as long as it is there, and not invalidated, the observer is told of changes.
///
/// Because all but the flag is used where the Realm lives, it is safe to share.
public final class NotificationToken: @unchecked Sendable {
  private let context: RealmContext
  private let isActive = Atomic(true)
  private var notifier: Notifier?

  /// A token of an observer of a Realm, or of something in it.
  init(_ context: RealmContext) { self.context = context }

  deinit {
    guard endsNow() else { return }
    let handover = Handover(value: (context: context, notifier: notifier, identity: ObjectIdentifier(self)))
    context.live.confinement.async {
      let (context, notifier, identity) = handover.value
      context.forget(notifier, identity)
    }
  }

  /// A value on its way to where a Realm lives.
  ///
  /// Because it is used there only.
  struct Handover<Value>: @unchecked Sendable {
    let value: Value
  }

  /// Ends the observation.
  public func invalidate() {
    guard endsNow() else { return }
    // The notifier may be made at this moment, where the Realm lives.
    let handover = Handover(value: self)
    context.live.confinement.async {
      let token = handover.value
      token.context.forget(token.notifier, ObjectIdentifier(token))
    }
  }

  /// Ends the observation, once; true: the notifier is still to be forgotten, where the Realm lives.
  private func endsNow() -> Bool {
    guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return false }
    guard context.live.confinement.isCurrent else { return true }
    context.forget(notifier, ObjectIdentifier(self))
    return false
  }

  /// Whether the observer still wants to be told.
  var wantsChanges: Bool { isActive.load(ordering: .acquiring) }

  /// Has a notifier tell of changes from now on. It is made where the Realm lives.
  func observe(by make: @escaping (RealmContext) -> Notifier) {
    if context.live.confinement.isCurrent { return begin(make) }
    let handover = Handover(value: (token: self, make: make))
    context.live.confinement.async {
      if handover.value.token.wantsChanges { handover.value.token.begin(handover.value.make) }
    }
  }

  private func begin(_ make: (RealmContext) -> Notifier) {
    precondition(self.notifier == nil, "a token stands for one observer")
    let notifier = make(context)
    self.notifier = notifier
    context.live.add(notifier)
  }

  /// Has the observer not be told for now, or have it told of all that has changed meanwhile. Used where the Realm lives.
  var isPaused: Bool {
    get { notifier?.isPaused ?? false }
    set { notifier?.isPaused = newValue }
  }

  /// Has the observer not hear of a commit.
  func skip(_ version: Int64, after base: Int64) { notifier?.skip(version, after: base) }

  func requireRealm(_ other: RealmContext) {
    if context !== other {
      fatalError("Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    }
  }
}

extension RealmContext {
  fileprivate func forget(_ notifier: Notifier?, _ observer: ObjectIdentifier) {
    if let notifier { live.remove(notifier) }
    observers[observer] = nil
  }

  /// Stops where nothing can be observed; `kind` is what somebody wants to observe.
  func checkObservable(_ kind: String, isReachable: Bool) {
    check()
    if live.isFrozen {
      fatalError(
        """
        Notifications are not available on frozen \(kind) since they do not change. Frozen Realms do not change and do \
        not have change notifications.
        """)
    }
    if isReadOnly {
      fatalError(
        """
        Notifications are not available on read-only \(kind) since they do not change. Read-only Realms do not change \
        and do not have change notifications.
        """)
    }
    if live.hasWritten {
      fatalError("Cannot create asynchronous query after making changes in a write transaction.")
    }
    if !isReachable, !live.confinement.isReachable {
      fatalError("Can only add notification blocks from within runloops.")
    }
  }

  /// Returns the Realm of the same file where somebody else lives.
  func sibling(_ confinement: Confinement) -> RealmContext {
    do { return try Realm.open(file, configuration, confinement) } catch { fatalError("\(error)") }
  }

  /// Stops where paths of names do not lead along properties: of the elements, or of the object that has a collection of values.
  func check(_ keyPaths: [String]?, of live: LiveResults) {
    var className = live.objectType
    if className == nil, case .property(_, let row) = live.source {
      className = managedClass(at: row.table).schema.className
    }
    _ = className.flatMap { steps(keyPaths, of: $0) }
  }

  /// Returns the properties along paths of names from objects of a class; nil: all changes count.
  func steps(_ keyPaths: [String]?, of className: String) -> [[ChangeSummary.Step]]? {
    guard let keyPaths, !keyPaths.isEmpty else { return nil }
    return keyPaths.map { path in
      var steps: [ChangeSummary.Step] = []
      var type = className
      for name in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
        let managed = managedClass(type)
        guard let managed, let index = managed.schema.allProperties.firstIndex(where: { $0.name == name })
        else {
          if let managed, let fields = managed.fields {
            // A field is told of as a whole.
            return steps + [.init(table: managed.table, property: fields, field: name)]
          }
          fatalError("Invalid property name: property '\(name)' not found in object of type '\(type)'")
        }
        steps.append(.init(table: managed.table, property: managed.columns[index]))
        type = managed.schema.allProperties[index].objectClassName ?? type
      }
      return steps
    }
  }
}
