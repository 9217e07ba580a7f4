import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Performs an operation on all objects that a plan matches, in memory that does not grow with their number. Owns no
/// table.
final class BulkWriter {
  private let statements: WriteStatements
  private let context: WriteContext
  private let objects: ObjectWriter
  private let capture: ChangeCapture
  private let logger: ChangeLogger
  private let finder: KeyFinder
  private let updateTimes: UpdateTimes
  private let limit: Int?
  private let rememberedBytes: Int
  /// The objects that the transaction's one operation is done to; nil: its plan says.
  private var matched: MatchedObjects?
  /// Whether what objects become is logged before the transaction ends.
  private var logsEarly = false
  /// The bytes of what objects became, where that is read for the hook and the log at the transaction's end.
  private var newBytes = 0

  init(
    _ base: WriteBase, objects: ObjectWriter, capture: ChangeCapture, logger: ChangeLogger,
    updateTimes: UpdateTimes, options: StoreOptions
  ) {
    statements = base.statements
    finder = base.keys
    context = base.context
    self.objects = objects
    self.capture = capture
    self.logger = logger
    self.updateTimes = updateTimes
    limit = options.bulkObjects
    rememberedBytes = options.rememberedBytes
  }

  /// Begins a transaction. `logsEarly`: it has one operation, and nobody asks what the objects were. `matched`: the objects
  /// that the operation is done to, where that is known.
  func begin(logsEarly: Bool, matched: MatchedObjects? = nil) {
    self.logsEarly = logsEarly
    self.matched = matched
    newBytes = 0
  }

  /// Does the same to every object that the plan matches now, earlier operations of the transaction included.
  func perform(_ action: Operation.Action, onEach plan: Plan) throws(StorageError) -> OperationOutcome {
    let table = try statements.catalog.topLevelIndex(of: plan.objectType)
    // First all keys: what is changed may decide what matches.
    let keys = if let matched { matched.keys } else { try keys(plan) }
    let bytesBefore = logger.newBytes
    let transform =
      if case .transform(let transform) = action { TransformRunner(transform, statements, table: table) } else
      {
        TransformRunner?.none
      }
    for (index, key) in keys.enumerated() {
      try context.checkDeadline()
      let row = RowAddress(table: table, key: key)
      if let transform {
        guard let patch = try transform.patch(at: index, of: keys) else { continue }
        try objects.perform(.update(patch), on: row)
      } else {
        try objects.perform(action, on: row)
      }
      guard logsEarly else {
        try checkRemembered(action, row, count: index)
        continue
      }
      guard index == 0 || capture.isFull else { continue }
      try logComplete(action)
      // All take about as much as the first: what would be too much ends here, before it is written.
      if index == 0 { try checkBytes(of: keys.count, each: logger.newBytes - bytesBefore) }
    }
    var effect = Commit.Result.Effect.updated
    if case .delete = action { effect = .deleted }
    return OperationOutcome(
      row: nil, id: .null, effect: keys.isEmpty ? .unchanged : effect, count: keys.count)
  }

  /// Logs what will not change any more and forgets it.
  ///
  /// Each object has its turn once. Those that others are deleted from, which they linked to, may still have theirs.
  private func logComplete(_ action: Operation.Action) throws(StorageError) {
    try capture.forbidAppendOnly()
    try updateTimes.stampChanged()
    let entries =
      switch action {
      case .delete: capture.takeEntries { $0.kind == .deleted }
      case .update, .edit, .compute, .transform: capture.takeEntries { _ in true }
      }
    for entry in entries { try logger.log(entry) }
    try checkBytes(of: 1, each: logger.newBytes)
  }

  /// Throws ``StorageError/tooManyObjects(limit:)`` where the objects are more than should be remembered: the `count`
  /// before this one were not.
  private func checkRemembered(
    _ action: Operation.Action, _ row: RowAddress, count: Int
  ) throws(StorageError) {
    switch action {
    case .delete: break
    case .update, .edit, .compute, .transform: newBytes += try capture.imageSize(of: row)
    }
    guard capture.size + newBytes > rememberedBytes, count > 0 else { return }
    throw .tooManyObjects(limit: count)
  }

  /// Throws ``StorageError/tooManyObjects(limit:)`` where so many objects with so many new bytes each are more than a
  /// KiB for each object that may be changed at once.
  private func checkBytes(of count: Int, each bytes: Int) throws(StorageError) {
    guard let limit, bytes > 0 else { return }
    let (allowed, isAny) = limit.multipliedReportingOverflow(by: 1_024)
    guard !isAny, bytes > allowed / count else { return }
    throw .tooManyObjects(limit: limit)
  }

  private func keys(_ plan: Plan) throws(StorageError) -> [Int64] {
    let limit = limit ?? .max
    return try context.reading(on: statements.session.connection) { () throws(StorageError) in
      var keys: [Int64] = []
      try finder.forEachKey(of: plan) { key throws(StorageError) in
        guard keys.count < limit else { throw .tooManyObjects(limit: limit) }
        keys.append(key)
      }
      return keys
    }
  }
}
