public import GatehouseBSON
public import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
public import GatehouseScheduling
public import GatehouseSharing
public import GatehouseTelemetry
import Glibc
import Synchronization

/// A data directory, open. Its one process writes through it and makes readers from it.
public final class Store: Sendable {
  private let writer: Writer
  private let view: StoreView
  private let readers: ReaderPool
  private let pasts: PastStores
  private let pins: PinPool
  private let trim: MemoryTrim
  /// The idempotency keys of requests that are being answered.
  private let claims = Mutex<Set<String>>([])
  /// The memory that callers share for what they send and have recorded.
  public let memory: SharedBudget
  /// The room on the disk that callers share for their temporary files.
  public let temporaryFiles: SharedBudget
  /// Makes the queues that the store works on.
  public let scheduler: any Scheduler

  /// The bytes of memory of a request after which what it has left is given back to the system.
  private static let largeRequest = 8 << 20

  /// Opens the data directory, creating it where there is none, and locks it. `clock` gives commits their time;
  /// what the store counts goes to `metrics`.
  public init(
    directory: String, options: StoreOptions = StoreOptions(), metrics: Registry = Registry(),
    clock: @escaping @Sendable () -> Date = CommitClock().now
  ) throws(StorageError) {
    scheduler = options.scheduler
    writer = try Writer(directory, options: options, metrics: metrics, clock: clock)
    view = writer.view
    readers = ReaderPool(view, threads: options.readers, places: options.waitingReads)
    let trim = MemoryTrim(on: options.scheduler)
    self.trim = trim
    memory = SharedBudget(
      of: .memory, capacity: options.sharedMemory, within: options.memoryShare,
      largeSize: Store.largeRequest
    ) {
      trim.request()
    }
    let fileSize = options.temporaryFiles ?? Reserve.freeSize(of: writer.path) / 2
    temporaryFiles = SharedBudget(
      of: .temporaryFiles, capacity: fileSize, within: options.temporaryFilesShare)
    pasts = PastStores(
      in: writer.path, files: temporaryFiles, memory: memory, on: options.scheduler)
    pins = PinPool(view)
    for (name, budget) in [("memory", memory), ("temporary_file", temporaryFiles)] {
      metrics.read("gatehouse_shared_\(name)_bytes", help: "Bytes that callers hold of what they share.") {
        Double(budget.used)
      }
    }
  }

  /// The writer, of a store that has a log.
  var replicatingWriter: Writer {
    precondition(replication != nil, "the store has no log")
    return writer
  }

  /// The state of replication; nil: the store has no log.
  var replication: ReplicationStatus? { writer.replication }

  /// Has the C library soon give back to the system what has been freed, for all of the process.
  public func giveMemoryBack() { trim.request() }

  /// The schema as of the last commit.
  public var schema: Schema { view.state.catalog.schema }

  /// The schema as of the last commit, and its generation, which goes up with every change.
  public var schemaState: (schema: Schema, generation: Int64) {
    let catalog = view.state.catalog
    return (catalog.schema, catalog.generation)
  }

  /// 32 bytes that nobody knows but this store, the same in each process that opens it.
  public var secret: [UInt8] { view.secret }

  /// The version of the last commit; 0 before the first.
  public var version: Int64 { view.state.version }

  /// The path of the data directory.
  public var directory: String { writer.path }

  /// Why the last write failed, where the file or the disk is at fault; nil: writing works, as far as is known.
  public var failure: StorageError? { view.state.failure }

  /// Calls `observer` after commits, when they are durable and readers see them; nil: nobody. Writing goes on when
  /// it returns, so it should only make a note.
  public func observeCommits(_ observer: (@Sendable () -> Void)?) {
    view.sync.observe(observer)
  }

  /// Calls `observer` after commits beside whoever else is told, for as long as the store is open.
  public func addCommitObserver(_ observer: @escaping @Sendable () -> Void) { view.sync.add(observer) }

