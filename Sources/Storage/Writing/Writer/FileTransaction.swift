import GatehouseSQLite

/// SQLite's transaction on the writer's connection, and whether its commit waits for the disk. Used on the writer's queue only.
final class FileTransaction {
  /// Milliseconds for which readers are waited for that have the writer's lock.
  private static let patience: Int32 = 1_000

  private let connection: Connection
  private let sync: LogSync
  /// The durability of the transaction that was begun last.
  private(set) var durability = Durability.full
  /// Whether SQLite syncs the log when it commits.
  private var isSynced = true

  init(on connection: Connection, _ sync: LogSync) {
    self.connection = connection
    self.sync = sync
  }

  /// Begins a transaction. A disk that is late has it wait for the disk in any case.
  ///
  /// - Parameter isKept: Somebody else has it after a power loss: it need not be synced.
  func begin(_ durability: Durability, isKept: Bool) throws(StorageError) {
    precondition(!connection.isInTransaction, "one transaction at a time is open")
    if let failure = sync.failure { throw failure }
    self.durability = durability == .full || !sync.isOnTime ? .full : durability
    try syncAtCommit(self.durability == .full && !isKept)
    do throws(StorageError) { try execute(TransactionStatements.beginWriting) } catch {
      guard error.isBusy else { throw error }
      // A reader that comes upon the log's index while that is written takes the writer's lock for a moment (`walIndexReadHdr`, wal.c).
      try connection.waitingForLocks(milliseconds: FileTransaction.patience) { () throws(StorageError) in
        try execute(TransactionStatements.beginWriting)
      }
    }
  }

  /// Has commits wait for the disk from now on, or not.
  func syncAtCommit(_ isSynced: Bool) throws(StorageError) {
    guard isSynced != self.isSynced else { return }
    do { try connection.execute(FileStatements.syncAtCommit(isSynced)) } catch { throw StorageError(error) }
    self.isSynced = isSynced
  }

  /// Commits the transaction that is open, with its durability. Throws where what others were answered is lost by now.
  func commit() throws(StorageError) {
    precondition(connection.isInTransaction, "what is committed is open")
    switch durability {
    case .full:
      let before = connection.loggedCommits
      do throws(StorageError) { try execute(TransactionStatements.commit) } catch {
        sync.note(error)
        throw error
      }
      // Who wrote nothing may still have read what is not durable.
      if connection.loggedCommits == before { try sync.settle() } else { try sync.didSync() }
    case .within(let milliseconds):
      let wasSettled = sync.isSettled
      sync.willCommit()
      defer { sync.didCommit(within: milliseconds) }
      do throws(StorageError) { try execute(TransactionStatements.commit) } catch {
        // A log that begins anew is synced in any case.
        sync.note(error, wasSettled: wasSettled)
        throw error
      }
      if let failure = sync.failure { throw failure }
    }
  }

  /// Takes back the transaction, if one is open.
  func rollBack() {
    if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }
  }

  private func execute(_ sql: String) throws(StorageError) {
    do { try connection.cached(sql).run() } catch { throw StorageError(error) }
  }
}
