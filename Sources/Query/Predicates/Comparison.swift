internal import GatehouseModel

/// Two operands and how they must relate. At least one of them depends on the object.
public struct Comparison: Sendable {
  /// All that distinguishes two comparisons.
  private struct Terms: Hashable, Sendable {
    let left: Operand
    let relation: Relation
    let right: Operand
    let matching: Matching
    let nan: NaNRule
  }

  /// One object that is shared: handing on a comparison to be evaluated costs one count of references, and not
  /// one for each name in its paths.
  private final class Content: Sendable {
    let terms: Terms
    /// A property of the object's own, and what it is compared with: by far the most frequent shape.
    let property: Int?
    let constant: Mixed
    /// Whether types are compared, which travel as bits of an int.
    let isOfTypes: Bool

    init(_ terms: Terms) {
      precondition(
        !terms.left.isConstant || !terms.right.isConstant, "one side of a comparison depends on the object")
      self.terms = terms
      isOfTypes = terms.left.yieldsTypes || terms.right.yieldsTypes
      if case .path(let path) = terms.left, path.hops.isEmpty, case .value(let property) = path.end,
        case .constant(.value(let constant)) = terms.right, case .quantified(.any, .any, _) = terms.matching
      {
        self.property = property
        self.constant = constant
      } else {
        property = nil
        constant = .null
      }
    }
  }

  private let content: Content

  package init(
    _ left: Operand, relation: Relation, _ right: Operand, matching: Matching = .single,
    nan: NaNRule = .lowest
  ) {
    content = Content(
      Terms(left: left, relation: relation, right: right, matching: matching, nan: nan))
  }

  public var left: Operand { content.terms.left }
  public var relation: Relation { content.terms.relation }
  public var right: Operand { content.terms.right }
  public var matching: Matching { content.terms.matching }
  public var nan: NaNRule { content.terms.nan }
  var isOfTypes: Bool { content.isOfTypes }

  /// Returns whether the object's own property relates to the constant; nil where it is not just that.
  @inline(__always)
  func ownPropertyHolds<Object: ObjectView>(for object: Object) -> Bool? {
    guard let property = content.property else { return nil }
    return content.terms.relation.holds(
      object.value(property), content.constant, nan: content.terms.nan)
  }
}

extension Comparison: Hashable {
  public static func == (first: Comparison, second: Comparison) -> Bool {
    first.content === second.content || first.content.terms == second.content.terms
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(content.terms)
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
    /// Left and right values in pairs, of which there must be as many on both sides; for `notEqual`: a different number, or each pair.
    case ordered

    /// For operands of which none needs a quantifier.
    public static let single = Matching.quantified(left: .any, right: .any, outer: .left)
  }

  /// A side of the comparison.
  public enum Side: Hashable, Sendable {
    case left
    case right
  }

  /// The values that a NaN equals.
  public enum NaNRule: Hashable, Sendable {
    /// Itself, and it is below every number.
    case lowest
    /// Nothing, and it has no place among the numbers: a property of the object's own against a literal.
    case unordered
  }
}
