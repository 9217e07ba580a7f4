internal import GatehouseBSON

/// The values that a rule is evaluated with.
struct RuleScope {
  let user: Document
  /// Nil where they are not known yet.
  let arguments: [Value]?

  func holds(_ rule: RuleExpression) -> Bool { truth(of: rule) == true }

  /// Whether there may be arguments with which the rule holds.
  func mayHold(_ rule: RuleExpression) -> Bool { truth(of: rule) != false }

  /// Returns nil where it depends on arguments that are not known (three-valued logic, as SQL has it).
  private func truth(of rule: RuleExpression) -> Bool? {
    switch rule {
    case .all(let rules):
      let truths = rules.map(truth)
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .any(let rules):
      let truths = rules.map(truth)
      return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    case .not(let rule): return truth(of: rule).map { !$0 }
    case .exists(let operand, let isThere):
      return isKnown(operand) ? (value(of: operand) != nil) == isThere : nil
    case .constant(let constant): return constant
    case .comparison(let left, let comparison, let right):
      return isKnown(left) && isKnown(right) ? holds(comparison, between: left, and: right) : nil
    }
  }

  private func isKnown(_ operand: RuleExpression.Operand) -> Bool {
    guard arguments == nil, case .expansion(let names) = operand else { return true }
    return names.first != "args"
  }

  /// Compares two operands. A missing value compares with nothing, but differs from everything except null: that a user's id
  /// is not null is how people say that there is a user. A list that is known of
  /// the user equals each of its elements, as in queries of MongoDB; arguments do not, which their callers choose.
  private func holds(
    _ comparison: RuleExpression.Comparison, between left: RuleExpression.Operand,
    and right: RuleExpression.Operand
  )
    -> Bool
  {
    let candidates = candidates(for: left)
    let left = value(of: left)
    let missing: [Value] = left == nil ? [.null] : []
    guard let right = value(of: right) else { return false }
    switch comparison {
    case .equal: return candidates.contains { RuleScope.isEqual($0, right) }
    case .unequal: return !(candidates + missing).contains { RuleScope.isEqual($0, right) }
    case .isIn: return candidates.contains { RuleScope.contains(right, $0) }
    case .isNotIn: return !(candidates + missing).contains { RuleScope.contains(right, $0) }
    case .less, .atMost, .greater, .atLeast:
      guard let left, let order = RuleScope.order(left, right) else { return false }
      return switch comparison {
      case .less: order < 0
      case .atMost: order <= 0
      case .greater: order > 0
      case .atLeast, .equal, .unequal, .isIn, .isNotIn: order >= 0
      }
    }
  }

  /// Returns the values of which one has to equal the other side.
  private func candidates(for operand: RuleExpression.Operand) -> [Value] {
    guard let value = value(of: operand) else { return [] }
    guard case .expansion(let names) = operand, names.first == "user", case .array(let elements) = value
    else {
      return [value]
    }
    return [value] + elements
  }

  private func value(of operand: RuleExpression.Operand) -> Value? {
    let path: [String]
    switch operand {
    case .literal(let value): return value
    case .expansion(let names): path = names
    }
    switch path.first {
    case "true"? where path.count == 1: return .bool(true)
    case "false"? where path.count == 1: return .bool(false)
    // Who shows no credential is no user, whatever else is known of the request.
    case "user"?: return user["id"] == nil ? nil : RuleScope.value(in: .document(user), at: path.dropFirst())
    case "args"?: return RuleScope.value(in: .array(arguments ?? []), at: path.dropFirst())
    default: return nil
    }
  }

  private static func value(in value: Value, at path: ArraySlice<String>) -> Value? {
    var value = value
    for name in path {
      switch value {
      case .document(let members):
        guard let next = members[name] else { return nil }
        value = next
      case .array(let elements):
        guard let index = Int(name), elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  private static func contains(_ list: Value, _ value: Value) -> Bool {
    guard case .array(let values) = list else { return false }
    return values.contains { isEqual($0, value) }
  }

  private static func isEqual(_ left: Value, _ right: Value) -> Bool {
    left == right || order(left, right) == 0
  }

  /// Returns a negative number, zero or a positive one; nil if the values have no order.
  private static func order(_ left: Value, _ right: Value) -> Int? {
    if let left = integer(left), let right = integer(right) { return sign(left, right) }
    if let left = number(left), let right = number(right) { return sign(left, right) }
    switch (left, right) {
    case (.string(let left), .string(let right)): return sign(left, right)
    case (.date(let left), .date(let right)):
      return sign(left.milliseconds, right.milliseconds)
    default: return nil
    }
  }

  private static func sign<Ordered: Comparable>(_ left: Ordered, _ right: Ordered) -> Int? {
    left < right ? -1 : left == right ? 0 : left > right ? 1 : nil
  }

  private static func integer(_ value: Value) -> Int64? {
    switch value {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    default: nil
    }
  }

  private static func number(_ value: Value) -> Double? {
    if case .double(let number) = value { return number }
    return integer(value).map(Double.init)
  }
}
