import Model
import Query

/// Turns predicates into SQL conditions.
///
/// RQL has two truth values, SQL three. A condition is compiled for one of two places: where null is as good
/// as false (under AND and OR), and under NOT, where it has to be 0 or 1. What SQL can't say becomes a call of
/// `matches(n, key)`, which asks the evaluator whether the n-th of ``residuals`` holds.
struct PredicateCompiler {
  /// Predicates that are evaluated in memory.
  private(set) var residuals: [(predicate: Predicate, table: TableLayout)] = []
  var paths: PathCompiler

  init(_ catalog: Catalog) {
    paths = PathCompiler(catalog)
  }

  /// The condition under which the object of the row satisfies the predicate.
  mutating func condition(_ predicate: Predicate, _ row: RowAlias) throws(StorageError) -> SQLText {
    try condition(predicate, row, isStrict: false)
  }

  mutating func condition(
    _ predicate: Predicate, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText {
    switch predicate {
    case .all(let predicates): return try joined(predicates, " AND ", row, isStrict, ifEmpty: "1")
    case .any(let predicates):
      return try joined(predicates.mergingEqualities, " OR ", row, isStrict, ifEmpty: "0")
    case .not(let predicate): return "NOT \(try condition(predicate, row, isStrict: true))"
    case .comparison(let comparison):
      if let condition = try condition(comparison, row, isStrict: isStrict) { return condition }
      return residual(predicate, row)
    case .fullText, .within: return residual(predicate, row)
    }
  }

  private mutating func joined(
    _ predicates: [Predicate], _ word: String, _ row: RowAlias, _ isStrict: Bool, ifEmpty: SQLText
  ) throws(StorageError) -> SQLText {
    guard !predicates.isEmpty else { return ifEmpty }
    var conditions: [SQLText] = []
    conditions.reserveCapacity(predicates.count)
    for predicate in predicates { conditions.append(try condition(predicate, row, isStrict: isStrict)) }
    return "(\(balanced(conditions[...], word)))"
  }

  /// SQLite nests what has no parentheses to the left, and refuses more than 1,000 levels
  /// (<https://sqlite.org/limits.html>, "Maximum Depth Of An Expression Tree").
  private func balanced(_ conditions: ArraySlice<SQLText>, _ word: String) -> SQLText {
    guard conditions.count > 100 else { return SQLText.joined(Array(conditions), word) }
    let middle = conditions.startIndex + conditions.count / 2
    let (left, right) = (balanced(conditions[..<middle], word), balanced(conditions[middle...], word))
    return "(\(left))\(raw: word)(\(right))"
  }

  private mutating func residual(_ predicate: Predicate, _ row: RowAlias) -> SQLText {
    residuals.append((predicate, row.table))
    return "matches(\(bind: .integer(Int64(residuals.count - 1))), \(row.key))"
  }

  private mutating func condition(
    _ comparison: Comparison, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard case .quantified(let left, let right, _) = comparison.matching else { return nil }
    switch (comparison.left, comparison.right) {
    case (.path(let path), .constant(let constant)):
      let test = ConstantTest(comparison.relation, constant, comparison.nan)
      return try condition(path, left, test, row, isStrict)
    case (.constant(let constant), .path(let path)):
      guard let relation = comparison.relation.mirrored else { return nil }
      return try condition(path, right, ConstantTest(relation, constant, comparison.nan), row, isStrict)
    case (.path(let path), .list(let constants)):
      guard left == .any, right == .any else { return nil }
      return try inclusion(path, constants, comparison, row, isStrict)
    case (.path(let first), .path(let second)):
      return try self.comparison(first, comparison.relation, second, row, isStrict)
    case (.subquery(let subquery), .constant(.value(.int(let count)))):
      return try self.count(subquery, comparison.relation, count, row)
    case (.count(let path), .constant(.value(.int(let count)))):
      return try self.count(path, comparison.relation, count, row)
    default: return nil
    }
  }

  /// A path against a constant.
  private mutating func condition(
    _ path: KeyPath, _ quantifier: Quantifier, _ test: ConstantTest, _ row: RowAlias, _ isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    if path.isToMany {
      // Of collections that are reached through many objects, it is enough that one satisfies ALL.
      if path.hasManyTargets, path.end.isToMany, quantifier != .any { return nil }
      guard let (rows, value) = try paths.rows(of: path, from: row),
        let condition = try test.condition(value, path, &paths, isStrict: quantifier == .all)
      else { return nil }
      switch quantifier {
      case .any:
        let isFound = test.isSelective && isIndexed(path)
        return (isFound ? rows.owners(of: row, condition) : nil) ?? rows.exists(condition)
      case .all: return "NOT \(rows.exists("NOT \(condition)"))"
      case .none: return "NOT \(rows.exists(condition))"
      }
    }
    guard quantifier == .any else { return nil }
    if !isStrict, test.refusesNull, let condition = try throughIndexes(path, path.hops[...], test, row) {
      return condition
    }
    guard let value = try paths.value(of: path, from: row, takingMissingForNull: test.refusesNull)
    else { return nil }
    return try test.condition(value, path, &paths, isStrict: isStrict)
  }

  /// Whether an index leads from a value to the objects that the path yields it for.
  func isIndexed(_ path: KeyPath) -> Bool {
    guard let type = paths.catalog.schema[path.targetType] else { return false }
    switch path.end {
    case .object, .key: return true
    case .value(let property), .elements(let property):
      return type.properties[property].index == .general || type.primaryKeyIndex == property
    case .nested, .nestedElements, .element, .entry, .keys: return false
    }
  }

  /// Two properties of one type, on to-one paths.
  private mutating func comparison(
    _ first: KeyPath, _ relation: Comparison.Relation, _ second: KeyPath, _ row: RowAlias, _ isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard first.type == second.type, first.type != .mixed,
      let left = try paths.value(of: first, from: row), let right = try paths.value(of: second, from: row)
    else { return nil }
    let value: SQLText = first.type == .decimal128 ? "\(left) COLLATE decimal128" : left
    switch relation {
    case .equal(caseSensitive: true): return "\(value) IS \(right)"
    case .notEqual(caseSensitive: true): return "\(value) IS NOT \(right)"
    case .less, .greater, .lessOrEqual, .greaterOrEqual:
      // NaN is stored as a text, and so would be above the numbers.
      guard let sign = relation.sign, first.type != .double, first.type != .float else { return nil }
      let condition: SQLText = "ifnull(\(value) \(raw: sign) \(right), 0)"
      switch relation {
      case .lessOrEqual, .greaterOrEqual: return "(\(condition) OR (\(left) IS NULL AND \(right) IS NULL))"
      default: return condition
      }
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: return nil
    }
  }

  /// A condition at the end of to-one links, said so that SQLite can begin there: which objects satisfy it,
  /// then who links to those.
  private mutating func throughIndexes(
    _ path: KeyPath, _ hops: ArraySlice<Hop>, _ test: ConstantTest, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard let hop = hops.first, case .link(let property) = hop.route else {
      guard hops.isEmpty, let value = paths.end(of: path, row) else { return nil }
      return try test.condition(value, path, &paths, isStrict: false)
    }
    if hops.count == 1, case .object = path.end {
      return try test.condition(row.column(property), path, &paths, isStrict: false)
    }
    let next = try paths.newRow(hop.target)
    guard let condition = try throughIndexes(path, hops.dropFirst(), test, next) else { return nil }
    return """
      \(row.column(property)) IN \
      (SELECT \(next.key) FROM \(raw: next.table.table) AS \(raw: next.name) WHERE \(condition))
      """
  }
}

extension Comparison.Relation {
  /// The relation with left and right exchanged; nil where that has none.
  fileprivate var mirrored: Comparison.Relation? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .beginsWith, .endsWith, .contains, .like: nil
    }
  }

  /// How SQL spells the relation between two values that are not null.
  var sign: String? {
    switch self {
    case .equal(caseSensitive: true): "="
    case .notEqual(caseSensitive: true): "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: nil
    }
  }
}