  /// Whether all commits are durable. Whoever reads the change log waits until they are.
  public var isSettled: Bool { view.sync.isSettled }

  /// Returns when all commits are durable that have been answered, or never will be.
  public func settle() async {
    await view.sync.settled()
  }

  /// Keeps the last commits in memory for somebody who reads the change log as it grows, or does so no longer. What
  /// readers find in the log is the same either way.
  public func keepTail(_ isWanted: Bool) {
    view.tail.want(isWanted)
  }

  /// A connection for reading, for one event loop or thread.
  ///
  /// - Parameter sharesSnapshots: Reads see one state of the file for as long as none has been published after it;
  ///   whoever reads calls ``Reader/release()`` before he waits.
  public func makeReader(sharesSnapshots: Bool = false) throws(StorageError) -> Reader {
    try Reader(view, sharesSnapshots: sharesSnapshots)
  }

  /// Reads on a thread of the store's own, for what would keep an event loop too long. If the task is cancelled,
  /// what it reads fails with ``StorageError/cancelled``. Threads are shared out among callers; where too many wait,
  /// it fails with ``StorageError/refused(_:)``.
  public func read<Answer: Sendable>(
    for caller: Caller = .process, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    try await readers.read(for: caller, body)
  }

  /// Reads the store as it was at a version, on a thread of the store's own.
  ///
  /// A copy of the classes is made for that, in which the log is undone. It stays for a minute, for whoever reads on; the
  /// callers have the room for copies together. Throws ``StorageError/positionExpired``,
  /// ``StorageError/pastUnavailable(_:)`` and ``StorageError/schemaChanged``.
  public func read<Answer: Sendable>(
    _ past: PastView, for caller: Caller = .process, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    try await readers.read(for: caller) { [pasts] reader in
      // Takes over the schema that was published last.
      guard reader.schemaState.generation == past.generation else { throw StorageError.schemaChanged }
      if past.conditions.isEmpty, let answer = try PastLog(reader: reader).answer(at: past.version, body) {
        return answer
      }
      return try pasts.store(of: past, for: caller, by: reader).read(as: reader, body)
    }
  }

  /// Whether a version is kept for somebody by ``freeze(for:)``.
  public var isFrozen: Bool { view.pins.oldest() != nil }

  /// Has the log reach back to the last version for ten minutes, for a caller who reads the store as it is now from then on;
  /// returns the version, and how many seconds that are.
  public func freeze(for caller: Caller) throws(StorageError) -> (version: Int64, seconds: Int64) {
    let version = view.state.version
    try view.pins.add(version, for: caller)
    return (version, Int64(LogPins.lifetime))
  }

  /// Makes `schema`, which is valid, the store's schema. What would lose data or make objects invalid is refused
  /// with ``StorageError/destructiveChange(_:)`` unless `destructive`. Classes and properties in `renames` keep their data
  /// under another name.
  ///
  /// If `schema` was made from the schema of a `generation`, and that is no longer the store's, it is refused with
  /// ``StorageError/schemaChanged``.
  ///
  /// Objects get the defaults of new required properties as part of the commit. Append-only classes that `schema` does
  /// not name stay as they are; only a `privileged` change may make others of them. What follows from the change is
  /// a commit of its own, durable with it.
  public func apply(
    _ schema: Schema, destructive: Bool, renames: SchemaRenames = [], generation: Int64? = nil,
    privileged: Bool = false, hook: CommitHook? = nil
  ) async throws(StorageError) -> SchemaOutcome {
    let plan = SchemaPlan(
      schema: schema, isDestructive: destructive, renames: renames, generation: generation,
      isPrivileged: privileged, hook: hook)
    return try await writer.apply(plan).get()
  }

