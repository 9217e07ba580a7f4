internal import GatehouseBSON

/// A rule expression of App Services, as `can_evaluate` has it: who may call a function.
///
///     {"%%user.data.email": {"%in": ["a@example.org", "b@example.org"]}, "%%args.0": "%%user.id"}
///
/// Members are all to hold. A rule with anything in it that this gateway does not know never holds, so that nobody
/// gets by a rule that is misunderstood.
indirect enum RuleExpression: Hashable, Sendable {
  case all([RuleExpression])
  case any([RuleExpression])
  case not(RuleExpression)
  case comparison(Operand, Comparison, Operand)
  case exists(Operand, Bool)
  case constant(Bool)

  /// A comparison of two values.
  enum Comparison: String, Hashable, Sendable {
    case equal = "eq"
    case unequal = "ne"
    case less = "lt"
    case atMost = "lte"
    case greater = "gt"
    case atLeast = "gte"
    case isIn = "in"
    case isNotIn = "nin"
  }

  /// A value, or a name that stands for one.
  enum Operand: Hashable, Sendable {
    case literal(Value)
    /// The path after `%%`: `user.id`, `args.0`.
    case expansion([String])

    /// The words that an expansion may begin with.
    private static let roots: Set<Substring> = ["user", "args", "true", "false"]

    /// Reads an operand; nil if it is an unknown name.
    init?(_ value: Value) {
      guard case .string(let text) = value, text.hasPrefix("%%") else {
        self = .literal(value)
        return
      }
      let path = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
      guard let root = path.first, Operand.roots.contains(root) else { return nil }
      self = .expansion(path.map(String.init))
    }
  }

  /// Reads a rule; one that is not understood never holds.
  init(_ value: Value) {
    self = RuleExpression(known: value) ?? .constant(false)
  }

  /// Nil: it is not understood.
  init?(known value: Value) {
    switch value {
    case .bool(let constant): self = .constant(constant)
    case .string:
      guard let operand = Operand(value) else { return nil }
      self = .comparison(operand, .equal, .literal(.bool(true)))
    case .document(let members):
      guard let rules = RuleExpression.every(members.elements, { RuleExpression(member: $0.key, $0.value) })
      else { return nil }
      self = .all(rules)
    default: return nil
    }
  }

  private init?(member name: String, _ value: Value) {
    if name.hasPrefix("%%") {
      guard let operand = Operand(.string(name)) else { return nil }
      self.init(operand, condition: value)
      return
    }
    if RuleExpression.word(name) == "not" {
      guard let rule = RuleExpression(known: value) else { return nil }
      self = .not(rule)
      return
    }
    guard case .array(let values) = value,
      let rules = RuleExpression.every(values, { RuleExpression(known: $0) })
    else {
      return nil
    }
    switch RuleExpression.word(name) {
    case "and": self = .all(rules)
    case "or": self = .any(rules)
    case "nor": self = .not(.any(rules))
    default: return nil
    }
  }

  /// Reads the value that the operand must equal, or the operators that must hold for it.
  private init?(_ operand: Operand, condition: Value) {
    guard case .document(let operators) = condition, let first = operators.elements.first,
      RuleExpression.word(first.key) != nil
    else {
      guard let expected = Operand(condition) else { return nil }
      self = .comparison(operand, .equal, expected)
      return
    }
    let rules = RuleExpression.every(operators.elements) {
      RuleExpression(operand, operator: RuleExpression.word($0.key) ?? "", value: $0.value)
    }
    guard let rules else { return nil }
    self = .all(rules)
  }

  private init?(_ operand: Operand, operator word: String, value: Value) {
    if let comparison = Comparison(rawValue: word) {
      guard let other = Operand(value) else { return nil }
      self = .comparison(operand, comparison, other)
    } else if word == "exists", case .bool(let isThere) = value {
      self = .exists(operand, isThere)
    } else if word == "not", let rule = RuleExpression(operand, condition: value) {
      self = .not(rule)
    } else {
      return nil
    }
  }

  /// Maps all elements; nil if one of them becomes nil.
  private static func every<Element>(_ elements: [Element], _ make: (Element) -> RuleExpression?)
    -> [RuleExpression]?
  {
    let rules = elements.compactMap(make)
    return rules.count == elements.count ? rules : nil
  }

  /// Returns an operator's name without its `%` or `$`; nil if the name is no operator.
  private static func word(_ name: String) -> String? {
    guard name.hasPrefix("%") || name.hasPrefix("$"), !name.hasPrefix("%%") else { return nil }
    return String(name.dropFirst())
  }
}
