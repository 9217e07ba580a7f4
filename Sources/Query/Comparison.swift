/// Two operands and how they must relate. At least one of them depends on the object.
public struct Comparison: Hashable, Sendable {
  public let left: Operand
  public let relation: Relation
  public let right: Operand
  public let matching: Matching
  public let nan: NaNRule

  package init(
    _ left: Operand, _ relation: Relation, _ right: Operand, matching: Matching = .single,
    nan: NaNRule = .lowest
  ) {
    self.left = left
    self.relation = relation
    self.right = right
    self.matching = matching
    self.nan = nan
  }
}

extension Comparison {
  /// How two values must relate.
  public enum Relation: Hashable, Sendable {
    case equal(caseSensitive: Bool)
    case notEqual(caseSensitive: Bool)
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
    case beginsWith(caseSensitive: Bool)
    case endsWith(caseSensitive: Bool)
    case contains(caseSensitive: Bool)
    /// `*` stands for any run, `?` for one character.
    case like(caseSensitive: Bool)
  }

  /// Which pairs of a left and a right value are looked at, where an operand yields several.
  public enum Matching: Hashable, Sendable {
    /// `left` of the left values relate to `right` of the right values; the outer side is asked first.
    case quantified(left: Quantifier, right: Quantifier, outer: Side)
    /// As many left as right values, each pair in turn; for `notEqual`: a different number, or each pair.
    case ordered

    /// For operands of which none needs a quantifier.
    public static let single = Matching.quantified(left: .any, right: .any, outer: .left)
  }

  /// One of the two operands.
  public enum Side: Hashable, Sendable {
    case left
    case right
  }

  /// What a NaN equals.
  public enum NaNRule: Hashable, Sendable {
    /// Itself, and it is below every number.
    case lowest
    /// Nothing, and it has no place among the numbers: a property of the object's own against a literal.
    case unordered
  }
}
