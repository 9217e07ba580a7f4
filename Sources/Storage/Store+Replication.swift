/// A store with a log (``StoreOptions/log``): it leads, and appends what it commits, or follows, and applies what others did.
///
/// It is opened as one that follows. Whoever owns the log reads it from behind ``replicationPoint``, applies its transactions in their
/// order, and has the store lead when it has come to the end and nobody else may write.
extension Store {
  /// The place in the log that the file has come to; nil: the store has no log.
  public var replicationPoint: ReplicationPoint? { replication?.point }

  /// Whether it leads. It stops to where the log refuses a transaction, or nobody knows what has become of one.
  public var isLeading: Bool { replication?.isLeading ?? false }

  /// Whether transactions are performed here: the store has no log, or leads.
  public var isWritable: Bool { replication?.isLeading ?? true }

  /// Leads from now on: transactions are performed here, and appended to the log. Throws what has stopped the store, if it is
  /// stopped, and why ``secret`` could not be appended.
  ///
  /// - Parameter sharesSecret: Whether the first transaction of the log is ``secret``: stores that begin with an empty file have one of
  ///   their own until they apply it.
  public func lead(sharesSecret: Bool = false) async throws(StorageError) {
    try await replicatingWriter.replicate { $0.lead(sharesSecret: sharesSecret) }.get()
  }

  /// Follows from now on, when what has begun is committed: writers get ``StorageError/notLeading``.
  public func follow() async { _ = await replicatingWriter.replicate { $0.follow() } }

  /// Applies a transaction of the log, or a part of it, that is at that place. When it returns, the last part is committed, and
  /// readers and whoever observes commits see it as they do the store's own, with the same versions. A transaction that the file
  /// has already changes nothing.
  ///
  /// The store must follow. Throws ``StorageError/diverged(_:)`` and ``StorageError/invalidEntry(_:)`` where the transaction does
  /// not fit: then nothing of it is done, and the store takes neither that one nor any other (``failure``). After other errors, such
  /// as ``StorageError/diskFull`` and ``StorageError/noticeFailed(kind:)``, the transaction can be applied once more, from its first part.
  public func apply(_ part: TransactionPart, at point: ReplicationPoint) async throws(StorageError) {
    try await replicatingWriter.replicate { $0.apply(part, at: point) }.get()
  }

  /// Writes to the file that it has come to a place of the log, behind entries that are no transactions. Nothing is written where it has
  /// come further already, is in the middle of a transaction, or does not lead, or follow, as the caller takes it to: then something
  /// may be missing before that place.
  public func note(_ point: ReplicationPoint, whileLeading: Bool) async throws(StorageError) {
    try await replicatingWriter.replicate { $0.store(point, whileLeading: whileLeading) }.get()
  }

  /// Calls `observer` with the kinds among these of which records were changed by a transaction that was applied. Who changes
  /// records of this store itself knows without. Writing goes on when it returns.
  public func observeRecords(
    ofKinds kinds: Set<String>, _ observer: @escaping @Sendable (Set<String>) -> Void
  ) {
    replication?.observe(kinds, observer)
  }

  /// Calls `handler` with the notices of a kind in transactions that are applied (``Transaction/notice``). What it reads of the store
  /// is as it was before the transaction; where it throws, nothing is applied, and the transaction may come once more.
  public func handleNotices(
    ofKind kind: String, _ handler: @escaping @Sendable (ReplicationNotice) throws -> Void
  ) {
    replication?.handle(kind, handler)
  }
}
