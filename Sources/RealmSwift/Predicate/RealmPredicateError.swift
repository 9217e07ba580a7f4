/// The reason why a predicate is none, or does not fit the class that it is asked of.
public struct RealmPredicateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that was broken, in a word or two.
  public let name: String
  /// Realm's text of the error.
  public let reason: String

  init(_ name: String, _ reason: String) {
    self.name = name
    self.reason = reason
  }

  /// Realm's text of the error.
  public var description: String { reason }
}

/// Formats.
extension RealmPredicateError {
  static func unreadable(_ format: String) -> RealmPredicateError {
    RealmPredicateError("Invalid format", "Unable to parse the format string \"\(format)\"")
  }

  static let tooLong = RealmPredicateError(
    "Invalid format", "The format string has more than \(FormatLexer.lengthLimit) bytes")
  static let tooDeep = RealmPredicateError(
    "Invalid format", "The predicate is nested more than \(FormatParser.depthLimit) levels deep")
  static let tooManyTerms = RealmPredicateError(
    "Invalid format", "The predicate has more than \(FormatParser.termLimit) terms")
}

// Texts of RLMQueryUtil.mm.

/// Shapes.
extension RealmPredicateError {
  static let noKeyPath = RealmPredicateError(
    "Invalid predicate expressions",
    "Predicate expressions must compare a keypath and another keypath or a constant value")
  static let all = RealmPredicateError("Invalid predicate", "ALL modifier not supported")
  static let needsAny = RealmPredicateError(
    "Invalid predicate", "Key paths that include a collection property must use aggregate operations")
  static let anyOfOne = RealmPredicateError(
    "Invalid predicate",
    "Aggregate operations can only be used on key paths that include an collection property")
  static let subqueryCount = RealmPredicateError(
    "Invalid predicate",
    "SUBQUERY is only supported when immediately followed by .@count that is compared to a constant number.")
  static let comparesCollections = RealmPredicateError(
    "Invalid predicate", "Comparing two collection columns is not permitted.")
  static let betweenNeedsArray = RealmPredicateError(
    "Invalid value", "object must be of type NSArray for BETWEEN operations")
  static let betweenNeedsTwo = RealmPredicateError(
    "Invalid value", "NSArray object must contain exactly two objects for BETWEEN operations")
  static let inNeedsArray = RealmPredicateError("Invalid value", "IN clause requires an array of items")
  static let caseInsensitiveOrder = RealmPredicateError(
    "Invalid predicate", "Lexicographical comparisons must be case-sensitive")

  static func needsKeyPathOnLeft(_ relation: PredicateRelation) -> RealmPredicateError {
    RealmPredicateError(
      "Unsupported predicate", "Operator '\(relation.rawValue)' requires a keypath on the left side.")
  }
}

/// Names.
extension RealmPredicateError {
  static func unknownProperty(_ name: String, of className: String) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid property name", "Property '\(name)' not found in object of type '\(className)'")
  }

  static func noLink(_ name: String, of className: String) -> RealmPredicateError {
    RealmPredicateError("Invalid value", "Property '\(name)' is not a link in object of type '\(className)'")
  }

  static func unknownClass(_ className: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "Object type '\(className)' is not managed by the Realm")
  }

  static func variable(_ name: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "Variable '\(name)' is not that of a SUBQUERY around it")
  }

  static func subscripts(_ name: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "Property '\(name)' cannot be subscripted")
  }
}

/// Types.
extension RealmPredicateError {
  static func unsupported(_ relation: PredicateRelation, for type: String) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid operator type", "Operator '\(relation.rawValue)' not supported for type '\(type)'")
  }

  static func diacritics(_ relation: PredicateRelation) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid predicate",
      "Operator '\(relation.rawValue)' not supported with diacritic-insensitive modifier.")
  }

  static func incomparable(_ value: PredicateConstant, with column: PredicateColumn) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid value",
      "Cannot compare value '\(value)' of type '\(value.typeName)' to property '\(column.name)' of type '\(column.typeName)'"
    )
  }

  static func wrongClass(_ value: PredicateConstant, for column: PredicateColumn, in clause: String = "")
    -> RealmPredicateError
  {
    RealmPredicateError(
      "Invalid value",
      "Expected object of type \(column.typeName)\(clause) for property '\(column.name)' on object of type '\(column.className)', but received: \(value)"
    )
  }

  static func mismatch(_ left: String, _ right: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "Property type mismatch between \(left) and \(right)")
  }

  static func notNumeric(_ function: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "\(function) can only be applied to a numeric property.")
  }

  static func notCollection(_ function: String) -> RealmPredicateError {
    RealmPredicateError("Invalid predicate", "\(function) can only be applied to a collection property.")
  }

  static func notNumber(_ function: String) -> RealmPredicateError {
    RealmPredicateError("Invalid operand", "\(function) can only be compared with a numeric value.")
  }

  static func aggregate(_ function: String, of type: String, with value: PredicateConstant)
    -> RealmPredicateError
  {
    RealmPredicateError(
      "Invalid operand", "\(function) on a property of type \(type) cannot be compared with '\(value)'")
  }

  static func memberwise(_ property: String, _ kind: String) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid predicate",
      "Unsupported property '\(property)' for memberwise equality query: equality on \(kind) is not implemented."
    )
  }

  static func region(_ text: String, _ rule: String) -> RealmPredicateError {
    RealmPredicateError(
      "Invalid value", "Invalid region in GEOWITHIN query for parameter '\(text)': '\(rule)'")
  }
}
