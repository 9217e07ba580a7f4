import GatehouseLive
import GatehouseModel
import GatehouseStorage

// The values of a map, queried, sorted and aggregated as those of other collections are.
extension Map {
  /// The values; stops where the map is in no Realm.
  private var results: Results<Value> {
    guard let place else { fatalError(Self.onlyManaged) }
    place.check()
    return Results(place.context, place.results)
  }

  /// The values, of an unmanaged map, too.
  private var collection: AnyRealmCollection<Value> {
    place == nil ? AnyRealmCollection(List(elements: values)) : AnyRealmCollection(results)
  }

  private func checkQueries() {
    if let place, !place.property.isOfObjects {
      fatalError("Querying is currently only implemented for dictionaries of Realm Objects")
    }
  }

  /// Returns the values for which a predicate holds.
  public func filter(_ predicate: RealmPredicate) -> Results<Value> {
    checkQueries()
    return results.filter(predicate)
  }

  /// Returns the values for which a predicate holds: a format, and its arguments.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
    filter(RealmPredicate(format: predicateFormat, argumentArray: args))
  }

  /// Returns the values for which the closure's predicate holds.
  public func `where`(_ isIncluded: ((Query<Value>) -> Query<Bool>)) -> Results<Value> {
    checkQueries()
    return results.where(isIncluded)
  }

  /// Sorts the values by themselves.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    sorted(byKeyPath: "self", ascending: ascending)
  }

  /// Sorts the values by those at the end of a path of names.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Sorts the values by several paths of names, the first of which counts most.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
  where S.Element == SortDescriptor {
    results.sorted(by: sortDescriptors)
  }

  /// The least value of a property; nil: there is none.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType { collection.min(ofProperty: property) }

  /// The greatest value of a property; nil: there is none.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType { collection.max(ofProperty: property) }

  /// The sum of the values of a property; 0: there are none.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType { collection.sum(ofProperty: property) }

  /// The average of the values of a property; nil: there are none.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType { collection.average(ofProperty: property) }
}
