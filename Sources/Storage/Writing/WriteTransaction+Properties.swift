import Model
import SQLite

extension WriteTransaction {
  /// Writes a new object: its row, which fails before anything is written where there is one with that key, then the
  /// rows of its embedded objects, then what its collections hold.
  func insertRow(_ subject: RowAddress, _ draft: ObjectDraft) throws(StorageError) {
    let statements = statements[subject.table]
    var embedded: [(subject: RowAddress, draft: ObjectDraft)] = []
    let insertion = try statements[.insert]
    insertion.bind(subject.key, at: 1)
    if statements.hasVersion { insertion.bind(version, at: 2) }
    var given = 0
    for column in statements.columns {
      while given < draft.assignments.count, draft.assignments[given].property < column.property {
        given += 1
      }
      guard given < draft.assignments.count, draft.assignments[given].property == column.property else {
        insertion.bindNull(at: column.parameter)
        continue
      }
      switch draft.assignments[given].value {
      case .value(let value): insertion.bind(value, isMixed: column.isMixed, at: column.parameter)
      case .embedded(let draft):
        let child = try newEmbedded(statements.table.properties[column.property])
        embedded.append((child, draft))
        insertion.bind(child.key, at: column.parameter)
      case let value:
        // What this looks up, and stores, is in other tables.
        let stored = try stored(value, in: statements.table.properties[column.property], of: subject)
        insertion.bind(stored, isMixed: column.isMixed, at: column.parameter)
      }
    }
    try run(insertion)
    for child in embedded { try insertRow(child.subject, child.draft) }
    guard statements.hasCollections else { return }
    for assignment in draft.assignments
    where !statements.table.properties[assignment.property].isColumn {
      try insertElements(assignment.value, of: assignment.property, subject)
    }
  }

  /// Makes a property hold that value and nothing else.
  func assign(
    _ value: DraftValue, to index: Int, of subject: RowAddress
  ) throws(StorageError) {
    let layout = catalog.tables[subject.table].properties[index]
    try removeEmbedded(of: index, subject)
    try forgetMixedLinks(of: subject, layout)
    guard layout.isColumn else {
      try clear(index, subject)
      try insertElements(value, of: index, subject)
      return
    }
    let value = try stored(value, in: layout, of: subject)
    let statement = try statements[subject.table][.assign(index)]
    statement.bind(value, as: layout.element ?? .mixed, at: 1)
    statement.bind(subject.key, at: 2)
    try run(statement)
  }

  /// Changes a property as a patch says.
  func apply(_ change: ObjectPatch.Change, to subject: RowAddress) throws(StorageError) {
    switch change.value {
    case .assign(let value): try assign(value, to: change.property, of: subject)
    case .merge(let entries): try merge(entries, into: change.property, of: subject)
    case .patch(let patch): try patchEmbedded(patch, at: change.property, of: subject)
    }
  }

  /// Sets some entries of a map, and removes those that have no value.
  func merge(
    _ entries: [PatchValue.Entry], into index: Int, of subject: RowAddress
  ) throws(StorageError) {
    for entry in entries {
      try changeEntry(entry.key, of: index, of: subject) { () throws(StorageError) in
        if let value = entry.value {
          try insertElement(value, at: .key(entry.key), of: index, subject)
        } else {
          try removeEntry(entry.key, of: index, subject)
        }
      }
    }
  }

  func removeEntry(
    _ key: String, of index: Int, _ subject: RowAddress
  ) throws(StorageError) {
    let statement = try statements[subject.table][.removeEntry(index)]
    statement.bind(subject.key, at: 1)
    statement.bind(key, at: 2)
    try run(statement)
  }

  private func patchEmbedded(
    _ patch: ObjectPatch, at index: Int, of subject: RowAddress
  ) throws(StorageError) {
    let statement = try statements[subject.table][.value(index)]
    statement.bind(subject.key, at: 1)
    guard case .object(let target)? = catalog.tables[subject.table].properties[index].element else {
      throw .corrupt("patch of a property that holds no object")
    }
    let table = try catalog.index(of: target)
    guard let key = try integers(statement).first else {
      return try assign(.embedded(try draft(patch, table)), to: index, of: subject)
    }
    let embedded = RowAddress(table: table, key: key)
    for change in patch.changes { try apply(change, to: embedded) }
  }

  /// The values of an embedded object that a patch creates.
  func draft(_ patch: ObjectPatch, _ table: Int) throws(StorageError) -> ObjectDraft {
    do throws(ValidationError) {
      return try catalog.tables[table].objectType.draft(from: patch, in: catalog.schema)
    } catch {
      throw .invalid(error)
    }
  }

  func clear(_ index: Int, _ subject: RowAddress) throws(StorageError) {
    let statement = try statements[subject.table][.clear(index)]
    statement.bind(subject.key, at: 1)
    try run(statement)
    let layout = catalog.tables[subject.table].properties[index]
    if case .list = layout.property.type {
      try ListBlocks(layout, of: subject.key, in: reading).clear()
    }
  }
}
