import GatehouseModel
import GatehouseQuery

extension ValueFunction {
  /// The function of a value of that type, which must be null of null where the path yields one value at most; nil where
  /// SQL can't say it, and the evaluator has to.
  func sql(of value: SQLText, type: ElementType) -> SQLText? {
    switch self {
    // The cast makes SQLite count bytes, where of a text it counts characters.
    case .size where type == .string || type == .data: "length(CAST(\(value) AS BLOB))"
    case .length where type == .string || type == .data: "ifnull(length(CAST(\(value) AS BLOB)), 0)"
    case .size, .length, .type, .unaccented: nil
    }
  }
}
