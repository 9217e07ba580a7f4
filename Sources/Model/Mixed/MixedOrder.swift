import GatehouseBSON

/// Realm's comparison of values of any types (C:mixed.cpp, `Mixed::compare`).
///
/// Types come in ranks: null, bool, numbers, string, data, date, objectId, uuid, link, list, dictionary.
/// Within a rank values decide: numbers across their types, NaN below all and equal to itself; strings and
/// data by their bytes.
///
/// There are two of them, which differ in how a float or double stands beside a Decimal128. Where a query relates two
/// values, a double is its 15 significant digits, and a float its 7, as in Realm (C:decimal128.cpp:1358). Then "equal"
/// is not transitive: 0.3 and 0.30000000000000004 both equal the decimal 0.3. Nothing can be sorted by that, nor say
/// what a set holds already, or which document has an identifier. So there, as in MongoDB, a double is what it exactly is, with as many
/// digits as a decimal has: it does not equal the decimal 0.3.
public enum MixedOrder {
  /// How a query relates the values: negative where `left` is less, positive where `right` is, zero if they are equal.
  public static func compare(_ left: Mixed, _ right: Mixed) -> Int {
    compare(left, right, numbers: .related)
  }

  /// Which value comes first where many are sorted, grouped or in a set: the same, but a total order.
  public static func sortOrder(_ left: Mixed, _ right: Mixed) -> Int {
    compare(left, right, numbers: .sorted)
  }

  private static func compare(_ left: Mixed, _ right: Mixed, numbers: NumericOrder) -> Int {
    switch (left, right) {
    case (.int(let left), .int(let right)): order(left, right)
    case (.string(let left), .string(let right)): left.compareBytes(right)
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.data(let left), .data(let right)): compare(left, right)
    case (.date(let left), .date(let right)): order(left, right)
    case (.objectID(let left), .objectID(let right)): order(left, right)
    case (.uuid(let left), .uuid(let right)): order(left, right)
    case (.link(let left), .link(let right)): compare(left, right)
    case (.list(let left), .list(let right)): compare(left, right, numbers: numbers)
    case (.dictionary(let left), .dictionary(let right)): compare(left, right, numbers: numbers)
    default:
      left.rank == right.rank
        ? numbers.compare(left, right) : order(left.rank.rawValue, right.rank.rawValue)
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

  private static func compare(_ left: [Mixed], _ right: [Mixed], numbers: NumericOrder) -> Int {
    for (left, right) in zip(left, right) {
      let order = compare(left, right, numbers: numbers)
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }

  private static func compare(
    _ left: [Mixed.Entry], _ right: [Mixed.Entry], numbers: NumericOrder
  ) -> Int {
    for (left, right) in zip(left, right) {
      var order = left.key.compareBytes(right.key)
      if order == 0 { order = compare(left.value, right.value, numbers: numbers) }
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }

  @inline(__always)
  static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}
