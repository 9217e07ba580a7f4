import GatehouseModel
import GatehouseQuery

/// A relation to a constant as a condition in SQL.
struct ConstantTest {
  let relation: Comparison.Relation
  let constant: Constant
  let nan: Comparison.NaNRule

  init(_ relation: Comparison.Relation, _ constant: Constant, nan: Comparison.NaNRule) {
    self.relation = relation
    self.constant = constant
    self.nan = nan
  }

  /// Whether an index on the values of the path finds those that fulfil it.
  func isFound(by catalog: Catalog, _ path: KeyPath) -> Bool {
    switch relation {
    case .equal(caseSensitive: true), .less, .lessOrEqual, .greater, .greaterOrEqual,
      .beginsWith(caseSensitive: true):
      catalog.isIndexed(path) || isEqual && constant.identifies(path, in: catalog)
    case .equal, .beginsWith: catalog.isIndexedFolded(path)
    case .notEqual, .endsWith, .contains, .like: false
    }
  }

  /// Whether the value must be the constant itself.
  var isEqual: Bool { relation == .equal(caseSensitive: true) }

  /// Whether null never fulfils it.
  var refusesNull: Bool {
    if case .value(.null) = constant { return false }
    if case .notEqual = relation { return false }
    return true
  }

  /// The condition for `value`, of the path's type; nil where SQL can't say it.
  func condition(
    _ value: SQLText, of path: KeyPath, in paths: inout PathCompiler, isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    // A map's keys are strings whatever its values are.
    let type: ElementType = if case .keys = path.end { .string } else { path.type }
    switch constant {
    case .value(let constant) where isEqual && self.constant.identifies(path, in: paths.catalog):
      return "ifnull(mixed_order(\(value)), x'') = \(argument: .blob(constant.sortKey), as: .sortKey)"
    case .value(let constant) where type == .mixed: return comparedAsMixed(value, constant)
    case .value(.null): return comparedWithNull(value)
    case .value(let constant):
      if type == .string, let condition = comparedFolded(value, of: path, with: constant, in: paths.catalog) {
        return isStrict && !isEquality ? "ifnull(\(condition), 0)" : condition
      }
      guard let condition = compared(value, of: type, with: constant) else { return nil }
      // IS and IS NOT are two-valued already.
      return isStrict && !isEquality ? "ifnull(\(condition), 0)" : condition
    case .object(let objectType, let primaryKey):
      guard isEquality, case .object = type else { return nil }
      return try compared(
        value, withObject: objectType, primaryKey: primaryKey, in: &paths)
    case .types: return nil
    }
  }

  private var isEquality: Bool {
    switch relation {
    case .equal(caseSensitive: true), .notEqual(caseSensitive: true): true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains,
      .like:
      false
    }
  }

  /// A function decodes the value; a string alone is stored as itself and as nothing else.
  private func comparedAsMixed(_ value: SQLText, _ constant: Mixed) -> SQLText {
    switch (relation, constant) {
    case (.equal(caseSensitive: true), .string(let text)):
      return "\(value) IS \(argument: .text(text), as: .text)"
    case (.equal(caseSensitive: true), .null): return "\(value) IS NULL"
    case (.notEqual(caseSensitive: true), .null): return "\(value) IS NOT NULL"
    default:
      let bytes: SQLText = "\(argument: .blob(constant.encoded), as: .encoded)"
      return "mixed_relates(\(value), \(bind: .integer(relation.code)), \(bytes))"
    }
  }

  private func comparedWithNull(_ value: SQLText) -> SQLText? {
    switch relation {
    case .equal, .lessOrEqual, .greaterOrEqual: "\(value) IS NULL"
    case .notEqual: "\(value) IS NOT NULL"
    case .less, .greater: "0"
    case .beginsWith, .endsWith, .contains, .like: nil
    }
  }

  /// `[c]` in the terms of an index whose texts are folded; nil where there is none.
  private func comparedFolded(
    _ value: SQLText, of path: KeyPath, with constant: Mixed, in catalog: Catalog
  ) -> SQLText? {
    guard case .string(let text) = constant, catalog.isIndexedFolded(path) else { return nil }
    let folded: SQLText = "\(argument: .text(text.folded), as: .folded)"
    let value: SQLText = "text_folded(\(value))"
    switch relation {
    case .equal(caseSensitive: false): return "\(value) IS \(folded)"
    case .notEqual(caseSensitive: false): return "\(value) IS NOT \(folded)"
    case .beginsWith(caseSensitive: false):
      return value.beginning(with: text.folded, as: (.folded, .foldedEnd))
    case .equal, .notEqual, .beginsWith, .less, .lessOrEqual, .greater, .greaterOrEqual, .endsWith, .contains,
      .like:
      return nil
    }
  }

