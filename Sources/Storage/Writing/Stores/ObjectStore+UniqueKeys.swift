import GatehouseModel
import GatehouseSQLite

// Values that must be unique, and that another object may have.
extension ObjectStore {
  /// Makes null of properties that are about to get other values, where they are unique together.
  ///
  /// They get them one after the other, and what they are on the way may be the values of another object.
  func vacate(_ row: RowAddress, for properties: @autoclosure () -> [Int]) throws(StorageError) {
    let keys = statements.catalog.tables[row.table].objectType.constraints.uniqueKeys
    if keys.isEmpty { return }
    let properties = properties()
    for key in keys {
      let changed = key.filter(properties.contains)
      guard changed.count > 1 else { continue }
      for property in changed { try write(.null, to: property, of: row) }
    }
  }

  /// Returns the error where SQLite refused a new row.
  func refusal(_ error: StorageError, of draft: ObjectDraft, _ row: RowAddress) -> StorageError {
    let table = statements.catalog.tables[row.table]
    guard let key = table.uniqueKey(refusing: error) else { return error }
    let values = key.map { property -> Mixed in
      switch draft.assignments.first(where: { $0.property == property })?.value {
      case .value(let value)?: value
      case .link(_, let primaryKey)?: primaryKey
      case .embedded?, .list?, .map?, nil: .null
      }
    }
    return violation(of: key, values, in: table)
  }

  /// Returns the error where SQLite refused another value for a property of a row.
  func refusal(
    _ error: StorageError, of value: Mixed, for property: Int, in row: RowAddress
  ) -> StorageError {
    let table = statements.catalog.tables[row.table]
    guard let key = table.uniqueKey(refusing: error) else { return error }
    var values: [Mixed] = []
    for other in key {
      let stored = other == property ? value : (try? self.value(of: other, in: row)) ?? .null
      values.append(shown(stored, table.properties[other]))
    }
    return violation(of: key, values, in: table)
  }

  private func violation(of key: [Int], _ values: [Mixed], in table: TableLayout) -> StorageError {
    .notUnique(
      UniqueViolation(
        objectType: table.objectType.name, properties: table.objectType.names(at: key), values: values))
  }

  private func value(of property: Int, in row: RowAddress) throws(StorageError) -> Mixed {
    let statement = try statements[row.table][.value(property)]
    statement.bind(row.key, at: 1)
    defer { statement.reset() }
    let type = statements.layout(of: property, in: row).element ?? .mixed
    return try statements.session.step(statement) ? statement.value(as: type, at: 0) : .null
  }

  /// Returns a value of a column as clients know it: a link as the primary key that it leads to.
  private func shown(_ value: Mixed, _ layout: PropertyLayout) -> Mixed {
    guard case .object(let target)? = layout.element,
      let table = try? statements.catalog.index(of: target)
    else { return value }
    let key: Int64
    switch value {
    case .int(let number): key = number
    case .link(let link): key = link.key.value
    default: return .null
    }
    return (try? statements.identifier(of: RowAddress(table: table, key: key))) ?? .null
  }
}
