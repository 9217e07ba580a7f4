internal import GatehouseBSON
internal import GatehouseModel

/// Gives a syntax tree its types: looks up names, converts literals to the type of what they are compared
/// with, takes the values of arguments (realm-core's `driver.cpp`).
struct Binder {
  let constants: ConstantBinder
  /// Knows the variables of the SUBQUERYs around.
  var paths: PathBinder

  init(schema: Schema, arguments: [Value]) {
    constants = ConstantBinder(schema: schema, arguments: arguments)
    paths = PathBinder(constants)
  }

  /// The predicate of objects of class `type`.
  mutating func predicate(_ node: SyntaxTree.Node, on type: ObjectType) throws(QueryError) -> Predicate {
    switch node {
    case .truth(let truth): return truth ? .always : .never
    case .and(let nodes): return .all(try predicates(nodes, on: type))
    case .or(let nodes): return .any(try predicates(nodes, on: type))
    case .not(let node): return .not(try predicate(node, on: type))
    case .comparison(let left, let relation, let right):
      return try comparison(left, relation: relation, right, on: type)
    case .between(let term, let bounds, let offset):
      return try between(term, bounds, offset: offset, on: type)
    case .text(let left, let right, let offset): return try fullText(left, right, offset: offset, on: type)
    case .geoWithin(let path, let argument): return try within(path, argument, on: type)
    }
  }

  private mutating func predicates(
    _ nodes: [SyntaxTree.Node], on type: ObjectType
  ) throws(QueryError) -> [Predicate] {
    var predicates: [Predicate] = []
    predicates.reserveCapacity(nodes.count)
    for node in nodes { predicates.append(try predicate(node, on: type)) }
    return predicates
  }
}