  private func compared(_ value: SQLText, of type: ElementType, with constant: Mixed) -> SQLText? {
    guard let binding = SQLText.Binding(constant, comparedWith: type) else { return nil }
    let value: SQLText = type == .decimal128 ? "\(value) COLLATE decimal128" : value
    let bound: SQLText = "\(argument: binding)"
    switch relation {
    case .equal(caseSensitive: true): return "\(value) IS \(bound)"
    case .notEqual(caseSensitive: true): return "\(value) IS NOT \(bound)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return ordered(value, of: type, against: bound)
    case .beginsWith(caseSensitive: true):
      guard case .string(let prefix) = constant else { return nil }
      return value.beginning(with: prefix, as: (.value, .end))
    case .contains(caseSensitive: true):
      guard type == .string else { return nil }
      return "instr(\(value), \(bound)) > 0"
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like:
      guard type == .string, let name = functionName else { return nil }
      return "\(raw: name)(\(value), \(bound))"
    }
  }

  /// The function of ours that says what SQL has no operator for.
  private var functionName: String? {
    switch relation {
    case .equal(caseSensitive: false): "text_equal_c"
    case .notEqual(caseSensitive: false): "NOT text_equal_c"
    case .beginsWith(caseSensitive: false): "text_begins_c"
    case .endsWith(let isSensitive): isSensitive ? "text_ends" : "text_ends_c"
    case .contains(caseSensitive: false): "text_contains_c"
    case .like(let isSensitive): isSensitive ? "text_like" : "text_like_c"
    case .equal, .notEqual, .beginsWith, .contains, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
    }
  }

  private func ordered(_ value: SQLText, of type: ElementType, against bound: SQLText) -> SQLText? {
    guard let sign = relation.sign else { return nil }
    let comparison: SQLText = "\(value) \(raw: sign) \(bound)"
    guard type == .float || type == .double else { return comparison }
    // NaN is stored as a text, which SQLite takes to be above every number; '' is below every text.
    switch relation {
    case .greater, .greaterOrEqual: return "(\(comparison) AND \(value) < '')"
    default: return nan == .lowest ? "(\(comparison) OR \(value) = 'NaN')" : comparison
    }
  }

  private func compared(
    _ value: SQLText, withObject objectType: String, primaryKey: Mixed, in paths: inout PathCompiler
  ) throws(StorageError) -> SQLText? {
    let row = try paths.newRow(objectType)
    guard let condition = identified(row, by: primaryKey) else { return nil }
    let object: SQLText = """
      (SELECT \(row.key) FROM \(raw: row.table.table) AS \(raw: row.name) WHERE \(condition))
      """
    // An object that is not there equals nothing, not even null: -1 is no object's key.
    if case .equal = relation { return "\(value) IS ifnull(\(object), -1)" }
    return "\(value) IS NOT ifnull(\(object), -1)"
  }

  /// The condition that a row is that of the object with a primary key; nil where the class has none of such a type.
  private func identified(_ row: RowAlias, by primaryKey: Mixed) -> SQLText? {
    let column: SQLText = "\(raw: row.name).\(raw: row.table.identifierColumn)"
    if row.table.identifierType == .mixed {
      return "ifnull(mixed_order(\(column)), x'') = \(bind: .blob(primaryKey.sortKey))"
    }
    return SQLText.Binding(primaryKey, comparedWith: row.table.identifierType).map {
      "\(column) = \(bind: $0)"
    }
  }
}

extension Constant {
  /// Whether the path leads to what identifies a document, and the constant has one place in the order of such values: a decimal
  /// and a double may be equal, and have different ones.
  func identifies(_ path: KeyPath, in catalog: Catalog) -> Bool {
    guard path.type == .mixed, catalog.isUnique(path), case .value(let value) = self else { return false }
    return value.hasOnePlace
  }
}

extension Mixed {
  /// Whether all that equals the value, in any of the comparisons that there are, has one place in the order of mixed values.
  var hasOnePlace: Bool {
    switch self {
    case .bool, .int, .string, .data, .date, .objectID, .uuid: true
    case .dictionary(let entries): entries.allSatisfy { $0.value == .null || $0.value.hasOnePlace }
    case .null, .float, .double, .decimal128, .link, .list: false
    }
  }
}
