import Model
import SQLite

extension WriteTransaction {
  /// Deletes the object's row.
  func remove(_ subject: RowAddress) throws(StorageError) {
    let statement = try statements[subject.table][.delete]
    statement.bind(subject.key, at: 1)
    try run(statement)
  }

  /// Deletes what the object owns: its embedded objects, and the elements of its collections.
  func removeContents(_ subject: RowAddress) throws(StorageError) {
    for (index, layout) in catalog.tables[subject.table].properties.enumerated() {
      try removeEmbedded(of: index, subject)
      if layout.element != nil && !layout.isColumn { try clear(index, subject) }
    }
    try forgetMixedLinks(of: subject)
  }

  /// Deletes the embedded objects that a property holds.
  func removeEmbedded(of index: Int, _ subject: RowAddress) throws(StorageError) {
    let layout = catalog.tables[subject.table].properties[index]
    guard let table = try embeddedTable(layout) else { return }
    let statement = try statements[subject.table][layout.isColumn ? .value(index) : .elements(index)]
    statement.bind(subject.key, at: 1)
    try removeEmbedded(table, try integers(statement))
  }

  /// Deletes the embedded object that a map holds under a key.
  func removeEmbedded(
    at key: String, of index: Int, _ subject: RowAddress
  ) throws(StorageError) {
    guard let table = try embeddedTable(catalog.tables[subject.table].properties[index]) else { return }
    let statement = try statements[subject.table][.entry(index)]
    statement.bind(subject.key, at: 1)
    statement.bind(key, at: 2)
    try removeEmbedded(table, try integers(statement))
  }

  func embeddedTable(_ layout: PropertyLayout) throws(StorageError) -> Int? {
    guard case .object(let target)? = layout.element else { return nil }
    let table = try catalog.index(of: target)
    return catalog.tables[table].objectType.isEmbedded ? table : nil
  }

  func removeEmbedded(_ table: Int, _ keys: [Int64]) throws(StorageError) {
    for key in keys {
      let embedded = RowAddress(table: table, key: key)
      try removeContents(embedded)
      try remove(embedded)
    }
  }
}
