import GatehouseBSON

extension ValueTest {
  /// Whether a value is in a relation. Values of different types are in none, but for MinKey and MaxKey.
  static func holds(_ relation: Relation, _ value: Value?, to other: Value) -> Bool {
    guard let value, !value.isNullish else {
      // A value that is missing is null.
      if other.isNullish {
        return relation == .equal || relation == .lessOrEqual || relation == .greaterOrEqual
      }
      return isBeyondTypes(other) && holds(relation, ValueOrder.compare(.null, other))
    }
    if value.rank != other.rank {
      return isBeyondTypes(other) && holds(relation, ValueOrder.compare(value, other))
    }
    if value.isNaN || other.isNaN {
      return value.isNaN && other.isNaN && relation != .less && relation != .greater
    }
    return holds(relation, ValueOrder.compare(value, other))
  }

  private static func isBeyondTypes(_ value: Value) -> Bool {
    switch value {
    case .minKey, .maxKey: true
    default: false
    }
  }

  private static func holds(_ relation: Relation, _ order: Int) -> Bool {
    switch relation {
    case .equal: order == 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Numbers are cut to integers; those that are none have no remainder.
  static func remainder(_ value: Value, by divisor: Int64) -> Int64? {
    let integer: Int64?
    switch value {
    case .double(let double): integer = double.isFinite ? Int64(exactly: double.rounded(.towardZero)) : nil
    case .decimal128(let decimal):
      integer =
        decimal.isNaN || decimal.isInfinite ? nil : Int64(exactly: decimal.rounded(.towardZero, places: 0))
    default: integer = value.asInteger
    }
    guard let integer else { return nil }
    return divisor == -1 ? 0 : integer % divisor
  }
}
