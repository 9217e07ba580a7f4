import GatehouseModel
import GatehouseQuery

/// A number of objects or values against a constant.
struct CountTest {
  private let relation: Comparison.Relation
  private let count: Int64
  /// How SQL spells the relation.
  private let sign: String

  /// Nil for a relation that numbers do not have.
  init?(_ relation: Comparison.Relation, _ count: Int64) {
    guard let sign = relation.sign else { return nil }
    (self.relation, self.count, self.sign) = (relation, count, sign)
  }

  /// The condition on a number, which is an operand of SQL.
  func condition(_ number: SQLText) -> SQLText {
    "\(number) \(raw: sign) \(bind: .integer(count))"
  }

  /// The condition on the number of rows.
  func condition(on rows: PathRows) -> SQLText {
    // Most often it is asked whether there is any: the first one answers that.
    switch (relation, count) {
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): rows.exists(nil)
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): "NOT \(rows.exists(nil))"
    default: condition(rows.count)
    }
  }
}

extension PredicateCompiler {
  /// The number of objects that a subquery finds.
  mutating func condition(
    _ test: CountTest, of subquery: Subquery, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard var (rows, _) = try paths.rows(of: subquery.path, from: row) else { return nil }
    depth += 9
    defer { depth -= 9 }
    rows.conditions.append(try condition(subquery.predicate, rows.row))
    return test.condition(on: rows)
  }

  /// The number of links to an object by any of the hops.
  mutating func condition(
    _ test: CountTest, ofLinksTo path: KeyPath, by hops: [Hop], _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    if hops.count == 1 {
      let links = Subquery(path: path.following(hops[0]), predicate: .always)
      return try condition(test, of: links, row)
    }
    var counts: [SQLText] = []
    for hop in hops {
      guard let (rows, _) = try paths.rows(of: path.following(hop), from: row) else { return nil }
      counts.append(rows.count)
    }
    let sum: SQLText = counts.isEmpty ? "0" : SQLText.joined(counts, " + ")
    return test.condition("(\(sum))")
  }

  /// The number of values of a path.
  mutating func condition(
    _ test: CountTest, ofValuesOf path: KeyPath, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    if path.hops.count == 1, case .elements(let property) = path.hops[0].route, case .object = path.end,
      !row.table.properties[property].property.type.dropsHiddenLinks
        || paths.visibility?.restricted.contains(path.hops[0].target) != true
    {
      // Entries of a map count even where the object is gone.
      let child = row.table.properties[property].child
      return test.condition("(SELECT count(*) FROM \(raw: child) WHERE owner = \(row.key))")
    }
    guard path.end.isToMany ? path.hops.isEmpty : path.hops.count == 1,
      path.isToMany, let (rows, _) = try paths.rows(of: path, from: row)
    else { return nil }
    return test.condition(rows.count)
  }
}
