import Model
import SQLite

extension WriteSession {
  /// Writes a new object: its row, which fails before anything is written where there is one with that key, then the
  /// rows of its embedded objects, then what its collections hold.
  func insertRow(_ subject: ChangeRecorder.Subject, _ draft: ObjectDraft) throws(StorageError) {
    let table = catalog.tables[subject.table]
    var values: [Mixed] = []
    var embedded: [(subject: ChangeRecorder.Subject, draft: ObjectDraft)] = []
    var given = draft.assignments[...]
    for (index, layout) in table.properties.enumerated() where layout.isColumn {
      while let next = given.first, next.property < index { given.removeFirst() }
      let value = given.first?.property == index ? given.removeFirst().value : layout.property.type.emptyValue
      if case .embedded(let draft) = value {
        let child = try newEmbedded(layout)
        embedded.append((child, draft))
        values.append(.int(child.key))
      } else {
        values.append(try stored(value, in: layout, of: subject))
      }
    }
    try insertColumns(subject, values)
    for child in embedded { try insertRow(child.subject, child.draft) }
    for assignment in draft.assignments where !table.properties[assignment.property].isColumn {
      try insertElements(assignment.value, of: assignment.property, subject)
    }
  }

  private func insertColumns(
    _ subject: ChangeRecorder.Subject, _ values: [Mixed]
  ) throws(StorageError) {
    let table = catalog.tables[subject.table]
    let statement = try statements[subject.table][.insert]
    statement.bind(subject.key, at: 1)
    var place: Int32 = 2
    if !table.objectType.isEmbedded {
      statement.bind(version, at: place)
      place += 1
    }
    var position = 0
    for layout in table.properties where layout.isColumn {
      statement.bind(values[position], as: layout.element ?? .mixed, at: place)
      position += 1
      place += 1
    }
    try run(statement)
  }

  /// Makes a property hold that value and nothing else.
  func assign(
    _ value: DraftValue, to index: Int, of subject: ChangeRecorder.Subject
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
  func apply(_ change: ObjectPatch.Change, to subject: ChangeRecorder.Subject) throws(StorageError) {
    switch change.value {
    case .assign(let value): try assign(value, to: change.property, of: subject)
    case .merge(let entries): try merge(entries, into: change.property, of: subject)
    case .patch(let patch): try patchEmbedded(patch, at: change.property, of: subject)
    }
  }

  /// Sets some entries of a map, and removes those that have no value.
  func merge(
    _ entries: [PatchValue.Entry], into index: Int, of subject: ChangeRecorder.Subject
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
    _ key: String, of index: Int, _ subject: ChangeRecorder.Subject
  ) throws(StorageError) {
    let statement = try statements[subject.table][.removeEntry(index)]
    statement.bind(subject.key, at: 1)
    statement.bind(key, at: 2)
    try run(statement)
  }

  private func patchEmbedded(
    _ patch: ObjectPatch, at index: Int, of subject: ChangeRecorder.Subject
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
    let embedded = ChangeRecorder.Subject(table: table, key: key)
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

  func clear(_ index: Int, _ subject: ChangeRecorder.Subject) throws(StorageError) {
    let statement = try statements[subject.table][.clear(index)]
    statement.bind(subject.key, at: 1)
    try run(statement)
    let layout = catalog.tables[subject.table].properties[index]
    if case .list = layout.property.type {
      try ListBlocks(layout, of: subject.key, in: reading).clear()
    }
  }
}
