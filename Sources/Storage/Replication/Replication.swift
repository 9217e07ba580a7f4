import GatehouseSQLite

/// The writer's part of replication: a store that leads appends to the log what its transactions change, and one that follows applies
/// what others have appended. Used on the writer's queue only.
///
///     following ──lead()──▶ leading ──follow(), refused, in doubt, not committed──▶ following
///         └──a transaction does not fit──▶ stopped, for good
final class Replication {
  private enum Role {
    case following
    case leading
    case stopped(StorageError)
  }

  let status: ReplicationStatus
  let applier: TransactionApplier
  private let log: any TransactionLog
  private let connection: Connection
  private let capture: RowCapture
  private var role = Role.following
  /// The version before the transaction that is open.
  private var base: Int64 = 0
  /// The parts of it that are in the log.
  private var parts = 0
  /// Why a part was not accepted, if one was not.
  private var failure: TransactionLogError?
  /// The transaction of another store that is committed, and not published yet.
  var applied: AppliedTransaction?
  /// The savepoints that are open: what is in them may still be taken back, and is kept out of the log.
  private var savepoints = 0

  /// The bytes of records in a part.
  private static let partSize = TransactionPart.largestSize - TransactionPart.largestHead

  init(
    _ log: any TransactionLog, on connection: Connection, at point: ReplicationPoint
  ) throws(StorageError) {
    self.log = log
    self.connection = connection
    let status = ReplicationStatus(at: point)
    self.status = status
    capture = try RowCapture(of: connection, limit: Replication.partSize)
    applier = TransactionApplier(connection) { notice throws(StorageError) in try status.handle(notice) }
    capture.didFill = { [unowned self] in sendParts() }
  }

  /// Returns the part of replication that belongs to the file's writer; nil: there is no log. A file that belongs to a cluster is
  /// refused without one.
  static func open(
    _ log: (any TransactionLog)?, on connection: Connection, in directory: String
  ) throws(StorageError) -> Replication? {
    let point = try point(in: connection)
    guard let log else {
      guard point == nil else { throw .clusterMember(directory: directory) }
      return nil
    }
    let replication = try Replication(log, on: connection, at: point ?? ReplicationPoint(sequence: 0))
    if point == nil { try replication.store(replication.status.point) }
    return replication
  }

  /// Whether what the log has accepted need not be synced.
  var isDurable: Bool { log.isDurable }

  var isLeading: Bool {
    if case .leading = role { true } else { false }
  }

  /// Whether nothing is written any more.
  var isStopped: Bool {
    if case .stopped = role { true } else { false }
  }

  /// Throws the reason why nothing is written any more.
  func checkRunning() throws(StorageError) {
    if case .stopped(let error) = role { throw error }
  }

  /// Leads from now on.
  func lead() throws(StorageError) {
    try checkRunning()
    precondition(
      !isLeading && !applier.isOpen && !connection.isInTransaction,
      "who begins to lead has applied whole transactions")
    connection.setTriggers(true)
    capture.forgetTables()
    // While the store leads, its transactions change the schema as well.
    applier.forgetTables()
    role = .leading
    status.set(isLeading: true)
  }

  /// Follows from now on.
  func follow() {
    guard isLeading else { return }
    role = .following
    status.set(isLeading: false)
  }

  /// Neither leads nor follows any more.
  func stop(_ error: StorageError) {
    role = .stopped(error)
    status.set(isLeading: false)
  }

  // A transaction of this store

  /// Begins to write down what the transaction changes that is about to be opened; throws ``StorageError/notLeading``.
  func begin(at version: Int64) throws(StorageError) {
    try checkRunning()
    guard isLeading else { throw .notLeading }
    precondition(!connection.isInTransaction, "a transaction is written down from its beginning")
    precondition(
      !applier.isOpen && applied == nil, "who leads has applied, and published, whole transactions")
    (base, parts, failure, savepoints) = (version, 0, nil, 0)
    capture.begin()
  }

