/// Predicates.
extension Parser {
  typealias Node = SyntaxTree.Node
  typealias Term = SyntaxTree.Term

  /// A parenthesis may hold a predicate or a number; which one shows only at its end.
  private enum Part {
    case node(Node)
    /// Only a value that is neither arithmetic nor in parentheses may stand beside a string operator.
    case term(Term, isValue: Bool)
  }

  /// A whole text that is a value or a predicate.
  enum Expression {
    case value(Term)
    case predicate(Node)
  }

  /// Reads a text that is a value or a predicate.
  static func expression(of text: String) throws(QueryError) -> Expression {
    var parser = try Parser(text)
    let part = try parser.disjunction()
    try parser.expect(.end)
    switch part {
    case .node(let node): return .predicate(node)
    case .term(let term, _): return .value(term)
    }
  }

  mutating func predicate() throws(QueryError) -> Node {
    let part = try disjunction()
    return try node(part)
  }

  private func node(_ part: Part) throws(QueryError) -> Node {
    switch part {
    case .node(let node): return node
    case .term: throw unexpected(["a comparison operator"])
    }
  }

  /// Room for a few more, since most queries have so many terms.
  private func nodes(from first: Part) throws(QueryError) -> [Node] {
    var nodes: [Node] = []
    nodes.reserveCapacity(4)
    nodes.append(try node(first))
    return nodes
  }

  private mutating func disjunction() throws(QueryError) -> Part {
    let first = try conjunction()
    guard token.kind == .or else { return first }
    var nodes = try nodes(from: first)
    while try take(.or) {
      let next = try conjunction()
      nodes.append(try node(next))
    }
    return .node(.or(nodes))
  }

  private mutating func conjunction() throws(QueryError) -> Part {
    let first = try comparison()
    guard token.kind == .and else { return first }
    var nodes = try nodes(from: first)
    while try take(.and) {
      let next = try comparison()
      nodes.append(try node(next))
    }
    return .node(.and(nodes))
  }

  private mutating func comparison() throws(QueryError) -> Part {
    switch token.kind {
    case .not:
      try enter()
      try advance()
      let part = try comparison()
      let negated = try node(part)
      leave()
      return .node(.not(negated))
    case .truePredicate, .falsePredicate:
      let truth = token.kind == .truePredicate
      try advance()
      return .node(.truth(truth))
    default:
      switch try sum() {
      case .node(let node): return .node(node)
      case .term(let left, let isValue): return try relation(of: left, isValue: isValue)
      }
    }
  }

  private mutating func relation(of left: Term, isValue: Bool) throws(QueryError) -> Part {
    switch token.kind {
    case .equal, .notEqual, .in, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let relation = try relation()
      return .node(.comparison(left, relation, try term()))
    case .beginsWith, .endsWith, .contains, .like:
      try requireValue(isValue)
      let relation = try relation()
      return .node(.comparison(left, relation, try value()))
    case .text:
      try requireValue(isValue)
      let offset = token.start
      try advance()
      return .node(.text(left, try words(), offset: offset))
    case .between:
      try requireValue(isValue)
      try advance()
      let offset = token.start
      guard token.kind == .leftBrace || token.kind == .argument else { throw unexpected(["{"]) }
      return .node(.between(left, try value(), offset: offset))
    case .geoWithin:
      guard case .path(let path) = left, isValue, path.suffix == nil else { throw unexpected([]) }
      try advance()
      return .node(.geoWithin(path, try geoArgument()))
    default: return .term(left, isValue: isValue)
    }
  }

  /// The right side of TEXT.
  private mutating func words() throws(QueryError) -> Term {
    guard token.kind == .argument else { return try value() }
    try countTerm()
    let offset = token.start
    return .argument(try argument(isRead: true), nil, offset: offset)
  }

  private func requireValue(_ isValue: Bool) throws(QueryError) {
    if !isValue { throw unexpected(["=="]) }
  }

  private mutating func relation() throws(QueryError) -> SyntaxTree.Relation {
    try countTerm()
    let operation = token
    try advance()
    var caseSensitive = true
    if token.kind == .caseInsensitive {
      switch operation.kind {
      case .less, .lessOrEqual, .greater, .greaterOrEqual: throw unexpected(["a value"])
      default: try advance()
      }
      caseSensitive = false
    }
    return SyntaxTree.Relation(kind: operation.kind, caseSensitive: caseSensitive, offset: operation.start)
  }

  /// The right side of a comparison.
  private mutating func term() throws(QueryError) -> Term {
    switch try sum() {
    case .term(let term, _): return term
    case .node: throw unexpected(["an arithmetic operator"])
    }
  }

  private mutating func sum() throws(QueryError) -> Part {
    var left = try product()
    while token.kind == .plus || token.kind == .minus {
      let offset = token.start
      let operation: ArithmeticOperator = token.kind == .plus ? .add : .subtract
      try advance()
      left = try arithmetic(operation, of: left, and: product(), offset: offset)
    }
    return left
  }

  private mutating func product() throws(QueryError) -> Part {
    var left = try factor()
    while token.kind == .times || token.kind == .divided {
      let offset = token.start
      let operation: ArithmeticOperator = token.kind == .times ? .multiply : .divide
      try advance()
      left = try arithmetic(operation, of: left, and: factor(), offset: offset)
    }
    return left
  }

  /// A chain of operators nests to the left, and whoever walks the tree recurses: so it counts as depth.
  private mutating func arithmetic(
    _ operation: ArithmeticOperator, of left: Part, and right: Part, offset: Int
  ) throws(QueryError) -> Part {
    try countTerm()
    guard case .term(let left, _) = left, case .term(let right, _) = right else {
      throw .unexpectedToken(offset: offset, found: "", expected: ["AND", "OR"])
    }
    let height = max(left.height, right.height) + 1
    if height > Self.depthLimit { throw .tooDeep(offset: offset, limit: Self.depthLimit) }
    return .term(.arithmetic(left, operation, right, offset: offset), isValue: false)
  }

  private mutating func factor() throws(QueryError) -> Part {
    guard token.kind == .leftParenthesis else { return .term(try value(), isValue: true) }
    try enter()
    try advance()
    let part = try disjunction()
    try expect(.rightParenthesis)
    leave()
    switch part {
    case .node: return part
    case .term(let term, _): return .term(term, isValue: false)
    }
  }
}

extension SyntaxTree.Term {
  /// How deep its arithmetic nests.
  fileprivate var height: Int {
    switch self {
    case .arithmetic(let left, _, let right, _): max(left.height, right.height) + 1
    case .literal, .argument, .list, .path, .aggregate, .subquery: 0
    }
  }
}