  /// Performs the steps in one transaction, all or nothing, and returns the version when they are durable. The error says
  /// which step failed. A trial finds out that none does, and the version that would be reached, and leaves everything as it is.
  public func migrate(
    by steps: [MigrationStep], isTrial: Bool = false
  ) async throws(OperationError) -> Int64 {
    try await writer.migrate(steps, isTrial: isTrial).get()
  }

  /// Performs the operations in one transaction, all or nothing, and returns when they are as durable as it says. The writer is shared
  /// out among callers; where too many wait, it fails with ``StorageError/refused(_:)``.
  ///
  /// One that may take long ends before its commit, and fails with ``StorageError/cancelled``, where the task is
  /// cancelled. The objects that a filter matches are looked for as ``read(for:_:)`` reads, while others write.
  public func perform(_ transaction: Transaction) async throws(OperationError) -> Commit {
    guard transaction.isLong else { return try await writer.perform(transaction).get() }
    let matched = try await matches(of: transaction)
    // With a log, the writer asks first whether another store leads by now.
    if let matched, replication == nil, transaction.durability != .full || isSettled,
      let commit = transaction.commit(on: matched)
    {
      return commit
    }
    return try await perform(transaction, on: matched)
  }

  /// Returns the objects that the filter of a transaction with no other operation matches; nil where it is another one.
  func matches(of transaction: Transaction) async throws(OperationError) -> MatchedObjects? {
    guard transaction.operations.count == 1, case .each(let plan, _) = transaction.operations[0],
      plan.isOfOneClass || transaction.needsNoCommit
    else { return nil }
    let (limit, generation) = (view.options.bulkObjects ?? .max, transaction.generation)
    do {
      return try await readers.read(for: transaction.caller) { reader in
        try reader.matches(plan, atMost: limit, generation: generation)
      }
    } catch {
      // The request may have been performed already, on other objects: the writer knows.
      guard transaction.idempotency == nil else { return nil }
      throw OperationError(operation: 0, reason: error as? StorageError ?? .cancelled)
    }
  }

  /// Performs a long transaction, on the objects that its filter has matched if they are still the same.
  func perform(
    _ transaction: Transaction, on matched: MatchedObjects?
  ) async throws(OperationError) -> Commit {
    var transaction = transaction
    // Where the caller's share of the memory has no room for the keys, the writer looks for them once more.
    let memory = memory.reservation(for: transaction.caller)
    defer { memory.release() }
    if let matched, (try? memory.grow(to: matched.keys.count * 8)) != nil { transaction.matched = matched }
    return try await ending { interruption in
      transaction.interruption = interruption
      return await writer.perform(transaction)
    }
  }

  /// Performs operations that come piece by piece, until `next` gives nil, in one transaction; returns its
  /// version when it is durable. If `next` throws, nothing happened.
  ///
  /// Nothing else is written meanwhile.
  public func load(
    _ next: @escaping @Sendable () throws -> [Operation]?
  ) async throws(OperationError) -> Int64 {
    try await load(idempotency: nil, next).version
  }

  /// Like ``load(_:)``, with an idempotency key, for a schema as of `generation`, with the rights of its caller, and
  /// with what follows from it: that is asked for piece by piece, too. It waits for its caller's turn.
  public func load(
    idempotency: IdempotencyRecord?, generation: Int64? = nil, rights: WriteRights = WriteRights(),
    hook: CommitHook? = nil, caller: Caller = .process, _ next: @escaping @Sendable () throws -> [Operation]?
  ) async throws(OperationError) -> Commit {
    try await ending { interruption in
      var load = BulkLoad(
        idempotency: idempotency, generation: generation, rights: rights, hook: hook,
        interruption: interruption, next: next)
      load.caller = caller
      return await writer.load(load)
    }
  }

  /// Has a write end where the task that waits for it is cancelled. If it is committed by then, it stays so.
  private func ending(
    _ body: (Interruption) async -> Result<Commit, OperationError>
  ) async throws(OperationError) -> Commit {
    let interruption = Interruption()
    let result = await withTaskCancellationHandler {
      await body(interruption)
    } onCancel: {
      interruption.request()
    }
    return try result.get()
  }

