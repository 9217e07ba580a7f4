import GatehouseModel
import GatehouseQuery

/// Turns predicates into SQL conditions.
///
/// RQL has two truth values, SQL three. A condition is compiled for one of two places: where null is as good
/// as false (under AND and OR), and under NOT, where it has to be 0 or 1. What SQL can't say becomes a call of
/// `matches(n, key)`, which asks the evaluator whether the n-th of ``residuals`` holds.
struct PredicateCompiler {
  /// Predicates that are evaluated in memory.
  private(set) var residuals: [Residual] = []
  var paths: PathCompiler
  /// Whether conditions on the plan's own objects are said so that an index can find them. Where it would find
  /// too many, SQLite, which has no numbers to know that, is kept from it by a `+`
  /// (<https://sqlite.org/optoverview.html>, "Disqualifying WHERE Clause Terms Using Unary +").
  var isLookingUp = true
  /// Symbols on the stack of SQLite's parser, at most, where the next condition begins.
  var depth = 8
  /// How many constants of the plan have been met, in the order of ``PredicateShape``; nil inside a comparison.
  var constantCount: Int? = 0

  /// `visibility` nil: conditions see everything.
  init(_ catalog: Catalog, _ visibility: Visibility? = nil) {
    paths = PathCompiler(catalog, visibility)
  }

  /// The condition under which the object of the row satisfies the predicate.
  mutating func condition(_ predicate: Predicate, _ row: RowAlias) throws(StorageError) -> SQLText {
    try condition(predicate, row, isStrict: false)
  }

  /// Returns the condition without the indexes of some conjuncts.
  mutating func condition(
    _ predicate: Predicate, _ row: RowAlias, unused: Set<Int>
  ) throws(StorageError) -> SQLText {
    var conditions: [SQLText] = []
    var lookups: [FieldLookup] = []
    var room = Self.conditionLimit
    var evaluated: [Predicate] = []
    for (place, conjunct) in predicate.conjuncts.enumerated() {
      let count = conjunct.conditionCount
      guard count <= room else {
        evaluated.append(conjunct)
        passConstants(of: conjunct)
        continue
      }
      room -= count
      isLookingUp = !unused.contains(place)
      if isLookingUp { note(lookup(conjunct, row), in: &lookups) }
      conditions.append(try condition(conjunct, row))
    }
    isLookingUp = true
    if !evaluated.isEmpty {
      conditions.append(residual(evaluated.count == 1 ? evaluated[0] : .all(evaluated), row))
    }
    for lookup in lookups {
      if let keys = lookup.keys(in: row.table) { conditions.append("\(row.key) IN (\(keys))") }
    }
    if conditions.isEmpty { return "1" }
    return "(\(balanced(conditions[...], " AND ")))"
  }

  /// Returns how an index of documents finds the objects of the row that a predicate may hold for.
  private func lookup(_ predicate: Predicate, _ row: RowAlias) -> FieldLookup? {
    row.table.objectType.indexes.lazy.filter { !$0.path.isEmpty }
      .compactMap { predicate.lookup(in: $0, constants: constantCount) }.first
  }

  /// Adds a lookup to others; two of one index are one.
  private func note(_ lookup: FieldLookup?, in lookups: inout [FieldLookup]) {
    guard let lookup else { return }
    if let place = lookups.firstIndex(where: { $0.index == lookup.index }) {
      lookups[place] = lookups[place].intersection(lookup)
    } else {
      lookups.append(lookup)
    }
  }

