/// A predicate as it was written: names not yet looked up, values not yet given the type of what they stand beside.
///
/// The format of a text and the closures of `where` both give one.
indirect enum PredicateSyntax: Equatable, Sendable {
  case truth(Bool)
  case all([PredicateSyntax])
  case any([PredicateSyntax])
  case not(PredicateSyntax)
  case comparison(PredicateComparison)

  /// Both; what is a conjunction already stays flat, so that nothing recurs as deep as it is long.
  static func and(_ left: PredicateSyntax, _ right: PredicateSyntax) -> PredicateSyntax {
    .all(left.conjuncts + right.conjuncts)
  }

  static func or(_ left: PredicateSyntax, _ right: PredicateSyntax) -> PredicateSyntax {
    .any(left.disjuncts + right.disjuncts)
  }

  private var conjuncts: [PredicateSyntax] { if case .all(let parts) = self { parts } else { [self] } }
  private var disjuncts: [PredicateSyntax] { if case .any(let parts) = self { parts } else { [self] } }
}

/// Two terms and how they must relate.
struct PredicateComparison: Equatable, Sendable {
  /// Which of many values count.
  enum Modifier: Equatable, Sendable {
    case any
    case all
  }

  var left: PredicateTerm
  var relation: PredicateRelation
  var right: PredicateTerm
  var modifier: Modifier?
  var options: StringOptions = []
}

/// How two terms must relate. The raw value is how errors call it.
enum PredicateRelation: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `in` = "IN"
  case between = "BETWEEN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"

  /// The relation of the right side to the left; nil: there is none.
  var mirrored: PredicateRelation? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .in, .between, .contains, .beginsWith, .endsWith, .like, .matches: nil
    }
  }

  /// Whether it looks into strings.
  var isTextual: Bool {
    switch self {
    case .contains, .beginsWith, .endsWith, .like, .matches: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between: false
    }
  }
}

/// One side of a comparison.
indirect enum PredicateTerm: Equatable, Sendable {
  case constant(PredicateConstant)
  /// Terms in braces.
  case list([PredicateTerm])
  case path(PredicatePath)
  case subquery(PredicatePath, variable: String, PredicateSyntax)
  /// Arithmetic, and functions that Realm has not.
  case function

  /// The constant that it is, or that its terms are together; nil: it depends on the object.
  var constant: PredicateConstant? {
    switch self {
    case .constant(let constant): return constant
    case .list(let terms):
      let constants = terms.compactMap(\.constant)
      return constants.count == terms.count ? .list(constants) : nil
    case .path, .subquery, .function: return nil
    }
  }
}

/// A path as it was written.
struct PredicatePath: Equatable, Sendable {
  enum Element: Equatable, Sendable {
    /// A property, an operation such as `@count`, or the variable of a SUBQUERY.
    case name(String)
    case position(Int)
    case first
    case last
    case key(String)
    /// Each element.
    case all
  }

  /// Empty: the object itself.
  var elements: [Element]

  init(_ elements: [Element]) {
    self.elements = elements
  }

  init(names: [String]) {
    elements = names.map { .name($0) }
  }
}

/// How strings are compared.
public struct StringOptions: OptionSet, Sendable {
  /// A bit for each option.
  public let rawValue: Int8

  /// Creates options from their bits.
  public init(rawValue: Int8) {
    self.rawValue = rawValue
  }

  /// Capital and small letters are equal.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Letters with and without accents are equal.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
