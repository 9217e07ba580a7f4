import GatehouseLive

/// The objects of a class for which a condition holds, shown as results or in sections to code that tracks them. The Realm is opened when they
/// are asked for first.
final class ObservedQuery<ResultType: RealmFetchable & KeypathSortable, Shown: ThreadConfined> {
  private let configuration: Realm.Configuration?
  private let keyPaths: [String]?
  private let show: (Results<ResultType>, [SortDescriptor]) -> Shown
  /// Observes what is shown, and says of each change whether it is the beginning.
  private let observe: (Shown, [String]?, @escaping (_ isBeginning: Bool) -> Void) -> NotificationToken
  private let observed = ObservedValue()
  private var predicate = Predicate.none
  private var shown: Shown?

  private enum Predicate {
    case none
    case filter(RealmPredicate)
    case condition((Query<ResultType>) -> Query<Bool>)
  }

  /// - Parameter configuration: Nil: the default one.
  init(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?,
    show: @escaping (Results<ResultType>, [SortDescriptor]) -> Shown,
    observe:
      @escaping (Shown, [String]?, @escaping (_ isBeginning: Bool) -> Void) -> NotificationToken
  ) {
    (self.configuration, self.keyPaths) = (configuration, keyPaths)
    (self.show, self.observe) = (show, observe)
  }

  /// The predicate; nil: there is none, or it is a closure's.
  var filter: RealmPredicate? {
    get { if case .filter(let filter) = predicate { filter } else { nil } }
    set {
      predicate = newValue.map(Predicate.filter) ?? .none
      restart()
    }
  }

  /// The closure that has the predicate; nil: there is none, or it is given.
  var condition: ((Query<ResultType>) -> Query<Bool>)? {
    get { if case .condition(let condition) = predicate { condition } else { nil } }
    set {
      predicate = newValue.map(Predicate.condition) ?? .none
      restart()
    }
  }

  var sortDescriptors: [SortDescriptor] = [] { didSet { restart() } }

  private func restart() {
    guard shown != nil else { return }
    shown = nil
    observed.forget()
    observed.didChange()
  }

  /// The objects as they are now, and as they change.
  var live: Shown {
    if let shown { return shown }
    do {
      let realm = try Realm(configuration: configuration ?? .defaultConfiguration)
      var objects = realm.objects(ResultType.self)
      switch predicate {
      case .none: break
      case .filter(let filter): objects = objects.filter(filter)
      case .condition(let condition): objects = objects.filter(condition(Query()).predicate)
      }
      let shown = show(objects, sortDescriptors)
      self.shown = shown
      return shown
    } catch {
      fatalError("\(error)")
    }
  }

  /// The objects for whoever tracks them. Those of a Realm whose configuration was given never change, and are others after a change.
  var current: Shown {
    let live = live
    observed.access { [observe, keyPaths] didChange in
      guard live.realm?.context.live.confinement.isReachable == true else { return nil }
      return observe(live, keyPaths, live.changesSinceNow(didChange))
    }
    let isWriting = live.realm?.isInWriteTransaction == true
    return configuration == nil || isWriting ? live : live.freeze()
  }
}