  mutating func condition(
    _ predicate: Predicate, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText {
    guard depth + predicate.depth <= Self.depthLimit else {
      passConstants(of: predicate)
      return residual(predicate, row)
    }
    let (outer, wasLookingUp) = (depth, isLookingUp)
    defer { (depth, isLookingUp) = (outer, wasLookingUp) }
    switch predicate {
    case .all(let predicates):
      return try joined(predicates, by: " AND ", row, isStrict: isStrict, ifEmpty: "1")
    case .any(let predicates):
      let merged = predicates.mergingEqualities
      // For each term that it looks up, SQLite plans all the others of the statement once more.
      if merged.count > Self.lookupLimit { isLookingUp = false }
      return try joined(merged, by: " OR ", row, isStrict: isStrict, ifEmpty: "0")
    case .not(let predicate):
      depth += 1
      return "NOT \(try condition(predicate, row, isStrict: true))"
    case .comparison(let comparison):
      let first = constantCount
      constantCount = nil
      let condition = try condition(comparison, row, isStrict: isStrict) ?? residual(predicate, row)
      constantCount = first.map { $0 + comparison.shapedConstantCount }
      return condition.numbered(from: comparison.shapedConstantCount > 0 ? first : nil)
    case .fullText(let path, let query):
      if let condition = try condition(query, of: path, row, isStrict: isStrict) { return condition }
      return residual(predicate, row)
    case .within: return residual(predicate, row)
    case .unguarded(let predicate):
      let visibility = paths.visibility
      paths.visibility = nil
      defer { paths.visibility = visibility }
      return try condition(predicate, row, isStrict: isStrict)
    }
  }

  private mutating func joined(
    _ predicates: [Predicate], by word: String, _ row: RowAlias, isStrict: Bool, ifEmpty: SQLText
  ) throws(StorageError) -> SQLText {
    guard !predicates.isEmpty else { return ifEmpty }
    var conditions: [SQLText] = []
    conditions.reserveCapacity(predicates.count)
    // A parenthesis and a word between two conditions, and those of `balanced`.
    depth += predicates.count > 100 ? 12 : 4
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
    residuals.append(
      Residual(predicate: predicate, table: row.table, isGuarded: paths.visibility != nil))
    return "matches(\(bind: .integer(Int64(residuals.count - 1))), \(row.key))"
  }

  private mutating func condition(
    _ comparison: Comparison, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard case .quantified(let left, let right, _) = comparison.matching else { return nil }
    switch (comparison.left, comparison.right) {
    case (.path(let path), .constant(let constant)):
      let test = ConstantTest(comparison.relation, constant, nan: comparison.nan)
      return try condition(test, of: path, quantifier: left, row, isStrict: isStrict)
    case (.constant(let constant), .path(let path)):
      guard let relation = comparison.relation.mirrored else { return nil }
      let test = ConstantTest(relation, constant, nan: comparison.nan)
      return try condition(test, of: path, quantifier: right, row, isStrict: isStrict)
    case (.path(let path), .list(let constants)):
      guard left == .any, right == .any else { return nil }
      return try inclusion(of: path, in: constants, comparison.relation, row, isStrict: isStrict)
    case (.path(let first), .path(let second)):
      return try condition(first, comparison.relation, against: second, in: row)
    case (.subquery(let subquery), .constant(.value(.int(let count)))):
      guard let test = CountTest(comparison.relation, count) else { return nil }
      return try condition(test, of: subquery, row)
    case (.incomingLinks(let path, let hops), .constant(.value(.int(let count)))):
      guard let test = CountTest(comparison.relation, count) else { return nil }
      return try condition(test, ofLinksTo: path, by: hops, row)
    case (.count(let path), .constant(.value(.int(let count)))):
      guard let test = CountTest(comparison.relation, count) else { return nil }
      return try condition(test, ofValuesOf: path, row)
    default: return nil
    }
  }

  /// A path against a constant.
  private mutating func condition(
    _ test: ConstantTest, of path: KeyPath, quantifier: Quantifier, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    if path.isToMany {
      // Among collections that are reached through many objects, it is enough that one satisfies ALL.
      if path.hasManyTargets, path.end.isToMany, quantifier != .any { return nil }
      guard let (rows, value) = try paths.rows(of: path, from: row),
        let condition = try test.condition(value, of: path, in: &paths, isStrict: quantifier == .all)
      else { return nil }
      switch quantifier {
      case .any:
        let isFound = isLooking(up: row) && !isStrict && test.isFound(by: paths.catalog, path)
        return (isFound ? rows.start(of: condition) : nil) ?? rows.exists(condition)
      case .all: return "NOT \(rows.exists("NOT \(condition)"))"
      case .none: return "NOT \(rows.exists(condition))"
      }
    }
    guard quantifier == .any else { return nil }
    if !isStrict, test.refusesNull, let condition = try throughIndexes(test, of: path, row) {
      return condition
    }
    if !isStrict, let condition = try entry(test, of: path, row) { return condition }
    guard let value = try paths.value(of: path, from: row, takingMissingForNull: test.refusesNull)
    else { return nil }
    return try test.condition(value, of: path, in: &paths, isStrict: isStrict)
  }

  /// Two properties of one type, on to-one paths.
  private mutating func condition(
    _ first: KeyPath, _ relation: Comparison.Relation, against second: KeyPath, in row: RowAlias
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
    _ test: ConstantTest, of path: KeyPath, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    // The last link itself is the value.
    let endsInLink = if case .object = path.end { true } else { false }
    // Whether the link may be seen, its column does not tell.
    if endsInLink, let last = path.hops.last, paths.visibility?.restricted.contains(last.target) == true {
      return nil
    }
    let isUnique = test.isEqual && paths.catalog.isUnique(path)
    return try throughLinks(
      endsInLink ? path.hops.dropLast() : path.hops[...], row, isUnique: isUnique && !endsInLink
    ) { (compiler, row) throws(StorageError) in
      let value: SQLText? =
        if endsInLink, case .link(let property)? = path.hops.last?.route {
          row.column(property)
        } else {
          compiler.paths.end(of: path, row)
        }
      guard let value else { return nil }
      return try test.condition(compiler.lookup(value, row), of: path, in: &compiler.paths, isStrict: false)
    }
  }

  /// `condition` of the object that to-one links lead to; nil where one of the hops is something else. Null where
  /// a link is.
  mutating func throughLinks(
    _ hops: ArraySlice<Hop>, _ row: RowAlias, isUnique: Bool = false,
    to condition: (inout PredicateCompiler, RowAlias) throws(StorageError) -> SQLText?
  ) throws(StorageError) -> SQLText? {
    guard let hop = hops.first else { return try condition(&self, row) }
    guard case .link(let property) = hop.route else { return nil }
    let next = try paths.newRow(hop.target)
    guard let found = try throughLinks(hops.dropFirst(), next, isUnique: isUnique, to: condition) else {
      return nil
    }
    let seen: SQLText = try paths.visible(next).map { " AND \($0)" } ?? ""
    // `=` for one object at most, whose index on the link then has the order of keys as well.
    let word = isUnique && hops.count == 1 ? "=" : "IN"
    return """
      \(lookup(row.column(property), row)) \(raw: word) \
      (SELECT \(next.key) FROM \(raw: next.table.table) AS \(raw: next.name) WHERE \(found)\(seen))
      """
  }

  /// A map's value at a key, where an index finds values.
  private mutating func entry(
    _ test: ConstantTest, of path: KeyPath, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard path.hops.isEmpty, case .entry(let property, let key, []) = path.end, isLooking(up: row),
      path.type != .mixed || paths.visibility == nil,
      test.refusesNull, test.isFound(by: paths.catalog, path)
    else { return nil }
    let child = paths.newAlias()
    guard let found = try test.condition("\(raw: child).value", of: path, in: &paths, isStrict: false) else {
      return nil
    }
    return """
      \(row.key) IN (SELECT \(raw: child).owner FROM \(raw: row.table.properties[property].child) \
      AS \(raw: child) WHERE \(raw: child).key = \(bind: .text(key.text)) AND \(found))
      """
  }

  func isLooking(up row: RowAlias) -> Bool { isLookingUp || !row.isPlanned }

  /// The value of an object, such that an index on it is used or not.
  func lookup(_ value: SQLText, _ row: RowAlias) -> SQLText {
    isLooking(up: row) ? value : "+\(value)"
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