  /// Changes records, all or none, and returns when that is durable; false: one was not as expected.
  public func keep(_ changes: [RecordChange]) async throws(StorageError) -> Bool {
    try await writer.keep(changes).get()
  }

  /// Makes a temporary file in the data directory, for what is not to be kept in memory. Its bytes are the caller's part
  /// of ``temporaryFiles``; nil: somebody else counts them.
  public func makeSpool(for caller: Caller?) throws(StorageError) -> Spool {
    try Spool(directory: writer.path, within: caller.map(temporaryFiles.reservation))
  }

  /// Takes an idempotency key for a request that is being answered; false: another one is being answered with it.
  public func claim(_ key: String) -> Bool {
    claims.withLock { $0.insert(key).inserted }
  }

  /// Gives a claimed key back.
  public func release(_ key: String) {
    let wasClaimed = claims.withLock { $0.remove(key) != nil }
    precondition(wasClaimed, "a key that is given back was claimed")
  }

  /// Removes what the options say is too old or too much from the change log, and returns when nothing is left to
  /// remove. It happens by itself, too; writers come in between.
  public func shortenLog() async throws(StorageError) {
    try await writer.shortenLog().get()
  }

  /// Gives free pages back to the disk, by writing the whole file anew; that takes up to twice its size meanwhile. Others read, and
  /// whoever writes waits.
  public func compact() async throws(StorageError) -> Compaction.Outcome { try await writer.compact().get() }

  /// Returns the store as it is now, which the holder goes on to see while others write.
  public func pin() throws(StorageError) -> Pin { try pins.pin() }

  /// The number of states of the store that are held by pins.
  public var pinnedStates: Int { pins.count }

  /// Begins a transaction on the caller's thread, which waits for the writer's turn; nobody else writes until it ends. After so
  /// many nanoseconds it is rolled back, nil: it lasts as long as it lasts.
  ///
  /// `isObserved`: ``InteractiveWrite/changes()`` will be asked for.
  ///
  /// Throws ``StorageError/nestedWrite`` where the thread is in such a transaction already: it would wait for itself.
  public func beginWrite(
    limit: UInt64? = nil, isObserved: Bool = false
  ) throws(StorageError) -> InteractiveWrite {
    try writer.begin(limit: limit, isObserved: isObserved)
  }

  /// Begins a transaction on the caller's thread, as ``beginWrite(limit:isObserved:)`` does, that makes `schema` the store's schema first.
  public func beginMigration(
    to schema: Schema, destructive: Bool, renames: SchemaRenames = []
  ) throws(StorageError) -> InteractiveWrite {
    try writer.begin(
      reshapingBy: SchemaPlan(
        schema: schema, isDestructive: destructive, renames: renames, generation: nil))
  }

  /// Makes `schema` the store's schema as ``apply(_:destructive:renames:generation:privileged:hook:)`` does; the thread waits.
  public func applyAndWait(
    _ schema: Schema, destructive: Bool, renames: SchemaRenames = [], generation: Int64? = nil
  ) throws(StorageError) -> SchemaOutcome {
    try writer.applyAndWait(
      SchemaPlan(schema: schema, isDestructive: destructive, renames: renames, generation: generation))
  }

  /// Changes records as ``keep(_:)`` does; the thread waits.
  public func keepAndWait(_ changes: [RecordChange]) throws(StorageError) -> Bool {
    try writer.keepAndWait(changes)
  }

  /// Ends all writing as ``close()`` does; the thread waits.
  public func closeAndWait() { writer.closeAndWait() }

  /// Ends all writing. Call it last: what comes after it fails with ``StorageError/cancelled``, and ``beginWrite(limit:isObserved:)``
  /// waits for ever.
  public func close() async {
    await writer.close()
  }
}
