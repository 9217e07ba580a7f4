import Model
import SQLite

extension WriteTransaction {
  /// An object that was added to a transaction in the end. It takes no part in what the transaction does: of it only
  /// the log is told.
  struct Addition {
    let subject: RowAddress
    let id: Mixed
    let draft: ObjectDraft
  }

  /// Adds objects straight away, where that is all there is to do: none is looked at before the commit, and none has
  /// more than its row. False, and nothing is done: the operations are others.
  func add(_ operations: [Operation]) throws(StorageError) -> Bool {
    var objects: [(table: Int, id: Mixed, draft: ObjectDraft)] = []
    objects.reserveCapacity(operations.count)
    for operation in operations {
      guard case .create(let objectType, let draft, .error) = operation else { return false }
      let table = try catalog.topLevelIndex(of: objectType)
      guard statements[table].isFlat, draftWriters[table] != nil,
        let id = identifier(of: draft, table), id != .null
      else { return false }
      objects.append((table, id, draft))
    }
    for (table, id, draft) in objects {
      let subject = RowAddress(table: table, key: counters.takeKey(table))
      try store(subject, id, draft)
      additions.append(Addition(subject: subject, id: id, draft: draft))
    }
    return true
  }

  /// Tells the log of the objects that were added, behind all else.
  func logAdditions() throws(StorageError) {
    for addition in additions {
      let subject = addition.subject
      let leavesValues = appendOnly.contains(subject.table)
      // Those who follow the log get them all the same.
      let image = leavesValues && log.piece == nil ? nil : image(of: addition.draft, subject)
      let row = LogRow(
        ordinal: ordinal, objectType: catalog.tables[subject.table].objectType.name, key: subject.key,
        id: addition.id, operation: .insert, before: nil, after: image, elements: nil)
      try append(row, of: subject, leavesValues: leavesValues)
    }
    additions.removeAll(keepingCapacity: true)
  }

  /// Tells the log what an object was made with, which it left to the row so far: that is about to change.
  ///
  /// Objects of append-only classes hardly ever do, and would be in the file twice.
  func completeLog(_ subject: RowAddress) throws(StorageError) {
    guard appendOnly.contains(subject.table), statements[subject.table].isFlat,
      recorder.entry(for: subject) == nil
    else { return }
    let rows = try reading.cached(
      "SELECT _version FROM \(catalog.tables[subject.table].table) WHERE _key = ?1")
    rows.bind(subject.key, at: 1)
    guard let version = try reading.integer(rows) else { return }
    try log.complete(
      catalog.tables[subject.table].objectType.name, subject.key, madeIn: version,
      with: try image(of: subject))
  }
}
