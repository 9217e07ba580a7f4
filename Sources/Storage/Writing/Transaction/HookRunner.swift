import GatehouseModel

/// Runs the ``CommitHook`` of a transaction: shows it the changes so far, and adds its operations to them. Owns no table.
final class HookRunner {
  /// An object that a hook added. It takes no part in what the transaction does: of it only the log is told.
  private struct Addition {
    let row: RowAddress
    let id: Mixed
    let draft: ObjectDraft
  }

  private let base: WriteBase
  private let objects: ObjectStore
  private let writer: ObjectWriter
  private let images: ImageReader
  private let capture: ChangeCapture
  /// The objects added since they were last logged.
  private var additions: [Addition] = []

  init(_ parts: WriteParts, writer: ObjectWriter) {
    base = parts.base
    objects = parts.objects
    images = parts.images
    capture = parts.capture
    self.writer = writer
  }

  /// Begins a transaction.
  func begin() { additions.removeAll() }

  /// Whether the log has every object that hooks added.
  var isLogged: Bool { additions.isEmpty }

  /// Returns the net change of each object so far.
  func changes() throws(StorageError) -> [ObjectChange] {
    try ChangeSetBuilder(base: base, images: images, capture: capture).changes()
  }

  /// Asks the hook what follows from the transaction so far. Returns the operations that are still to be performed.
  func operations(of hook: CommitHook) throws(StorageError) -> [Operation] {
    precondition(isLogged, "a hook is asked when the log has what it added before")
    let changeSet = ChangeSet(
      objects: hook.needsObjects ? try changes() : [], version: base.context.version,
      schema: base.statements.catalog.schema, appendOnly: base.appendOnly)
    let operations = try hook.operations(changeSet)
    return try add(operations) ? [] : operations
  }

  /// Adds objects straight away, where that is all there is to do: none is looked at before the commit, and none has
  /// more than its row. False, and nothing is done: the operations are others.
  private func add(_ operations: [Operation]) throws(StorageError) -> Bool {
    var new: [(table: Int, id: Mixed, draft: ObjectDraft)] = []
    new.reserveCapacity(operations.count)
    for operation in operations {
      guard case .create(let objectType, let draft, .error) = operation else { return false }
      let table = try base.statements.catalog.topLevelIndex(of: objectType)
      guard base.statements[table].isFlat, capture.drafts.canWrite(table),
        let id = writer.identifier(of: draft, table), id != .null
      else { return false }
      new.append((table, id, draft))
    }
    for (table, id, draft) in new {
      let row = objects.nextRow(in: table)
      try objects.add(row, id: id, draft)
      additions.append(Addition(row: row, id: id, draft: draft))
    }
    return true
  }

  /// Logs the objects that were added, behind all else.
  func logAdditions(by logger: ChangeLogger) throws(StorageError) {
    for addition in additions {
      try logger.logAddition(addition.row, id: addition.id, addition.draft)
    }
    additions.removeAll(keepingCapacity: true)
  }
}
