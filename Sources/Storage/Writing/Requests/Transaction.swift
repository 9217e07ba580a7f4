import GatehouseModel
import GatehouseSQLite
public import GatehouseSharing

/// Writes that happen together or not at all.
public struct Transaction: Sendable {
  public var operations: [Operation]
  /// In which form ``Commit/Result/object`` comes; nil: not at all.
  public var returning: Representation?

  /// Makes a repetition of the transaction harmless; nil: it is performed each time.
  public var idempotency: IdempotencyRecord?

  /// The generation of the schema that the operations were made for; if the store's is another one, the transaction
  /// fails with ``StorageError/schemaChanged``. Nil: no matter.
  public var generation: Int64?

  /// The rights of its caller.
  public var rights = WriteRights()

  /// Makes operations of its changes that are committed with it.
  public var hook: CommitHook?

  /// Whether it may write objects of ``StoreOptions/appendOnlyClasses``.
  public var isPrivileged = false

  /// Whether it only shows what it would do: results and errors are those of a transaction, and everything stays as it is.
  public var isTrial = false

  /// Tells something to every store that applies it from a log (``StoreOptions/log``).
  public var notice: ReplicationNotice?

  /// When it is on the disk.
  public var durability = Durability.full

  /// The caller whose share of the writer it takes.
  public var caller = Caller.process

  /// The objects that its one operation is done to, as far as they are known before its turn.
  var matched: MatchedObjects?

  /// Asks for an end before the commit. Nil: nobody will, since the transaction is not long (``isLong``).
  var interruption: Interruption?

  public init(
    _ operations: [Operation], returning: Representation? = nil, idempotency: IdempotencyRecord? = nil
  ) {
    self.operations = operations
    self.returning = returning
    self.idempotency = idempotency
  }

  /// Whether it may take long enough that others should not share its fate, and that it is worth ending where nobody
  /// waits for it any more.
  var isLong: Bool {
    operations.count > 64 || isBulk || operations.contains { $0.elementCount > Transaction.manyElements }
  }

  /// The elements of collections that take as long to write as some hundred objects.
  private static let manyElements = 1024

  /// Whether there is nothing to commit where it changes nothing: no answer is kept, and no hook wants to know.
  var needsNoCommit: Bool { idempotency == nil && hook == nil }

  /// Returns the result of a change by filter for which nothing has to be done, since no object has matched.
  func commit(on matched: MatchedObjects) -> Commit? {
    guard needsNoCommit, matched.keys.isEmpty else { return nil }
    let nothing = Commit.Result(
      effect: .unchanged, id: .null, count: 0, objectVersion: matched.version, object: nil)
    return Commit(version: matched.version, results: [nothing])
  }

  /// Whether it changes all that match a filter.
  var isBulk: Bool {
    operations.contains { if case .each = $0 { true } else { false } }
  }
}
