import GatehouseModel
import GatehouseQuery

/// How many objects or values there are.
extension PredicateCompiler {
  mutating func count(
    _ subquery: Subquery, _ relation: Comparison.Relation, _ count: Int64, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard let sign = relation.sign, var (rows, _) = try paths.rows(of: subquery.path, from: row) else {
      return nil
    }
    depth += 9
    defer { depth -= 9 }
    rows.conditions.append(try condition(subquery.predicate, rows.row))
    // Most often it is asked whether there is any: the first one answers that.
    switch (relation, count) {
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): return rows.exists(nil)
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): return "NOT \(rows.exists(nil))"
    default: return "\(rows.count) \(raw: sign) \(bind: .integer(count))"
    }
  }

  mutating func count(
    linksTo path: KeyPath, by hops: [Hop], _ relation: Comparison.Relation, _ count: Int64, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    if hops.count == 1 {
      let links = Subquery(path: path.following(hops[0]), predicate: .always)
      return try self.count(links, relation, count, row)
    }
    guard let sign = relation.sign else { return nil }
    var counts: [SQLText] = []
    for hop in hops {
      guard let (rows, _) = try paths.rows(of: path.following(hop), from: row) else { return nil }
      counts.append(rows.count)
    }
    let sum: SQLText = counts.isEmpty ? "0" : SQLText.joined(counts, " + ")
    return "(\(sum)) \(raw: sign) \(bind: .integer(count))"
  }

  mutating func count(
    _ path: KeyPath, _ relation: Comparison.Relation, _ count: Int64, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    if path.hops.count == 1, case .elements(let property) = path.hops[0].route, case .object = path.end,
      let sign = relation.sign
    {
      // Entries of a map count even where the object is gone.
      let child = row.table.properties[property].child
      let count: SQLText = "\(bind: .integer(count))"
      return "(SELECT count(*) FROM \(raw: child) WHERE owner = \(row.key)) \(raw: sign) \(count)"
    }
    guard let sign = relation.sign, path.end.isToMany ? path.hops.isEmpty : path.hops.count == 1,
      path.isToMany, let (rows, _) = try paths.rows(of: path, from: row)
    else { return nil }
    return "\(rows.count) \(raw: sign) \(bind: .integer(count))"
  }
}
