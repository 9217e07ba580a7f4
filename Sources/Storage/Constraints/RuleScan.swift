import GatehouseModel
import GatehouseSQLite

/// Holds the objects that are there against the rules that a new schema has for them.
struct RuleScan {
  private let session: ReadSession
  private let rules: [ClassRules?]
  private let check: RuleCheck

  /// `connection` has the tables of the catalog already.
  init(_ connection: Connection, _ catalog: Catalog) throws(StorageError) {
    session = ReadSession(connection, catalog: catalog)
    rules = try ClassRules.all(in: catalog)
    check = RuleCheck(session, rules)
  }

  /// Throws ``StorageError/rulesBroken(_:)`` with the first objects that break a rule which they were not held against in the
  /// catalog of before. Embedded objects are looked at by themselves.
  func perform(since before: Catalog) throws(StorageError) {
    var broken: [BrokenRule] = []
    for (index, table) in session.catalog.tables.enumerated() {
      guard let rules = rules[index], let work = work(table.objectType, rules, since: before) else {
        continue
      }
      try scan(index, for: work, into: &broken)
    }
    if !broken.isEmpty { throw .rulesBroken(broken) }
  }

  /// Returns the properties whose rules are new, or that may have got other values; nil: there is nothing to look at.
  private func work(_ type: ObjectType, _ rules: ClassRules, since before: Catalog) -> Set<Int>? {
    let old = try? before.table(type.name).objectType
    let properties = type.properties.indices.filter { index in
      rules.values[index] != nil && !(old?.properties.contains(type.properties[index]) ?? false)
    }
    // A check may be about embedded objects, whose classes say what they are.
    let isSame =
      old?.constraints.checks == type.constraints.checks && old?.properties == type.properties
      && session.catalog.schema.objectTypes.allSatisfy { !$0.isEmbedded || before.schema[$0.name] == $0 }
    let isChecked = !rules.checks.isEmpty && !isSame
    return properties.isEmpty && !isChecked ? nil : Set(properties)
  }

  private func scan(
    _ index: Int, for properties: Set<Int>, into broken: inout [BrokenRule]
  ) throws(StorageError) {
    let table = session.catalog.tables[index]
    let rows = try session.prepare(RowStatements.keys(in: table))
    while try session.step(rows) {
      let row = RowAddress(table: index, key: rows.int64(at: 0))
      for violation in try check.violations(of: row, in: properties, isAlone: true) {
        broken.append(
          BrokenRule(
            objectType: table.objectType.name, id: try identifier(of: row.key, table),
            problem: violation.problem))
        if broken.count >= SchemaConflict.mostTold { throw .rulesBroken(broken) }
      }
    }
  }

  private func identifier(of key: Int64, _ table: TableLayout) throws(StorageError) -> Mixed {
    if table.objectType.isEmbedded { return .null }
    let row = try session.cached(RowStatements.identifier(in: table))
    row.bind(key, at: 1)
    defer { row.reset() }
    return try session.step(row) ? row.value(as: table.identifierType, at: 0) : .null
  }
}
