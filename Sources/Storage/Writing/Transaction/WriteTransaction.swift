import GatehouseBSON
import GatehouseModel
import GatehouseSQLite
import GatehouseScheduling

/// One transaction at a time on the writer's connection, step by step: performs operations, checks conditions, runs the
/// hook, writes the change log. Made once for a connection and a catalog; SQLite's own transaction is the writer's.
///
/// Its parts own the tables: ``WriteParts`` lists them.
final class WriteTransaction {
  let catalog: Catalog
  /// The session of the connection, for what the writer itself runs on it.
  let session: ReadSession
  private let context: WriteContext
  private let log: ChangeLog
  private let appendOnly: AppendOnlyTables
  private let residuals: Residuals
  private let links: LinkIndex
  private let usage: UsageCounters
  private let objectStore: ObjectStore
  private let capture: ChangeCapture
  private let conditions: ConditionChecks
  private let constraints: ConstraintChecks
  private let updateTimes: UpdateTimes
  private let visible: VisibleWrites
  private let objects: ObjectWriter
  private let bulk: BulkWriter
  private let hooks: HookRunner
  private let logger: ChangeLogger
  private let results: ResultReader
  private let idempotency: IdempotencyTable
  /// The rights of who asked for the transaction.
  private var rights = WriteRights()
  /// Nanoseconds that a transaction may take; nil: as long as it takes.
  private let timeLimit: UInt64?
  /// Reads between the operations of a transaction; kept for the next one, with its statements.
  private lazy var reader = TypedReader(session, residuals)
  private let scheduler: any Scheduler

  init(
    _ connection: Connection, catalog: Catalog, counters: Counters, options: StoreOptions
  ) throws(StorageError) {
    self.catalog = catalog
    scheduler = options.scheduler
    session = ReadSession(connection, catalog: catalog)
    let base = try WriteBase(session, appendOnlyClasses: options.appendOnlyClasses)
    let parts = WriteParts(base, counters: counters)
    context = base.context
    log = base.log
    appendOnly = base.appendOnly
    residuals = base.residuals
    links = parts.links
    usage = parts.usage
    objectStore = parts.objects
    capture = parts.capture
    conditions = ConditionChecks(base.statements, base.context)
    constraints = try ConstraintChecks(base)
    let present = PresentValues(base)
    visible = VisibleWrites(parts, present: present)
    updateTimes = UpdateTimes(parts)
    objects = ObjectWriter(
      parts, conditions: conditions, visible: visible, present: present, updateTimes: updateTimes,
      bounds: ObjectBounds(options))
    hooks = HookRunner(parts, writer: objects)
    logger = ChangeLogger(
      base, capture: capture, images: parts.images, objects: objectStore, usage: usage,
      sizeLimit: options.objectSize)
    logger.approve = { [constraints] entry throws(StorageError) in try constraints.approve(entry) }
    bulk = BulkWriter(
      base, objects: objects, capture: capture, logger: logger, updateTimes: updateTimes, options: options)
    results = ResultReader(base, capture: capture, conditions: conditions)
    idempotency = IdempotencyTable(session)
    timeLimit = options.writeTime
  }

  // A transaction

