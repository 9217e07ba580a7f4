/// A part of what the closure of a `where` asks.
indirect enum QueryNode {
  /// The raw value is its spelling in Cocoa's predicates.
  enum Operator: String {
    case or = "||"
    case and = "&&"
    case equal = "=="
    case notEqual = "!="
    case lessThan = "<"
    case lessThanEqual = "<="
    case greaterThan = ">"
    case greaterThanEqual = ">="
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
  }

  /// How a path is used.
  struct KeyPathOptions: OptionSet {
    let rawValue: Int8

    /// It leads to many values.
    static let isCollection = KeyPathOptions(rawValue: 1)
    /// Any one of them has to do.
    static let requiresAny = KeyPathOptions(rawValue: 2)
  }

  /// A step into a mixed value.
  enum Subscript {
    case index(Int)
    case key(String)
    case all
  }

  case not(QueryNode)
  case constant(Any?)
  case keyPath([String], options: KeyPathOptions)
  case comparison(Operator, QueryNode, QueryNode, options: StringOptions)
  case between(QueryNode, lowerBound: QueryNode, upperBound: QueryNode)
  case subqueryCount(QueryNode)
  case mapSubscript(QueryNode, key: Any)
  case mixedSubscript(QueryNode, [Subscript])
  case geoWithin(QueryNode, any RLMGeospatial)

  static func comparison(_ operation: Operator, _ left: QueryNode, _ right: QueryNode) -> QueryNode {
    .comparison(operation, left, right, options: [])
  }
}

/// Paths.
extension QueryNode {
  /// The path with one more name. Traps behind a subscript, as Realm does.
  func appending(_ name: String, options: KeyPathOptions) -> QueryNode {
    switch self {
    case .keyPath(let names, let existing): .keyPath(names + [name], options: existing.union(options))
    case .mapSubscript, .mixedSubscript: fatalError("Cannot apply key path to Map subscripts.")
    case .not, .constant, .comparison, .between, .subqueryCount, .geoWithin:
      fatalError("Cannot apply a keypath to \(self)")
    }
  }

  /// The path to the collection as a whole, or to an operation on it.
  func erasingAny(appending name: String? = nil) -> QueryNode {
    guard case .keyPath(let names, _) = self else { return self }
    return .keyPath(names + (name.map { [$0] } ?? []), options: .isCollection)
  }

  /// The path to what is computed of a property of many objects: the operation stands behind the first name.
  func aggregate(_ operation: String) -> QueryNode {
    guard case .keyPath(var names, _) = self else {
      fatalError("Cannot apply '\(operation)' to anything but a keypath.")
    }
    names.insert(operation, at: min(1, names.count))
    return .keyPath(names, options: .isCollection)
  }

  /// The path with one more step into a mixed value.
  func stepping(_ step: Subscript) -> QueryNode {
    if case .mixedSubscript(let path, let steps) = self { return .mixedSubscript(path, steps + [step]) }
    return .mixedSubscript(self, [step])
  }

  /// Whether one of many values has to do.
  var requiresAny: Bool {
    if case .keyPath(_, let options) = self { options.contains(.requiresAny) } else { false }
  }

  var isCollection: Bool {
    if case .keyPath(_, let options) = self { options.contains(.isCollection) } else { false }
  }
}
