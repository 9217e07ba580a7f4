public import Foundation
import GatehouseLive

/// A class that ``ObservedResults`` shows objects of: classes of objects and of projections.
public protocol _ObservedResultsValue: RealmFetchable {}

extension RealmSwiftObject: _ObservedResultsValue {}
extension Projection: _ObservedResultsValue {}

/// Shows the objects of a class, filtered and sorted, to code that tracks them by `withObservationTracking`. The Realm is opened
/// when they are asked for first, by the configuration, or the default one, on the main actor, or the queue or thread that asks.
///
///     @ObservedResults(Dog.self, filter: RealmPredicate(format: "age > 2")) var dogs
///     $dogs.append(Dog())
@propertyWrapper
public struct ObservedResults<ResultType: _ObservedResultsValue & KeypathSortable> {
  private final class Storage {
    let configuration: Realm.Configuration?
    var filter: RealmPredicate?
    var condition: ((Query<ResultType>) -> Query<Bool>)?
    var sortDescriptor: SortDescriptor?
    let keyPaths: [String]?
    var results: Results<ResultType>?

    init(
      _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptor: SortDescriptor?
    ) {
      self.configuration = configuration
      self.keyPaths = keyPaths
      self.sortDescriptor = sortDescriptor
    }

    var live: Results<ResultType> {
      if let results { return results }
      do {
        let realm = try Realm(configuration: configuration ?? .defaultConfiguration)
        var results = realm.objects(ResultType.self)
        if let filter { results = results.filter(filter) }
        if let condition { results = results.filter(condition(Query()).predicate) }
        if let sortDescriptor { results = results.sorted(by: [sortDescriptor]) }
        self.results = results
        return results
      } catch {
        fatalError("\(error)")
      }
    }
  }

  private let storage: Storage
  private let observed = ObservedValue()

  /// Shows the objects of a class for which a predicate holds.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: RealmPredicate? = nil,
    keyPaths: [String]? = nil, sortDescriptor: SortDescriptor? = nil
  ) {
    storage = Storage(configuration, keyPaths, sortDescriptor)
    storage.filter = filter
  }

  /// Shows the objects of a class for which the closure's predicate holds.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
    where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>), keyPaths: [String]? = nil,
    sortDescriptor: SortDescriptor? = nil
  ) {
    storage = Storage(configuration, keyPaths, sortDescriptor)
    storage.condition = isIncluded
  }

  /// The objects. Those of a Realm whose configuration was given never change, and are others after a change.
  public var wrappedValue: Results<ResultType> {
    let results = storage.live
    observed.access { didChange in
      guard results.realm?.context.live.confinement.isReachable == true else { return nil }
      let tell = results.changesSinceNow(didChange)
      return results.observe(keyPaths: storage.keyPaths) { change in
        if case .initial = change { tell(true) } else { tell(false) }
      }
    }
    let isWriting = results.realm?.isInWriteTransaction == true
    return storage.configuration == nil || isWriting ? results : results.freeze()
  }

  /// Adds and deletes objects.
  public var projectedValue: ObservedResults { self }

  /// The predicate; others show others. It takes the place of ``where``.
  public var filter: RealmPredicate? {
    get { storage.filter }
    nonmutating set {
      storage.filter = newValue
      storage.condition = nil
      restart()
    }
  }

  /// The closure whose predicate holds for the objects. It takes the place of ``filter``.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { storage.condition }
    nonmutating set {
      storage.condition = newValue
      storage.filter = nil
      restart()
    }
  }

  /// The order; nil: none.
  public var sortDescriptor: SortDescriptor? {
    get { storage.sortDescriptor }
    nonmutating set {
      storage.sortDescriptor = newValue
      restart()
    }
  }

  private func restart() {
    storage.results = nil
    observed.forget()
    observed.didChange()
  }
}

// Objects are added and deleted in transactions of their own.
extension ObservedResults where ResultType: Object {
  /// Adds an object to the Realm. It is shown if the predicate holds for it.
  public func append(_ value: ResultType) {
    storage.live.change { results in results.realm?.add(value) }
  }

  /// Deletes an object.
  public func remove(_ value: ResultType) {
    storage.live.change { results in
      guard let object = value.isFrozen ? value.thaw() : value else { return }
      results.realm?.delete(object)
    }
  }

  /// Deletes the objects at some indexes.
  public func remove(atOffsets offsets: IndexSet) {
    storage.live.change { results in results.realm?.delete(results.objects(at: offsets)) }
  }
}

