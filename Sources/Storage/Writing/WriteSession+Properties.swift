import Model
import SQLite

extension WriteSession {
  /// Writes a new object: its row, then what its collections hold.
  func insertRow(_ subject: ChangeRecorder.Subject, _ draft: ObjectDraft) throws(StorageError) {
    let table = catalog.tables[subject.table]
    // Values first: an embedded object of the same class is inserted by the same statement.
    var values: [Mixed] = []
    var given = draft.assignments[...]
    for (index, layout) in table.properties.enumerated() where layout.isColumn {
      while let next = given.first, next.property < index { given.removeFirst() }
      let value = given.first?.property == index ? given.removeFirst().value : layout.property.type.emptyValue
      values.append(try stored(value, in: layout, of: subject))
    }
    try insertColumns(subject, values)
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

  /// Where an element stands in its collection.
  enum Place {
    case position(Int64)
    case key(String)
    case unordered
  }

  private func insertElements(
    _ value: DraftValue, of index: Int, _ subject: ChangeRecorder.Subject
  ) throws(StorageError) {
    switch (value, catalog.tables[subject.table].properties[index].property.type) {
    case (.list(let values), .list):
      for (position, value) in values.enumerated() {
        try insertElement(value, at: .position(ListPositions.initial(position)), of: index, subject)
      }
      let layout = catalog.tables[subject.table].properties[index]
      try ListBlocks(layout, of: subject.key, in: reading).buildInitial(values.count)
    case (.list(let values), _):
      var hasNull = false
      for value in values {
        // Two nulls are distinct to SQLite's unique index, but one to a set.
        if case .value(.null) = value {
          if hasNull { continue }
          hasNull = true
        }
        try insertElement(value, at: .unordered, of: index, subject)
      }
    case (.map(let entries), _):
      for entry in entries { try insertElement(entry.value, at: .key(entry.key), of: index, subject) }
    // Null resets a collection.
    case (.value, _), (.link, _), (.embedded, _): break
    }
  }

  func insertElement(
    _ value: DraftValue, at place: Place, of index: Int, _ subject: ChangeRecorder.Subject
  ) throws(StorageError) {
    let layout = catalog.tables[subject.table].properties[index]
    // Before the statement is bound, since storing an embedded object may use it too.
    let value = try stored(value, in: layout, of: subject)
    let statement = try statements[subject.table][.insertElement(index)]
    statement.bind(subject.key, at: 1)
    switch place {
    case .position(let position): statement.bind(position, at: 2)
    case .key(let key): statement.bind(key, at: 2)
    case .unordered: break
    }
    statement.bind(value, as: layout.element ?? .mixed, at: 3)
    try run(statement)
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
