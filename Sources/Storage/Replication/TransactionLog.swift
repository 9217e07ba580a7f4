/// A log that a store appends each of its transactions to before it commits them, so that other stores can apply them to
/// files of their own (``Store/apply(_:at:)``).
///
///     BEGIN ──▶ performed ──append(_:)──▶ at a point ──▶ the point is written to the file ──▶ COMMIT
///                             └──throws──▶ ROLLBACK, and the writers get an error
///
/// The store calls it from its writer, one call at a time, and nothing is written until it returns.
public protocol TransactionLog: Sendable {
  /// Whether what it has accepted is there after a power loss. The store's file then need not be synced for each commit: what it
  /// lacks is applied once more.
  var isDurable: Bool { get }

  /// Whether it is certain that no other store has appended to it meanwhile. Asked where a transaction of the store that leads changes
  /// nothing, by which it appends nothing: why it does not is told of the data as it is.
  var isUnchanged: Bool { get }

  /// Appends a part of a transaction, and returns its place when the log has it for good.
  ///
  /// Transactions have one part unless they are larger than ``TransactionPart/largestSize``. The last part commits; parts that no
  /// last one follows stand for nothing, and are given up when another transaction begins.
  func append(_ part: TransactionPart) throws(TransactionLogError) -> ReplicationPoint

  /// Takes note that a transaction is in the log up to that place, and the store could not commit it: it follows from
  /// here on (``Store/isLeading``), and has to apply it like those of others.
  func didNotCommit(_ point: ReplicationPoint)
}

extension TransactionLog {
  /// A log that only one store appends to.
  public var isUnchanged: Bool { true }
}

/// Why a log did not accept a part of a transaction. The transaction is rolled back.
public enum TransactionLogError: Error, Hashable, Sendable {
  /// Another store has written to the log, and leads: nothing of the part is in the log. The store follows from here on;
  /// writers get ``StorageError/notLeading``.
  case refused
  /// Nobody knows whether the log has the part. The store follows from here on, and applies it if it is there; writers get
  /// ``StorageError/outcomeUnknown``.
  case inDoubt
  /// The log cannot be reached, and does not have the part. The store goes on leading; writers get
  /// ``StorageError/logUnavailable``.
  case unavailable
}
