import Model
import Query

/// IN.
extension PredicateCompiler {
  /// A path that equals one of several constants.
  mutating func inclusion(
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
    let test = Inclusion(values: values, hasNull: hasNull, type: path.type)
    if path.isToMany {
      guard let (rows, value) = try paths.rows(of: path, from: row) else { return nil }
      let condition = test.condition(value)
      return (isIndexed(path) ? rows.owners(of: row, condition) : nil) ?? rows.exists(condition)
    }
    if !isStrict, !hasNull, let condition = try inclusionThroughIndexes(path, path.hops[...], test, row) {
      return condition
    }
    guard let value = try paths.value(of: path, from: row) else { return nil }
    let condition = test.condition(value)
    return isStrict ? "ifnull(\(condition), 0)" : condition
  }

  /// Like ``throughIndexes(_:_:_:_:)``, for IN.
  private mutating func inclusionThroughIndexes(
    _ path: KeyPath, _ hops: ArraySlice<Hop>, _ test: Inclusion, _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard let hop = hops.first, case .link(let property) = hop.route else {
      return hops.isEmpty ? paths.end(of: path, row).map { test.condition($0) } : nil
    }
    if case .object = path.end { return nil }
    let next = try paths.newRow(hop.target)
    guard let condition = try inclusionThroughIndexes(path, hops.dropFirst(), test, next) else { return nil }
    return """
      \(row.column(property)) IN \
      (SELECT \(next.key) FROM \(raw: next.table.table) AS \(raw: next.name) WHERE \(condition))
      """
  }
}

/// Several values, one of which a value must be.
private struct Inclusion {
  let values: [SQLText]
  let hasNull: Bool
  let type: ElementType

  func condition(_ value: SQLText) -> SQLText {
    let collated: SQLText = type == .decimal128 ? "\(value) COLLATE decimal128" : value
    let condition: SQLText = "\(collated) IN (\(SQLText.joined(values, ", ")))"
    return hasNull ? "(\(condition) OR \(value) IS NULL)" : condition
  }
}
