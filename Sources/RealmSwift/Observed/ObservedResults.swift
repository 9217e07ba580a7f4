public import Foundation

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
  private let query: ObservedQuery<ResultType, Results<ResultType>>

  /// Shows the objects of a class for which a predicate holds.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: RealmPredicate? = nil,
    keyPaths: [String]? = nil, sortDescriptor: SortDescriptor? = nil
  ) {
    query = ObservedResults.query(configuration, keyPaths, sortDescriptor)
    query.filter = filter
  }

  /// Shows the objects of a class for which the closure's predicate holds.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
    where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>), keyPaths: [String]? = nil,
    sortDescriptor: SortDescriptor? = nil
  ) {
    query = ObservedResults.query(configuration, keyPaths, sortDescriptor)
    query.condition = isIncluded
  }

  private static func query(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptor: SortDescriptor?
  ) -> ObservedQuery<ResultType, Results<ResultType>> {
    let query = ObservedQuery<ResultType, Results<ResultType>>(configuration, keyPaths) {
      $1.isEmpty ? $0 : $0.sorted(by: $1)
    } observe: { results, keyPaths, tell in
      results.observe(keyPaths: keyPaths) { change in
        if case .initial = change { tell(true) } else { tell(false) }
      }
    }
    query.sortDescriptors = sortDescriptor.map { [$0] } ?? []
    return query
  }

  /// The objects. Those of a Realm whose configuration was given never change, and are others after a change.
  public var wrappedValue: Results<ResultType> { query.current }

  /// Adds and deletes objects.
  public var projectedValue: ObservedResults { self }

  /// The predicate; others show others. It takes the place of ``where``.
  public var filter: RealmPredicate? {
    get { query.filter }
    nonmutating set { query.filter = newValue }
  }

  /// The closure whose predicate holds for the objects. It takes the place of ``filter``.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { query.condition }
    nonmutating set { query.condition = newValue }
  }

  /// The order; nil: none.
  public var sortDescriptor: SortDescriptor? {
    get { query.sortDescriptors.first }
    nonmutating set { query.sortDescriptors = newValue.map { [$0] } ?? [] }
  }
}

// Objects are added and deleted in transactions of their own.
extension ObservedResults where ResultType: Object {
  /// Adds an object to the Realm. It is shown if the predicate holds for it.
  public func append(_ value: ResultType) {
    query.live.change { results in results.realm?.add(value) }
  }

  /// Deletes an object.
  public func remove(_ value: ResultType) {
    query.live.change { results in
      guard let object = value.isFrozen ? value.thaw() : value else { return }
      results.realm?.delete(object)
    }
  }

  /// Deletes the objects at some indexes.
  public func remove(atOffsets offsets: IndexSet) {
    query.live.change { results in results.realm?.delete(results.objects(at: offsets)) }
  }
}

/// Shows the objects of a class in sections, to code that tracks them by `withObservationTracking`, as ``ObservedResults`` shows
/// them without.
@propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType: Object> {
  private let query: ObservedQuery<ResultType, SectionedResults<Key, ResultType>>

  /// Shows objects in sections by what a closure makes of each.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key, sortDescriptors: [SortDescriptor],
    filter: RealmPredicate? = nil, keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) {
    query = Self.query(configuration, keyPaths, sortDescriptors, sectionBlock)
    query.filter = filter
  }

  /// Shows the objects for which the closure's predicate holds in sections by what a closure makes of each.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key, sortDescriptors: [SortDescriptor],
    where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>), keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) {
    query = Self.query(configuration, keyPaths, sortDescriptors, sectionBlock)
    query.condition = isIncluded
  }

  private static func query(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
    _ sectionBlock: @escaping (ResultType) -> Key
  ) -> ObservedQuery<ResultType, SectionedResults<Key, ResultType>> {
    checkOrder(sortDescriptors)
    return query(configuration, keyPaths, sortDescriptors) { objects, sortDescriptors in
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
    query = Self.query(configuration, keyPaths, sortDescriptors, sectionKeyPath)
    query.filter = filter
  }

  /// Shows the objects for which the closure's predicate holds in sections by the values of a property.
  public init(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [SortDescriptor] = [], where isIncluded: @escaping ((Query<ResultType>) -> Query<Bool>),
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) {
    query = Self.query(configuration, keyPaths, sortDescriptors, sectionKeyPath)
    query.condition = isIncluded
  }

  private static func query(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
    _ sectionKeyPath: KeyPath<ResultType, Key>
  ) -> ObservedQuery<ResultType, SectionedResults<Key, ResultType>> {
    query(configuration, keyPaths, sortDescriptors) { objects, sortDescriptors in
      sortDescriptors.isEmpty
        ? objects.sectioned(by: sectionKeyPath)
        : objects.sectioned(by: sectionKeyPath, sortDescriptors: sortDescriptors)
    }
  }

  private static func query(
    _ configuration: Realm.Configuration?, _ keyPaths: [String]?, _ sortDescriptors: [SortDescriptor],
    make: @escaping (Results<ResultType>, [SortDescriptor]) -> SectionedResults<Key, ResultType>
  ) -> ObservedQuery<ResultType, SectionedResults<Key, ResultType>> {
    let query = ObservedQuery<ResultType, SectionedResults<Key, ResultType>>(
      configuration, keyPaths, show: make
    ) { sections, keyPaths, tell in
      sections.observe(keyPaths: keyPaths) { change in
        if case .initial = change { tell(true) } else { tell(false) }
      }
    }
    query.sortDescriptors = sortDescriptors
    return query
  }

  /// The sections. Those of a Realm whose configuration was given never change, and are others after a change.
  public var wrappedValue: SectionedResults<Key, ResultType> { query.current }

  /// Deletes objects.
  public var projectedValue: ObservedSectionedResults { self }

  /// The predicate; others show others. It takes the place of ``where``.
  public var filter: RealmPredicate? {
    get { query.filter }
    nonmutating set { query.filter = newValue }
  }

  /// The closure whose predicate holds for the objects. It takes the place of ``filter``.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { query.condition }
    nonmutating set { query.condition = newValue }
  }

  /// The order, the first counting most.
  public var sortDescriptors: [SortDescriptor] {
    get { query.sortDescriptors }
    nonmutating set { query.sortDescriptors = newValue }
  }

  /// Deletes the objects of a section at some indexes.
  public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>) {
    let objects = offsets.map { section[$0] }
    query.live.change { sections in
      for object in objects {
        guard let live = object.isFrozen ? object.thaw() : object else { continue }
        sections.realm?.delete(live)
      }
    }
  }
}
