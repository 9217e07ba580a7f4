import Model
import Query

/// The constant of a conjunct, where another one of its kind could stand in the same statement.
struct ConjunctArgument {
  /// All but the constant.
  struct Shape: Hashable {
    let path: KeyPath
    let relation: Comparison.Relation
    let matching: Comparison.Matching
    let nan: Comparison.NaNRule
    let kind: Kind
  }

  /// What the text of a statement depends on: null and NaN are spelled differently, and each type compares its way.
  enum Kind: Hashable {
    case bool, int, float, double, decimal128, string, data, date, objectID, uuid
  }

  let shape: Shape
  private let constant: Mixed

  init?(_ predicate: Predicate) {
    guard case .comparison(let comparison) = predicate, case .path(let path) = comparison.left,
      case .constant(.value(let constant)) = comparison.right, path.type != .mixed,
      let kind = Kind(constant), comparison.relation.isSpelledAlike
    else { return nil }
    self.constant = constant
    shape = Shape(
      path: path, relation: comparison.relation, matching: comparison.matching, nan: comparison.nan,
      kind: kind)
  }

  /// The value as the statement takes it.
  var binding: SQLText.Binding? {
    let type: ElementType = if case .keys = shape.path.end { .string } else { shape.path.type }
    return SQLText.Binding(constant, comparedWith: type)
  }
}

extension ConjunctArgument.Kind {
  fileprivate init?(_ value: Mixed) {
    switch value {
    case .bool: self = .bool
    case .int: self = .int
    case .float(let value) where !value.isNaN: self = .float
    case .double(let value) where !value.isNaN: self = .double
    case .decimal128: self = .decimal128
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .objectID: self = .objectID
    case .uuid: self = .uuid
    case .null, .float, .double, .link, .list, .dictionary: return nil
    }
  }
}

extension Comparison.Relation {
  /// Whether the text is the same for every constant: not where a prefix becomes a range, or its case is folded.
  fileprivate var isSpelledAlike: Bool {
    switch self {
    case .equal(caseSensitive: true), .notEqual(caseSensitive: true), .less, .lessOrEqual, .greater,
      .greaterOrEqual, .contains(caseSensitive: true):
      true
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: false
    }
  }
}
