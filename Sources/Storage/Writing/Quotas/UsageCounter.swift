import GatehouseModel
import GatehouseQuery

/// A number of objects, and of their bytes.
struct Usage: Hashable {
  var objects = 0
  var bytes = 0

  static func + (left: Usage, right: Usage) -> Usage {
    Usage(objects: left.objects + right.objects, bytes: left.bytes + right.bytes)
  }

  static func - (left: Usage, right: Usage) -> Usage {
    Usage(objects: left.objects - right.objects, bytes: left.bytes - right.bytes)
  }
}

/// The objects of a class that match a condition, counted.
final class UsageCounter {
  /// By which changes find the counters that they may concern.
  struct Place: Hashable {
    let table: Int
    /// The property that must have ``value``; nil: the condition has no such equality.
    let property: Int?
    let value: Mixed
  }

  let place: Place
  let condition: Predicate
  /// Whether every object at its place matches.
  let isExact: Bool
  /// Whether bytes are counted: to measure an object is to read it.
  let countsBytes: Bool
  /// Before the transaction that is being performed.
  var usage = Usage()
  /// The transaction's part so far.
  var growth = Usage()
  /// The operation that added to it last.
  var operation = 0

  init(_ condition: Predicate, of type: ObjectType, table: Int, countsBytes: Bool) {
    let equality = condition.requiredEquality(in: type)
    place = Place(table: table, property: equality?.property, value: equality?.value ?? .null)
    isExact = condition == .always || equality != nil && condition.isComparison
    self.condition = condition
    self.countsBytes = countsBytes
  }
}
