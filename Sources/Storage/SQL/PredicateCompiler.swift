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

  private mutating func condition(
    _ predicate: Predicate, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText {
    switch predicate {
    case .all(let predicates): return try joined(predicates, " AND ", row, isStrict, ifEmpty: "1")
    case .any(let predicates): return try joined(predicates, " OR ", row, isStrict, ifEmpty: "0")
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
    for predicate in predicates { conditions.append(try condition(predicate, row, isStrict: isStrict)) }
    return "(\(SQLText.joined(conditions, word)))"
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
      case .any: return rows.exists(condition)
      case .all: return "NOT \(rows.exists("NOT \(condition)"))"
      case .none: return "NOT \(rows.exists(condition))"
      }
    }
    guard quantifier == .any else { return nil }
    if !isStrict, test.refusesNull, let condition = try throughIndexes(path, path.hops[...], test, row) {
      return condition
    }
    guard let value = try paths.value(of: path, from: row) else { return nil }
    return try test.condition(value, path, &paths, isStrict: isStrict)
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

  /// A path that equals one of several constants.
  private mutating func inclusion(
    _ path: KeyPath, _ constants: [Constant], _ comparison: Comparison, _ row: RowAlias, _ isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard case .equal(caseSensitive: true) = comparison.relation else { return nil }
    var values: [SQLText] = []
    var hasNull = false
    for constant in constants {
      guard case .value(let value) = constant else { return nil }
      if value == .null {
        hasNull = true
      } else if let binding = SQLText.Binding(value, comparedWith: path.type) {
        values.append("\(bind: binding)")
      } else {
        return nil
      }
    }
    var rows: PathRows?
    var found: SQLText?
    if path.isToMany {
      (rows, found) = try paths.rows(of: path, from: row).map { ($0.rows, $0.value) } ?? (nil, nil)
    } else {
      found = try paths.value(of: path, from: row)
    }
    guard let found else { return nil }
    let value: SQLText = path.type == .decimal128 ? "\(found) COLLATE decimal128" : found
    var condition: SQLText = "\(value) IN (\(SQLText.joined(values, ", ")))"
    if hasNull { condition = "(\(condition) OR \(value) IS NULL)" }
    if let rows { return rows.exists(condition) }
    return isStrict ? "ifnull(\(condition), 0)" : condition
  }

  private mutating func count(
    _ path: KeyPath, _ relation: Comparison.Relation, _ count: Int64, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard let sign = relation.sign, path.end.isToMany ? path.hops.isEmpty : path.hops.count == 1,
      path.isToMany, let (rows, _) = try paths.rows(of: path, from: row)
    else { return nil }
    return "\(rows.count) \(raw: sign) \(bind: .integer(count))"
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
