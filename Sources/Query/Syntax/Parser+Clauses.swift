/// SORT, DISTINCT, LIMIT and regions.
extension Parser {
  mutating func clause() throws(QueryError) -> SyntaxTree.Clause {
    switch token.kind {
    case .sort:
      return .sort(try parenthesized { parser throws(QueryError) in try parser.sortKey() })
    case .distinct:
      return .distinct(try parenthesized { parser throws(QueryError) in try parser.path() })
    case .limit:
      try advance()
      try expect(.leftParenthesis)
      let limit = try natural()
      try expect(.rightParenthesis)
      return .limit(limit)
    default: throw unexpected(["AND", "OR", "SORT", "DISTINCT", "LIMIT", Token.Kind.end.rawValue])
    }
  }

  /// A word, and items with commas between them in parentheses.
  private mutating func parenthesized<Item>(
    _ item: (inout Parser) throws(QueryError) -> Item
  ) throws(QueryError) -> [Item] {
    try advance()
    try expect(.leftParenthesis)
    var items: [Item] = []
    repeat {
      try countTerm()
      items.append(try item(&self))
    } while try take(.comma)
    try expect(.rightParenthesis)
    return items
  }

  private mutating func sortKey() throws(QueryError) -> (path: SyntaxTree.Path, ascending: Bool) {
    let path = try path()
    switch token.kind {
    case .ascending, .descending: break
    default: throw unexpected([Token.Kind.ascending.rawValue, Token.Kind.descending.rawValue])
    }
    let ascending = token.kind == .ascending
    try advance()
    return (path, ascending)
  }

  mutating func geoArgument() throws(QueryError) -> SyntaxTree.GeoArgument {
    let offset = token.start
    if token.kind == .argument { return .argument(try argument(isRead: true), offset: offset) }
    return .region(try geoShape(), offset: offset)
  }

  mutating func geoShape() throws(QueryError) -> SyntaxTree.GeoShape {
    let kind = token.kind
    guard kind == .geoBox || kind == .geoCircle || kind == .geoPolygon else {
      throw unexpected([
        Token.Kind.geoBox.rawValue, Token.Kind.geoCircle.rawValue, Token.Kind.geoPolygon.rawValue,
      ])
    }
    if kind == .geoPolygon {
      return .polygon(try parenthesized { parser throws(QueryError) in try parser.ring() })
    }
    try advance()
    try expect(.leftParenthesis)
    let first = try point()
    try expect(.comma)
    let shape: SyntaxTree.GeoShape =
      kind == .geoBox ? .box(first, try point()) : .circle(first, radius: try constant())
    try expect(.rightParenthesis)
    return shape
  }

  private mutating func ring() throws(QueryError) -> [[Term]] {
    try expect(.leftBrace)
    var points: [[Term]] = []
    repeat {
      points.append(try point())
    } while try take(.comma)
    try expect(.rightBrace)
    return points
  }

  private mutating func point() throws(QueryError) -> [Term] {
    try expect(.leftBracket)
    var coordinates: [Term] = []
    repeat {
      coordinates.append(try constant())
    } while try take(.comma)
    guard 2...3 ~= coordinates.count else { throw unexpected([","]) }
    try expect(.rightBracket)
    return coordinates
  }
}
