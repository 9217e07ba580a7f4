extension RealmCollection {
  /// Returns the objects for which the closure's predicate holds.
  public func `where`(_ isIncluded: ((Query<Element>) -> Query<Bool>)) -> Results<Element> {
    filter(isIncluded(Query(isPrimitive: !(Element.self is ObjectBase.Type))).predicate)
  }

  /// Returns the place of the first object for which the closure's predicate holds; nil: there is none.
  public func index(matching isIncluded: ((Query<Element>) -> Query<Bool>)) -> Int?
  where Element: _RealmSchemaDiscoverable {
    index(matching: isIncluded(Query(isPrimitive: !(Element.self is ObjectBase.Type))).predicate)
  }
}