  var mark: RowCapture.Mark { capture.mark }

  /// Forgets what came after the mark: the file has been rolled back to it.
  func cut(to mark: RowCapture.Mark) { capture.cut(to: mark) }

  /// Forgets the transaction: the file has been rolled back.
  func discard() {
    capture.end()
    capture.forgetTables()
    savepoints = 0
  }

  /// Keeps what follows out of the log until the transaction commits or ``endSavepoint()`` is called.
  func beginSavepoint() { savepoints += 1 }

  func endSavepoint() {
    precondition(savepoints > 0, "a savepoint that ends has begun")
    savepoints -= 1
  }

  func append(_ notice: ReplicationNotice) { capture.append(notice) }

  /// Appends the transaction to the log, writes its place there to the file, and calls `body` to commit it. Nothing is appended
  /// where it has changed nothing; throws ``StorageError/logUnavailable`` then where another store may have.
  func commit(_ version: Int64, _ body: () throws(StorageError) -> Void) throws(StorageError) {
    guard !capture.isEmpty || parts > 0 else {
      capture.end()
      guard log.isUnchanged else { throw .logUnavailable }
      return try body()
    }
    guard !capture.hasFailed else { throw .corrupt("rows that changed") }
    precondition(savepoints == 0, "what may still be taken back is not appended")
    sendParts()
    let point: ReplicationPoint
    do throws(TransactionLogError) {
      if let failure { throw failure }
      point = try send(capture.bytes.count, isLast: true, version: version)
    } catch {
      throw storageError(of: error)
    }
    capture.end()
    precondition(point.sequence > status.point.sequence, "what is appended comes after what is in the file")
    do throws(StorageError) {
      try store(point)
      try body()
    } catch {
      follow()
      log.didNotCommit(point)
      throw .outcomeUnknown
    }
    status.set(point)
  }

  private func storageError(of error: TransactionLogError) -> StorageError {
    switch error {
    case .refused:
      follow()
      return .notLeading
    case .inDoubt:
      follow()
      return .outcomeUnknown
    case .unavailable: return .logUnavailable
    }
  }

  /// Appends as many parts as are full, but for the last one.
  private func sendParts() {
    guard savepoints == 0, failure == nil, !capture.hasFailed else { return }
    do throws(TransactionLogError) {
      while capture.bytes.count > Replication.partSize {
        _ = try send(Replication.partSize, isLast: false, version: base)
      }
    } catch {
      failure = error
    }
  }

  private func send(
    _ count: Int, isLast: Bool, version: Int64
  ) throws(TransactionLogError) -> ReplicationPoint {
    precondition(isLeading && !applier.isOpen, "only who leads appends")
    precondition(
      count == capture.bytes.count || !isLast && count < capture.bytes.count, "the last part has all the rest"
    )
    let part = TransactionPart(
      number: parts, isLast: isLast, base: base, version: version,
      records: UnsafeRawBufferPointer(rebasing: capture.bytes.prefix(count)))
    let point = try log.append(part)
    parts += 1
    capture.take(count)
    return point
  }

  /// Writes the place in the log to the file, in the transaction that is open.
  func store(_ point: ReplicationPoint) throws(StorageError) {
    do throws(DatabaseError) {
      let statement = try connection.cached(CatalogStatements.setMeta)
      statement.bind(ReplicationStatements.pointName, at: 1)
      statement.bind(blob: point.stored, at: 2)
      try statement.run()
    } catch {
      throw StorageError(error)
    }
  }

  /// Returns the place in the log that a file has come to; nil: it belongs to no cluster.
  static func point(in connection: Connection) throws(StorageError) -> ReplicationPoint? {
    do throws(DatabaseError) {
      let statement = try connection.prepare(ReplicationStatements.point)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      guard let point = ReplicationPoint(stored: statement.bytes(at: 0)) else {
        throw DatabaseError(code: 11, message: ReplicationStatements.pointName)
      }
      return point
    } catch {
      throw StorageError(error)
    }
  }
}
