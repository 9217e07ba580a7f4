internal import GatehouseModel

/// Where realm-core treats a property of the object's own against a constant unlike anything else, the
/// predicate says so in the terms of everything else. Then neither engine has to know.
extension BoundOperand {
  /// Returns the predicate that the operand relates so to another; the values of `outer` are asked first.
  func related(
    by relation: Comparison.Relation, to right: BoundOperand, outer: Comparison.Side
  ) -> Predicate {
    guard let property = ownProperty, case .constant(.value(let value)) = right.operand else {
      return .comparison(comparison(relation, right, outer: outer))
    }
    switch property.type {
    case .string: return string(relation, value)
    case .data: return data(relation, value)
    case .int: return int(relation, value)
    case .float, .double: return float(relation, value)
    case .bool, .decimal128, .date, .objectID, .uuid, .mixed, .object:
      return .comparison(comparison(relation, value))
    }
  }

  /// "a null string should be evaulated as less than everything" (realm-core's CHANGELOG).
  private func string(_ relation: Comparison.Relation, _ value: Mixed) -> Predicate {
    switch (relation, value) {
    case (.less, .null): return .never
    case (.lessOrEqual, .null): return .comparison(comparison(.equal(caseSensitive: true), .null))
    case (.less, _), (.lessOrEqual, _):
      return .any([
        .comparison(comparison(.equal(caseSensitive: true), .null)), .comparison(comparison(relation, value)),
      ])
    case (.greater, .null): return .not(.comparison(comparison(.equal(caseSensitive: true), .null)))
    case (.greaterOrEqual, .null), (.beginsWith, .null), (.endsWith, .null), (.contains, .null):
      return .always
    case (.equal, _), (.notEqual, _), (.greater, _), (.greaterOrEqual, _), (.beginsWith, _), (.endsWith, _),
      (.contains, _), (.like, _):
      return .comparison(comparison(relation, value))
    }
  }

  private func data(_ relation: Comparison.Relation, _ value: Mixed) -> Predicate {
    switch (relation, value) {
    case (.beginsWith, .null), (.endsWith, .null), (.contains(caseSensitive: true), .null): return .always
    case (.equal, _), (.notEqual, _), (.less, _), (.lessOrEqual, _), (.greater, _), (.greaterOrEqual, _),
      (.beginsWith, _), (.endsWith, _), (.contains, _), (.like, _):
      return .comparison(comparison(relation, value))
    }
  }

  /// The bounds of the type add no condition, and so match nulls as well (query.cpp, `greater_equal`).
  private func int(_ relation: Comparison.Relation, _ value: Mixed) -> Predicate {
    switch relation {
    case .greaterOrEqual where value == .int(.min), .lessOrEqual where value == .int(.max): return .always
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
      .contains, .like:
      return .comparison(comparison(relation, value))
    }
  }

  /// Against a literal of its own type the comparison is IEEE's.
  private func float(_ relation: Comparison.Relation, _ value: Mixed) -> Predicate {
    var isUnordered = false
    switch value {
    case .float, .double: isUnordered = true
    case .null, .bool, .int, .decimal128, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary:
      break
    }
    return .comparison(comparison(relation, value, nan: isUnordered ? .unordered : .lowest))
  }

  /// A property of the object's own beside a constant.
  private func comparison(
    _ relation: Comparison.Relation, _ value: Mixed, nan: Comparison.NaNRule = .lowest
  ) -> Comparison {
    Comparison(operand, relation: relation, .constant(.value(value)), nan: nan)
  }

  private func comparison(
    _ relation: Comparison.Relation, _ right: BoundOperand, outer: Comparison.Side
  ) -> Comparison {
    if isOrdered, right.isOrdered {
      return Comparison(operand, relation: relation, right.operand, matching: .ordered)
    }
    // The side that yields one value at most is asked first: where that is absent, ALL of no values do not relate to it either.
    if isMany, !right.isMany, !right.isConstant, !relation.isTextual {
      return right.comparison(relation.mirrored, self, outer: .left)
    }
    // A constant is never absent; one spelling makes plans equal.
    let isAskedFirst = isMany && (right.isMany ? outer == .right : !right.isConstant)
    let outer: Comparison.Side = isAskedFirst ? .right : .left
    let matching = Comparison.Matching.quantified(
      left: quantifier ?? .any, right: right.quantifier ?? .any, outer: outer)
    return Comparison(operand, relation: relation, right.operand, matching: matching)
  }
}
