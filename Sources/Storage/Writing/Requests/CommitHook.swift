/// Operations that are made from a transaction's changes and committed with it, or nothing is committed.
///
/// A record of writes that is kept by a hook is there exactly when the writes are.
public struct CommitHook: Sendable {
  /// Returns the operations. Called on the writer's queue; more than once for a transaction that is repeated after
  /// another one's failure. Links and precondition failures of them fail the transaction.
  public let operations: @Sendable (ChangeSet) throws(StorageError) -> [Operation]
  /// Whether the operations depend on what the objects were and are. If not, ``ChangeSet/objects`` is empty.
  public let needsObjects: Bool

  public init(
    needsObjects: Bool = true,
    _ operations: @escaping @Sendable (ChangeSet) throws(StorageError) -> [Operation]
  ) {
    self.operations = operations
    self.needsObjects = needsObjects
  }
}
