public import GatehouseModel

/// One value of all objects of a result.
public struct Aggregate: Hashable, Sendable {
  /// A number of objects, or a function of values.
  public enum Kind: Hashable, Sendable {
    case count
    /// Over all values that the path yields, of all objects.
    case value(AggregateFunction, KeyPath)
  }

  /// The most aggregates that one request may ask for; each link of a path counts as one.
  public static let limit = 100

  /// The spelling in the request: `@count`, `population.@sum`.
  public let text: String
  public let kind: Kind

  /// The type by which a representation writes the value: the path's, of a number of objects int.
  public var type: ElementType {
    switch kind {
    case .count: .int
    case .value(_, let path): path.type
    }
  }

  /// The aggregate of no values; of a number of objects, the sum of such numbers.
  public var ofNothing: Accumulator {
    switch kind {
    case .count: Accumulator(.sum, of: .int)
    case .value(let function, let path): Accumulator(function, of: path.type)
    }
  }

  private var linkCount: Int {
    if case .value(_, let path) = kind { path.hops.count } else { 0 }
  }

  /// Reads a list of them, with commas between: `@count,country.population.@avg`.
  public static func list(
    _ text: String, objectType: String, schema: Schema
  ) throws(QueryError) -> [Aggregate] {
    try Plan.parsing(.aggregate) { () throws(QueryError) in
      let binder = Binder(schema: schema, arguments: [])
      let type = try binder.constants.objectType(objectType, offset: 0)
      var parser = try Parser(text)
      var aggregates: [Aggregate] = []
      var cost = 0
      for (spelling, term) in try parser.aggregates() {
        // Each link of a path costs as much as a path.
        cost += 1 + (aggregates.last?.linkCount ?? 0)
        if cost > limit { throw .tooManyTerms(offset: 0, limit: limit) }
        guard let (path, function) = term else {
          aggregates.append(Aggregate(text: spelling, kind: .count))
          continue
        }
        aggregates.append(
          Aggregate(
            text: spelling, kind: .value(function, try binder.paths.aggregated(path, function, on: type))))
      }
      return aggregates
    }
  }
}

extension Parser {
  /// Reads a list of aggregates, each with its spelling; nil stands for `@count`.
  fileprivate mutating func aggregates() throws(QueryError) -> [(
    String, (SyntaxTree.Path, AggregateFunction)?
  )] {
    var aggregates: [(String, (SyntaxTree.Path, AggregateFunction)?)] = []
    repeat {
      let start = token.start
      var aggregate: (SyntaxTree.Path, AggregateFunction)?
      if try !take(.count) {
        guard case .aggregate(var path, let function, let property) = try value() else {
          throw unexpected([".@min", ".@max", ".@sum", ".@avg"])
        }
        if let property { path.elements.append(.name(property)) }
        aggregate = (path, function)
      }
      let end = token.kind == .end ? lexer.bytes.count : token.start
      aggregates.append((spelling(from: start, to: end), aggregate))
    } while try take(.comma)
    try expect(.end)
    return aggregates
  }

  private func spelling(from start: Int, to end: Int) -> String {
    let text = String(decoding: lexer.bytes[start..<end], as: UTF8.self)
    return String(text.prefix { $0 != " " })
  }
}

extension PathBinder {
  fileprivate func aggregated(
    _ path: SyntaxTree.Path, _ function: AggregateFunction, on type: ObjectType
  ) throws(QueryError) -> KeyPath {
    let resolved = try resolve(path, on: type)
    try resolved.checkLinks(offset: path.offset)
    let element = resolved.type
    let isOrdered = element == .date && (function == .minimum || function == .maximum)
    guard !resolved.endsInFunction, element.isNumeric || element == .mixed || isOrdered else {
      throw .aggregateUnsupported(offset: path.offset, function: function.word, type: resolved.typeRead.name)
    }
    return resolved
  }
}
