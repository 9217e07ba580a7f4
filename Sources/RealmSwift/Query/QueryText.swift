/// Writes what a `where` asks as Realm does, with `%@` for values.
struct QueryText {
  private(set) var format = ""
  private(set) var arguments: [Any] = []
  private var subqueries = 0

  init(_ node: QueryNode) throws(RealmPredicateError) {
    try write(node, isRoot: true)
  }

  /// A predicate may be a path alone, a part of a comparison not.
  private mutating func write(
    _ node: QueryNode, prefix: String = "", isRoot: Bool = false
  ) throws(RealmPredicateError) {
    switch node {
    case .constant(let value):
      format += "%@"
      arguments.append(value ?? QueryNull())
    case .keyPath(let names, let options):
      if isRoot {
        writeBool(names, "true")
      } else {
        if options.contains(.requiresAny) { format += "ANY " }
        format += names.joined(separator: ".")
      }
    case .not(.keyPath(let names, _)) where isRoot: writeBool(names, "false")
    case .not(let child): try write(child, prefix: "NOT ")
    case .comparison(let operation, let left, let right, _) where operation == .and || operation == .or:
      format += prefix + "("
      try write(left, isRoot: true)
      format += " \(operation.rawValue) "
      try write(right, isRoot: true)
      format += ")"
    case .comparison(let operation, let left, let right, let options):
      if left.isCollection, right.isCollection { throw .comparesCollections }
      format += "(" + prefix
      try write(left)
      format += " \(operation.rawValue)\(options.suffix) "
      try write(right)
      format += ")"
    case .between(let node, let lower, let upper):
      format += "(" + prefix
      try write(node)
      format += " BETWEEN {"
      try write(lower)
      format += ", "
      try write(upper)
      format += "})"
    case .subqueryCount(let inner):
      subqueries += 1
      let (collection, variable, node) = try SubqueryRewriter.rewrite(inner, number: subqueries)
      format += "SUBQUERY(\(collection), \(variable), "
      try write(node, isRoot: true)
      format += ").@count"
    case .mapSubscript(let path, let key):
      try write(path)
      format += "[%@]"
      arguments.append(key)
    case .mixedSubscript(let path, let steps):
      try write(path)
      for step in steps { write(step) }
    case .geoWithin(let path, let region):
      format += "(" + prefix
      try write(path)
      format += " IN %@)"
      arguments.append(region)
    }
  }

  private mutating func writeBool(_ names: [String], _ value: String) {
    format += "\(names.joined(separator: ".")) == \(value)"
  }

  private mutating func write(_ step: QueryNode.Subscript) {
    switch step {
    case .index(let index):
      format += "[%@]"
      arguments.append(index)
    case .key(let key):
      format += "[%@]"
      arguments.append(key)
    case .all:
      format += "[%K]"
      arguments.append("#any")
    }
  }
}

/// The argument that stands for nil, where `NSNull` does on other systems.
struct QueryNull: PredicateArgument, CustomStringConvertible {
  var predicateConstant: PredicateConstant { .null }
  var description: String { "<null>" }
}

extension StringOptions {
  /// How predicates spell them, behind an operator.
  fileprivate var suffix: String {
    if isEmpty { return "" }
    return "[\(contains(.caseInsensitive) ? "c" : "")\(contains(.diacriticInsensitive) ? "d" : "")]"
  }
}
