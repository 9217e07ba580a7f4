internal import GatehouseModel

extension ElementType {
  var isNumeric: Bool { valueType?.rank == .numeric }

  /// Whether string operators work on it.
  var isTextual: Bool {
    switch self {
    case .string, .data, .mixed: true
    case .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .object: false
    }
  }

  /// Whether values of the two types can be equal, or one be less than the other.
  func isComparable(with other: ElementType) -> Bool {
    self == other || self == .mixed || other == .mixed || isNumeric && other.isNumeric
  }
}