/// Shows the objects of a class in sections, to code that tracks them by `withObservationTracking`, as ``ObservedResults`` shows
/// them without.
@propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType: Object> {
  private final class Storage {
    let configuration: Realm.Configuration?
    let make: (Results<ResultType>, [SortDescriptor]) -> SectionedResults<Key, ResultType>
    let keyPaths: [String]?
    var filter: RealmPredicate?
    var condition: ((Query<ResultType>) -> Query<Bool>)?
    var sortDescriptors: [SortDescriptor]
    var sections: SectionedResults<Key, ResultType>?

    init(
      _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
      _ make: @escaping (Results<ResultType>, [SortDescriptor]) -> SectionedResults<Key, ResultType>
    ) {
      self.configuration = configuration
      self.keyPaths = keyPaths
      self.sortDescriptors = sortDescriptors
      self.make = make
    }

    var live: SectionedResults<Key, ResultType> {
      if let sections { return sections }
      do {
        let realm = try Realm(configuration: configuration ?? .defaultConfiguration)
        var objects = realm.objects(ResultType.self)
        if let filter { objects = objects.filter(filter) }
        if let condition { objects = objects.where(condition) }
        let sections = make(objects, sortDescriptors)
        self.sections = sections
        return sections
      } catch {
        fatalError("\(error)")
      }
    }
  }

  private let storage: Storage
  private let observed = ObservedValue()

  /// Shows objects in sections by what a closure makes of each.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key, sortDescriptors: [SortDescriptor],
    filter: RealmPredicate? = nil, keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) {
    storage = Self.storage(configuration, keyPaths, sortDescriptors, sectionBlock)
    storage.filter = filter
  }

  /// Shows the objects for which the closure's predicate holds in sections by what a closure makes of each.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key, sortDescriptors: [SortDescriptor],
    where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>), keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) {
    storage = Self.storage(configuration, keyPaths, sortDescriptors, sectionBlock)
    storage.condition = isIncluded
  }

  private static func storage(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
    _ sectionBlock: @escaping (ResultType) -> Key
  ) -> Storage {
    checkOrder(sortDescriptors)
    return Storage(configuration, keyPaths, sortDescriptors) { objects, sortDescriptors in
      checkOrder(sortDescriptors)
      return objects.sectioned(by: sectionBlock, sortDescriptors: sortDescriptors)
    }
  }

  private static func checkOrder(_ sortDescriptors: [SortDescriptor]) {
    if sortDescriptors.isEmpty {
      fatalError(
        "sortDescriptors must not be empty when sectioning ObservedSectionedResults with `sectionBlock`")
    }
  }

  /// Shows objects in sections by the values of a property.
  public init(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [SortDescriptor] = [], filter: RealmPredicate? = nil, keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) {
    storage = Self.storage(configuration, keyPaths, sortDescriptors, sectionKeyPath)
    storage.filter = filter
  }

  /// Shows the objects for which the closure's predicate holds in sections by the values of a property.
  public init(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [SortDescriptor] = [], where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>),
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) {
    storage = Self.storage(configuration, keyPaths, sortDescriptors, sectionKeyPath)
    storage.condition = isIncluded
  }

  private static func storage(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
    _ sectionKeyPath: KeyPath<ResultType, Key>
  ) -> Storage {
    Storage(configuration, keyPaths, sortDescriptors) { objects, sortDescriptors in
      sortDescriptors.isEmpty
        ? objects.sectioned(by: sectionKeyPath)
        : objects.sectioned(by: sectionKeyPath, sortDescriptors: sortDescriptors)
    }
  }

  /// The sections. Those of a Realm whose configuration was given never change, and are others after a change.
  public var wrappedValue: SectionedResults<Key, ResultType> {
    let sections = storage.live
    observed.access { didChange in
      guard sections.realm?.context.live.confinement.isReachable == true else { return nil }
      let tell = sections.changesSinceNow(didChange)
      return sections.observe(keyPaths: storage.keyPaths) { change in
        if case .initial = change { tell(true) } else { tell(false) }
      }
    }
    let isWriting = sections.realm?.isInWriteTransaction == true
    return storage.configuration == nil || isWriting ? sections : sections.freeze()
  }

  /// Deletes objects.
  public var projectedValue: ObservedSectionedResults { self }

  /// The predicate; others show others. It takes the place of ``where``.
  public var filter: RealmPredicate? {
    get { storage.filter }
    nonmutating set {
      storage.filter = newValue
      storage.condition = nil
      restart()
    }
  }

  /// The closure whose predicate holds for the objects. It takes the place of ``filter``.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { storage.condition }
    nonmutating set {
      storage.condition = newValue
      storage.filter = nil
      restart()
    }
  }

  /// The order, the first counting most.
  public var sortDescriptors: [SortDescriptor] {
    get { storage.sortDescriptors }
    nonmutating set {
      storage.sortDescriptors = newValue
      restart()
    }
  }

  private func restart() {
    storage.sections = nil
    observed.forget()
    observed.didChange()
  }

  /// Deletes the objects of a section at some indexes.
  public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>) {
    let objects = offsets.map { section[$0] }
    storage.live.change { sections in
      for object in objects {
        guard let live = object.isFrozen ? object.thaw() : object else { continue }
        sections.realm?.delete(live)
      }
    }
  }
}
