import GatehouseModel
import GatehouseQuery

/// IN.
extension PredicateCompiler {
  /// A path that equals one of several constants.
  mutating func inclusion(
    of path: KeyPath, in constants: [Constant], _ relation: Comparison.Relation, _ row: RowAlias,
    isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard case .equal(caseSensitive: true) = relation else { return nil }
    if constants.allSatisfy({ $0.identifies(path, in: paths.catalog) }) {
      return try inclusion(ofIdentifier: path, in: constants, row)
    }
    var values: [SQLText] = []
    var hasNull = false
    for (place, constant) in constants.enumerated() {
      guard case .value(let value) = constant else { return nil }
      if value == .null {
        hasNull = true
      } else if let binding = SQLText.Binding(value, comparedWith: path.type) {
        values.append("\(argument: binding, of: place)")
      } else {
        return nil
      }
    }
    let test = Inclusion(values: values, hasNull: hasNull, type: path.type)
    if path.isToMany {
      guard let (rows, value) = try paths.rows(of: path, from: row) else { return nil }
      let condition = test.condition(value)
      let isFound = isLooking(up: row) && !isStrict && !hasNull && paths.catalog.isIndexed(path)
      return (isFound ? rows.start(of: condition) : nil) ?? rows.exists(condition)
    }
    if !isStrict, !hasNull, !path.endsInObject,
      let condition = try throughLinks(
        path.hops[...], row,
        to: { compiler, row in
          compiler.paths.end(of: path, row).map { test.condition(compiler.lookup($0, row)) }
        })
    {
      return condition
    }
    guard let value = try paths.value(of: path, from: row) else { return nil }
    let condition = test.condition(value)
    return isStrict ? "ifnull(\(condition), 0)" : condition
  }
}

extension PredicateCompiler {
  /// Compiles that an identifier of a document is one of several constants, which are not null.
  private mutating func inclusion(
    ofIdentifier path: KeyPath, in constants: [Constant], _ row: RowAlias
  ) throws(StorageError) -> SQLText? {
    guard path.hops.isEmpty, let column = paths.end(of: path, row) else { return nil }
    var places: [SQLText] = []
    for (place, constant) in constants.enumerated() {
      guard case .value(let value) = constant else { return nil }
      places.append("\(argument: .blob(value.sortKey), of: place, as: .sortKey)")
    }
    return "ifnull(mixed_order(\(lookup(column, row))), x'') IN (\(SQLText.joined(places, ", ")))"
  }
}

extension KeyPath {
  fileprivate var endsInObject: Bool {
    if case .object = end { true } else { false }
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
