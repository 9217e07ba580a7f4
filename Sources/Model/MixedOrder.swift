import BSON

/// Realm's comparison of values of any types (C:mixed.cpp, `Mixed::compare`).
///
/// Types come in ranks: null, bool, numbers, string, data, date, objectId, uuid, link, list, dictionary.
/// Within a rank values decide: numbers across their types, NaN below all and equal to itself; strings and
/// data by their bytes.
///
/// A double is taken for its 15 significant digits beside a Decimal128, a float for 7 (C:decimal128.cpp:1358):
/// with both around, "equal" is not transitive, in Realm as here.
public enum MixedOrder {
  /// Negative where `left` comes first, positive where `right` does, else zero.
  public static func compare(_ left: Mixed, _ right: Mixed) -> Int {
    switch (left, right) {
    case (.int(let left), .int(let right)): order(left, right)
    case (.string(let left), .string(let right)): left.compareBytes(right)
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.data(let left), .data(let right)): compare(left, right)
    case (.date(let left), .date(let right)): order(left, right)
    case (.objectID(let left), .objectID(let right)): order(left, right)
    case (.uuid(let left), .uuid(let right)): order(left, right)
    case (.link(let left), .link(let right)): compare(left, right)
    case (.list(let left), .list(let right)): compare(left, right)
    case (.dictionary(let left), .dictionary(let right)): compare(left, right)
    default:
      left.rank == right.rank
        ? NumericOrder.compare(left, right) : order(left.rank.rawValue, right.rank.rawValue)
    }
  }

  /// Whether the values are equal, numbers across their types.
  public static func isEqual(_ left: Mixed, _ right: Mixed) -> Bool {
    compare(left, right) == 0
  }

  /// Whether `<` has a meaning between them: RQL's is false between types of different ranks.
  public static func isComparable(_ left: Mixed, _ right: Mixed) -> Bool {
    left.rank == right.rank
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    for (left, right) in zip(left, right) where left != right { return order(left, right) }
    return order(left.count, right.count)
  }

  private static func compare(_ left: ObjectLink, _ right: ObjectLink) -> Int {
    let order = left.objectType.compareBytes(right.objectType)
    return order == 0 ? self.order(left.key, right.key) : order
  }

  private static func compare(_ left: [Mixed], _ right: [Mixed]) -> Int {
    for (left, right) in zip(left, right) {
      let order = compare(left, right)
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }

  private static func compare(_ left: [Mixed.Entry], _ right: [Mixed.Entry]) -> Int {
    for (left, right) in zip(left, right) {
      var order = left.key.compareBytes(right.key)
      if order == 0 { order = compare(left.value, right.value) }
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }

  @inline(__always)
  static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}