  /// Performs the operations inside the SQLite transaction or savepoint that is open. If they change anything, the
  /// commit's version is the one after `last`.
  func perform(
    _ transaction: Transaction, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit {
    let needsObjects = transaction.hook?.needsObjects == true
    let isAlone = transaction.operations.count == 1
    begin(after: last, transaction.rights, until: transaction.interruption, needsObjects: needsObjects)
    updateTimes.begin(clock)
    bulk.begin(
      logsEarly: isAlone && !needsObjects && !transaction.isPrivileged, matched: transaction.matched)
    try check(transaction.generation)
    if let commit = try repeated(transaction.idempotency, after: last, clock: clock) { return commit }
    try located { () throws(StorageError) in try usage.begin(transaction.rights.conditions) }
    var outcomes: [OperationOutcome] = []
    outcomes.reserveCapacity(transaction.operations.count)
    for operation in transaction.operations { outcomes.append(try performNext(operation)) }
    try conditions.approve()
    let changed = try finish(transaction.hook, isPrivileged: transaction.isPrivileged, clock)
    let commit = try located { () throws(StorageError) in
      let commit = Commit(
        version: logger.hasChanged ? context.version : last,
        results: try results.results(
          of: outcomes, changed: changed, version: context.version,
          returning: transaction.returning.map { ($0, transaction.rights.visibility) }))
      if let request = transaction.idempotency { try idempotency.store(request, for: commit, clock()) }
      return commit
    }
    usage.finish()
    // The next transaction, which would forget what this one did, may not come for long.
    if transaction.isLong { capture.removeAll() }
    return commit
  }

  /// Performs operations that come piece by piece and give no results, as ``perform(_:after:clock:)`` does.
  func load(
    _ load: BulkLoad, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit {
    let needsObjects = load.hook?.needsObjects == true
    begin(after: last, load.rights, until: load.interruption, needsObjects: needsObjects)
    updateTimes.begin(clock)
    try check(load.generation)
    if let commit = try repeated(load.idempotency, after: last, clock: clock) { return commit }
    try located { () throws(StorageError) in try usage.begin(load.rights.conditions) }
    var onlyCreates = true
    let pieces = ReadAhead(on: scheduler, load.next)
    while let operations = try piece(pieces) {
      for operation in operations {
        onlyCreates = onlyCreates && operation.isCreation
        _ = try performNext(operation)
      }
      guard onlyCreates, links.isComplete else { continue }
      try conditions.approve()
      try flush(load.hook)
    }
    try conditions.approve()
    _ = try finish(load.hook, isPrivileged: false, clock)
    let commit = Commit(version: logger.hasChanged ? context.version : last, results: [])
    try located { () throws(StorageError) in
      if let request = load.idempotency { try idempotency.store(request, for: commit, clock()) }
    }
    usage.finish()
    return commit
  }

  // A transaction whose operations come one by one, with reads in between

  /// Begins it in the SQLite transaction that is open, and returns a reader of what it changes.
  func beginInteractive(
    after last: Int64, isObserved: Bool, clock: () -> Date
  ) throws(StorageError) -> TypedReader {
    begin(after: last, WriteRights(), until: nil, needsObjects: isObserved)
    updateTimes.begin(clock)
    try usage.begin(rights.conditions)
    return reader
  }

  /// Performs one of its operations, which is about one object.
  func performInteractive(_ operation: Operation) throws(StorageError) -> OperationOutcome {
    try interactively { () throws(StorageError) in try objects.perform(operation) }
  }

  /// Changes what is at a place.
  func change(_ place: RowPlace, by change: PropertyChange) throws(StorageError) {
    try interactively { () throws(StorageError) in try objects.change(place, by: change) }
  }

  /// Deletes an object.
  func delete(_ row: RowAddress) throws(StorageError) {
    try interactively { () throws(StorageError) in try objects.delete(row) }
  }

  private func interactively<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    capture.beginWithdrawable()
    defer { context.finishOperation() }
    let changes = session.connection.totalChanges
    do throws(StorageError) { return try body() } catch {
      // The transaction goes on behind what was refused before its first change, of which nothing is to be logged.
      if session.connection.totalChanges == changes { capture.withdraw() }
      throw error
    }
  }

  /// Returns the net change of each object so far.
  func changes() throws(StorageError) -> [ObjectChange] {
    try updateTimes.stampChanged()
    return try hooks.changes()
  }

  /// Logs what it has changed; returns its version, which is `last` where that is nothing.
  func finishInteractive(after last: Int64, clock: () -> Date) throws(StorageError) -> Int64 {
    do throws(OperationError) { _ = try finish(nil, isPrivileged: false, clock) } catch { throw error.reason }
    usage.finish()
    let version = logger.hasChanged ? context.version : last
    capture.removeAll()
    return version
  }

  // The steps

  private func begin(
    after last: Int64, _ rights: WriteRights, until interruption: Interruption?,
    needsObjects: Bool
  ) {
    context.begin(version: last + 1, until: WriteDeadline(after: timeLimit, interruption))
    conditions.begin(rights.conditions)
    visible.begin(rights.visibility)
    constraints.begin(rights.visibility)
    self.rights = rights
    usage.begin()
    capture.begin(capturesEmbedded: needsObjects)
    links.begin()
    hooks.begin()
    logger.begin()
    bulk.begin(logsEarly: false)
  }

  /// Throws ``StorageError/schemaChanged`` where operations were made for another schema: they may name properties by
  /// places that are others' now.
  private func check(_ generation: Int64?) throws(OperationError) {
    guard generation == nil || generation == catalog.generation else {
      throw OperationError(operation: 0, reason: .schemaChanged)
    }
  }

  /// Returns the commit of a request that has been performed before, with its answer.
  private func repeated(
    _ request: IdempotencyRecord?, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit? {
    guard let request else { return nil }
    return try located { () throws(StorageError) in
      try idempotency.answer(to: request, clock())
        .map { Commit(version: last, results: [], repeated: $0) }
    }
  }

  private func piece(_ pieces: ReadAhead) throws(OperationError) -> [Operation]? {
    do { return try pieces.next() } catch {
      throw OperationError(operation: context.operation, reason: .cancelled)
    }
  }

  private func performNext(_ operation: Operation) throws(OperationError) -> OperationOutcome {
    capture.beginOperation()
    defer { context.finishOperation() }
    do throws(StorageError) {
      try context.checkDeadline()
      return try perform(operation)
    } catch {
      throw OperationError(operation: context.operation, reason: seen(error))
    }
  }

  /// Returns what may be said of an error to who asked for the transaction.
  private func seen(_ error: StorageError) -> StorageError {
    guard case .notUnique(let violation) = error else { return error }
    return .notUnique(violation.seen(under: rights.visibility, in: catalog.schema))
  }

  private func perform(_ operation: Operation) throws(StorageError) -> OperationOutcome {
    if case .each(let plan, let action) = operation { return try bulk.perform(action, onEach: plan) }
    return try objects.perform(operation)
  }

  /// Runs the hook, and logs the net effect and the commit; returns the objects that did change. If none did, the
  /// version is not used up.
  private func finish(
    _ hook: CommitHook?, isPrivileged: Bool, _ clock: () -> Date
  ) throws(OperationError) -> Set<RowAddress> {
    if let missingTarget = links.missingTarget { throw missingTarget }
    try located { () throws(StorageError) in
      if !isPrivileged { try capture.forbidAppendOnly() }
      try updateTimes.stampChanged()
      try run(hook)
      try updateTimes.stampChanged()
    }
    let changed = try logChanges()
    try usage.check()
    precondition(links.isComplete && hooks.isLogged, "a commit has what it links to, and logs all of it")
    try located { () throws(StorageError) in
      if logger.hasChanged { try log.appendCommit(context.version, time: clock()) }
    }
    return changed
  }

  /// Logs what a long transaction did so far and forgets it, so that its length takes no memory.
  ///
  /// Only where nothing of it can change once more, and every link leads to an object that is there.
  private func flush(_ hook: CommitHook?) throws(OperationError) {
    try located { () throws(StorageError) in
      try capture.forbidAppendOnly()
      try updateTimes.stampChanged()
      try run(hook)
      try updateTimes.stampChanged()
    }
    _ = try logChanges()
    capture.removeAll()
  }

  /// Performs what follows from the transaction so far. Its changes are part of the same commit.
  private func run(_ hook: CommitHook?) throws(StorageError) {
    guard let hook else { return }
    try visible.seeingEverything { () throws(StorageError) in
      for operation in try hooks.operations(of: hook) { _ = try perform(operation) }
    }
    if let missingTarget = links.missingTarget { throw missingTarget.reason }
    conditions.forgetTouched()
  }

  private func logChanges() throws(OperationError) -> Set<RowAddress> {
    let changed = try logger.logAll()
    try located { () throws(StorageError) in try hooks.logAdditions(by: logger) }
    return changed
  }

  private func located<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(OperationError) -> Result {
    do throws(StorageError) { return try body() } catch { throw OperationError(operation: 0, reason: error) }
  }

  // Between transactions

  /// The bytes of all changes that were ever logged, those of the SQLite transaction that is open included.
  var loggedBytes: Int64 { log.size }

  /// The next object key and the number of objects of each class.
  var counters: Counters { objectStore.counters }

  /// The quotas' counters as they are now.
  var usageMark: UsageCounters.Mark { usage.mark }

  /// Writes the counters that have changed to the file.
  func storeCounters() throws(StorageError) { try objectStore.storeCounters() }

  /// Takes back what was done since the counters were these, and that the last version: the file has been rolled back.
  func restore(_ counters: Counters, usage mark: UsageCounters.Mark, version: Int64) {
    objectStore.restore(counters)
    usage.restore(mark)
    appendOnly.restore()
    logger.restore()
    log.piece?.rollBack(to: version)
  }

  /// Returns the classes of objects changed since this was last asked.
  func takeChangedTables() -> Set<Int> { logger.takeChangedTables() }

  /// Gives the commits so far to the tail of the log: they are durable.
  func publishLog(to tail: LogTail, through version: Int64) {
    usage.didCommit()
    log.piece = tail.add(log.piece, through: version)
  }

  /// Logs the change of the schema that is the commit of that version.
  func logSchemaChange(
    from old: Schema, to new: Schema, renames: SchemaRenames, version: Int64, time: Date
  ) throws(StorageError) {
    try log.append(schema: old, to: new, renames: renames, version: version)
    try log.appendCommit(version, time: time)
  }
}

extension Operation {
  /// Whether it makes an object that was not there before, and so touches no other.
  fileprivate var isCreation: Bool {
    if case .create(_, _, .error) = self { true } else { false }
  }
}
