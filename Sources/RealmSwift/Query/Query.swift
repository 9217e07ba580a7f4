/// The argument of the closure of a `where`: it stands for each object that is asked about, and makes of comparisons,
/// which look like those of values, a predicate.
///
///     let adults = people.where { $0.age >= 18 && $0.name.starts(with: "A") }
///
/// It has the properties of `T` that are stored; those of linked objects follow behind them.
@dynamicMemberLookup
public struct Query<T> {
  let node: QueryNode

  init(_ node: QueryNode) {
    self.node = node
  }

  /// Stands for the object itself, or for an element of a collection of values.
  init(isPrimitive: Bool = false) {
    node = isPrimitive ? .keyPath(["self"], options: .isCollection) : .keyPath([], options: [])
  }

  /// Returns a query of nothing yet, to be given to a closure.
  public static func _constructForTesting() -> Query<T> { Query<T>() }

  /// Returns the predicate in Realm's text, and the values of its `%@` in their order. Traps where there is none.
  public func _constructPredicate() -> (String, [Any]) {
    do throws(RealmPredicateError) {
      let text = try QueryText(node)
      return (text.format, text.arguments)
    } catch {
      fatalError(error.reason)
    }
  }

  /// The predicate. Traps where there is none.
  var predicate: RealmPredicate {
    do throws(RealmPredicateError) {
      return RealmPredicate(try node.syntax())
    } catch {
      fatalError(error.reason)
    }
  }

  static func compared<Other>(
    _ operation: QueryNode.Operator, _ left: Query, _ right: Query<Other>
  ) -> Query<Bool> {
    Query<Bool>(.comparison(operation, left.node, right.node))
  }

  static func compared(_ operation: QueryNode.Operator, _ left: Query, to value: Any?) -> Query<Bool> {
    Query<Bool>(.comparison(operation, left.node, .value(value)))
  }
}

/// Equality.
extension Query {
  /// Whether the value is the one given.
  public static func == (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.equal, lhs, to: rhs) }
  /// Whether the values of both properties are equal.
  public static func == (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.equal, lhs, rhs) }
  /// Whether the value is another than the one given.
  public static func != (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.notEqual, lhs, to: rhs) }
  /// Whether the values of both properties differ.
  public static func != (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.notEqual, lhs, rhs) }

  /// Whether the value is one of those given.
  public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
    Query<Bool>(.comparison(.in, node, .values(collection)))
  }
}

/// Properties.
extension Query {
  /// The property of the object.
  public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> where T: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: []))
  }

  /// The map of the object.
  public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T, V>) -> Query<V>
  where T: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: [.isCollection, .requiresAny]))
  }

  /// The list, set or linking objects of the object.
  public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T, V>) -> Query<V>
  where T: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: [.isCollection, .requiresAny]))
  }
}

extension Query where T: OptionalProtocol {
  /// The property of the object that is linked to, if one is.
  public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> where T.Wrapped: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: []))
  }

  /// The map of the object that is linked to, if one is.
  public subscript<V: RealmKeyedCollection>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V>
  where T.Wrapped: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: [.isCollection, .requiresAny]))
  }

  /// The collection of the object that is linked to, if one is.
  public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V>
  where T.Wrapped: ObjectBase {
    Query<V>(node.appending(_name(for: member), options: [.isCollection, .requiresAny]))
  }
}

/// Truth.
extension Query where T == Bool {
  /// Whether the predicate does not hold.
  public static prefix func ! (_ query: Query) -> Query<Bool> { Query(.not(query.node)) }
  /// Whether both predicates hold.
  public static func && (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.and, lhs, rhs) }
  /// Whether one of the predicates holds.
  public static func || (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.or, lhs, rhs) }

  /// The number of objects of a collection for which the predicate holds, whose properties are asked for through it.
  public var count: Query<Int> { Query<Int>(.subqueryCount(node)) }
}

/// Order of numbers and dates.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
  /// Whether the value is greater than the one given.
  public static func > (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.greaterThan, lhs, to: rhs) }
  /// Whether the first value is greater.
  public static func > (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.greaterThan, lhs, rhs) }
  /// Whether the value is not less than the one given.
  public static func >= (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.greaterThanEqual, lhs, to: rhs) }
  /// Whether the first value is not less.
  public static func >= (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.greaterThanEqual, lhs, rhs) }
  /// Whether the value is less than the one given.
  public static func < (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.lessThan, lhs, to: rhs) }
  /// Whether the first value is less.
  public static func < (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.lessThan, lhs, rhs) }
  /// Whether the value is not greater than the one given.
  public static func <= (_ lhs: Query, _ rhs: T) -> Query<Bool> { compared(.lessThanEqual, lhs, to: rhs) }
  /// Whether the first value is not greater.
  public static func <= (_ lhs: Query, _ rhs: Query) -> Query<Bool> { compared(.lessThanEqual, lhs, rhs) }

  /// The least value of the property among the objects of a collection.
  public var min: Query { Query(node.aggregate("@min")) }
  /// The greatest value of the property among the objects of a collection.
  public var max: Query { Query(node.aggregate("@max")) }
  /// The average value of the property among the objects of a collection.
  public var avg: Query { Query(node.aggregate("@avg")) }
  /// The sum of the property among the objects of a collection.
  public var sum: Query { Query(node.aggregate("@sum")) }
}

/// Ranges.
extension Query where T: Comparable {
  /// Whether the value lies in the range.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    Query<Bool>(.range(node, from: range.lowerBound, below: range.upperBound))
  }

  /// Whether the value lies in the range.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(
      .between(node, lowerBound: .value(range.lowerBound), upperBound: .value(range.upperBound)))
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
  /// Whether there is a value that lies in the range.
  public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
    Query<Bool>(.range(node, from: range.lowerBound, below: range.upperBound))
  }

  /// Whether there is a value that lies in the range.
  public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
    Query<Bool>(
      .between(node, lowerBound: .value(range.lowerBound), upperBound: .value(range.upperBound)))
  }
}

/// Places.
extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
  /// Whether the embedded object, which has the shape of a point of GeoJSON, lies in the region.
  public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> {
    Query<Bool>(.geoWithin(node, value))
  }
}
