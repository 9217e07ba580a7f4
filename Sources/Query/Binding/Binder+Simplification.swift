internal import Model

/// Where realm-core treats a property of the object's own against a constant unlike anything else, the
/// predicate says so in the terms of everything else. Then neither engine has to know.
extension Binder {
  func simplified(
    _ left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand, outer: Comparison.Side
  ) -> Predicate {
    guard let property = left.ownProperty, case .constant(.value(let value)) = right.operand else {
      return .comparison(comparison(left, relation, right, outer: outer))
    }
    switch property.type {
    case .string: return own(string: left, relation, right, value)
    case .data: return own(data: left, relation, right, value)
    case .int: return own(int: left, relation, right, value)
    case .float, .double: return own(float: left, relation, right, value)
    case .bool, .decimal128, .date, .objectID, .uuid, .mixed, .object:
      return .comparison(comparison(left, relation, right))
    }
  }

  /// "a null string should be evaulated as less than everything" (realm-core's CHANGELOG).
  private func own(
    string left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand, _ value: Mixed
  ) -> Predicate {
    switch (relation, value) {
    case (.less, .null): return .never
    case (.lessOrEqual, .null): return .comparison(equal(left, .null))
    case (.less, _), (.lessOrEqual, _):
      return .any([
        .comparison(equal(left, .null)), .comparison(comparison(left, relation, right)),
      ])
    case (.greater, .null): return .not(.comparison(equal(left, .null)))
    case (.greaterOrEqual, .null), (.beginsWith, .null), (.endsWith, .null), (.contains, .null):
      return .always
    case (.equal, _), (.notEqual, _), (.greater, _), (.greaterOrEqual, _), (.beginsWith, _), (.endsWith, _),
      (.contains, _), (.like, _):
      return .comparison(comparison(left, relation, right))
    }
  }

  private func own(
    data left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand, _ value: Mixed
  ) -> Predicate {
    switch (relation, value) {
    case (.beginsWith, .null), (.endsWith, .null), (.contains(caseSensitive: true), .null): return .always
    case (.equal, _), (.notEqual, _), (.less, _), (.lessOrEqual, _), (.greater, _), (.greaterOrEqual, _),
      (.beginsWith, _), (.endsWith, _), (.contains, _), (.like, _):
      return .comparison(comparison(left, relation, right))
    }
  }

  /// The bounds of the type add no condition, and so match nulls as well (query.cpp, `greater_equal`).
  private func own(
    int left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand, _ value: Mixed
  ) -> Predicate {
    switch relation {
    case .greaterOrEqual where value == .int(.min), .lessOrEqual where value == .int(.max): return .always
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
      .contains, .like:
      return .comparison(comparison(left, relation, right))
    }
  }

  /// Against a literal of its own type the comparison is IEEE's.
  private func own(
    float left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand, _ value: Mixed
  ) -> Predicate {
    var isUnordered = false
    switch value {
    case .float, .double: isUnordered = true
    case .null, .bool, .int, .decimal128, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary:
      break
    }
    return .comparison(comparison(left, relation, right, nan: isUnordered ? .unordered : .lowest))
  }

  private func equal(_ left: BoundOperand, _ value: Mixed) -> Comparison {
    Comparison(left.operand, .equal(caseSensitive: true), .constant(.value(value)))
  }

  private func comparison(
    _ left: BoundOperand, _ relation: Comparison.Relation, _ right: BoundOperand,
    nan: Comparison.NaNRule = .lowest,
    outer: Comparison.Side = .left
  ) -> Comparison {
    if left.isOrdered, right.isOrdered {
      return Comparison(left.operand, relation, right.operand, matching: .ordered, nan: nan)
    }
    // What yields one value at most is asked first: where that is absent, ALL of no values do not relate to it either.
    if left.isMany, !right.isMany, !right.isConstant, !relation.isTextual {
      return comparison(right, relation.mirrored, left, nan: nan)
    }
    // A constant is never absent; one spelling makes plans equal.
    let isAskedFirst = left.isMany && (right.isMany ? outer == .right : !right.isConstant)
    let outer: Comparison.Side = isAskedFirst ? .right : .left
    let matching = Comparison.Matching.quantified(
      left: left.quantifier ?? .any, right: right.quantifier ?? .any, outer: outer)
    return Comparison(left.operand, relation, right.operand, matching: matching, nan: nan)
  }
}

extension Comparison.Relation {
  init(_ relation: SyntaxTree.Relation) {
    switch relation.kind {
    case .notEqual: self = .notEqual(caseSensitive: relation.caseSensitive)
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .beginsWith: self = .beginsWith(caseSensitive: relation.caseSensitive)
    case .endsWith: self = .endsWith(caseSensitive: relation.caseSensitive)
    case .contains: self = .contains(caseSensitive: relation.caseSensitive)
    case .like: self = .like(caseSensitive: relation.caseSensitive)
    default: self = .equal(caseSensitive: relation.caseSensitive)
    }
  }

  /// Whether it looks into strings or data.
  var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }

  var isEquality: Bool {
    switch self {
    case .equal, .notEqual: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains, .like: false
    }
  }

  var isCaseSensitive: Bool {
    switch self {
    case .equal(let sensitive), .notEqual(let sensitive), .beginsWith(let sensitive),
      .endsWith(let sensitive),
      .contains(let sensitive), .like(let sensitive):
      sensitive
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    }
  }

  /// The relation of the right side to the left; string operators have none.
  var mirrored: Comparison.Relation {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: self
    }
  }
}
