/// Lists, sets and linking objects.
extension Query where T: RealmCollection {
  /// The property of the objects in the collection.
  public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> where T.Element: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: []))
  }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(node.erasingAny(appending: "@count")) }

  /// Whether the collection holds the element.
  public func contains(_ value: T.Element) -> Query<Bool> {
    Query<Bool>(.comparison(.in, .value(value), node.erasingAny()))
  }

  /// Whether the collection holds one of the elements.
  public func containsAny<U: Sequence>(in collection: U) -> Query<Bool> where U.Element == T.Element {
    Query<Bool>(.comparison(.in, node, .values(collection)))
  }

  /// Whether an element is the one given.
  public static func == (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> { compared(.equal, lhs, to: rhs) }
  /// Whether an element is another than the one given.
  public static func != (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    compared(.notEqual, lhs, to: rhs)
  }
}

extension Query where T: RealmCollection, T.Element: Comparable {
  /// Whether all elements lie in the range.
  public func contains(_ range: Range<T.Element>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: false))
  }

  /// Whether all elements lie in the range.
  public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: true))
  }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
  /// Whether all elements that are not nil lie in the range.
  public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: false))
  }

  /// Whether all elements that are not nil lie in the range.
  public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: true))
  }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
  /// Whether an element is greater than the value given.
  public static func > (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    compared(.greaterThan, lhs, to: rhs)
  }
  /// Whether an element is not less than the value given.
  public static func >= (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    compared(.greaterThanEqual, lhs, to: rhs)
  }
  /// Whether an element is less than the value given.
  public static func < (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    compared(.lessThan, lhs, to: rhs)
  }
  /// Whether an element is not greater than the value given.
  public static func <= (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    compared(.lessThanEqual, lhs, to: rhs)
  }

  /// The least element.
  public var min: Query<T.Element> { Query<T.Element>(node.erasingAny(appending: "@min")) }
  /// The greatest element.
  public var max: Query<T.Element> { Query<T.Element>(node.erasingAny(appending: "@max")) }
  /// The average of the elements.
  public var avg: Query<T.Element> { Query<T.Element>(node.erasingAny(appending: "@avg")) }
  /// The sum of the elements.
  public var sum: Query<T.Element> { Query<T.Element>(node.erasingAny(appending: "@sum")) }
}

/// Maps.
extension Query where T: RealmKeyedCollection {
  /// The number of entries.
  public var count: Query<Int> { Query<Int>(node.erasingAny(appending: "@count")) }

  /// Whether the map holds one of the values.
  public func containsAny<U: Sequence>(in collection: U) -> Query<Bool> where U.Element == T.Value {
    Query<Bool>(.comparison(.in, node, .values(collection)))
  }

  /// Whether the map holds the value.
  public func contains(_ value: T.Value) -> Query<Bool> {
    Query<Bool>(.comparison(.in, .value(value), node.erasingAny()))
  }

  /// The values, of which one has to do.
  public var values: Query<T.Value> {
    Query<T.Value>(node.appending("@allValues", options: [.isCollection, .requiresAny]))
  }

  /// The value of the key.
  public subscript(member: T.Key) -> Query<T.Value> {
    Query<T.Value>(.mapSubscript(node.erasingAny(), key: member))
  }
}

extension Query where T: RealmKeyedCollection, T.Key == String {
  /// The keys, of which one has to do.
  public var keys: Query<String> {
    Query<String>(node.appending("@allKeys", options: [.isCollection, .requiresAny]))
  }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
  /// Whether all values lie in the range.
  public func contains(_ range: Range<T.Value>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: false))
  }

  /// Whether all values lie in the range.
  public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: true))
  }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
  /// Whether all values that are not nil lie in the range.
  public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: false))
  }

  /// Whether all values that are not nil lie in the range.
  public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
    Query<Bool>(.allInRange(node, from: range.lowerBound, to: range.upperBound, isClosed: true))
  }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
  /// The least value.
  public var min: Query<T.Value> { Query<T.Value>(node.erasingAny(appending: "@min")) }
  /// The greatest value.
  public var max: Query<T.Value> { Query<T.Value>(node.erasingAny(appending: "@max")) }
  /// The average of the values.
  public var avg: Query<T.Value> { Query<T.Value>(node.erasingAny(appending: "@avg")) }
  /// The sum of the values.
  public var sum: Query<T.Value> { Query<T.Value>(node.erasingAny(appending: "@sum")) }
}
