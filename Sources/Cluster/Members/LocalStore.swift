/// The store of a node, as the cluster knows it.
///
/// All functions are called by one thread, one after the other, and may wait. Of them ``follow(_:)`` and ``note(_:whileLeading:)`` are called while
/// the store commits for itself (``ClusterMember/append(_:part:versions:)``).
public protocol LocalStore: AnyObject, Sendable {
  /// Begins to take entries from the log, and no commits of its own: waits until the commit that is being made has ended, or has been
  /// rolled back. Returns where the store stands. `leader` is the node that leads, nil: nobody does that is known.
  func follow(_ leader: String?) throws -> StorePoint

  /// Tells of another leader, while the store follows.
  func didChangeLeader(_ leader: String?)

  /// Begins to take commits, each of which is in the log before it is committed.
  func lead(epoch: UInt64) throws

  /// Applies the rows of another node, and commits with the last part, together with its point in the log.
  ///
  /// Throws ``StopReason/notApplicable(position:_:)`` where they do not fit, which stops the node. After any other error the store is
  /// asked to follow once more, and gets the rows again from where it stands.
  func apply(_ rows: EntryRows) throws

  /// Keeps the place of an entry without rows, so that the store can go on from there though earlier ones leave the log. What was
  /// applied, or committed by a store that leads, is before it. Where the store does not lead, or follow, as it is said to, it keeps
  /// nothing.
  func note(_ point: LogPoint, whileLeading: Bool) throws

  /// Replaces the store by a copy of another node's, which is behind the given position at least, and returns where it stands.
  ///
  /// Throws ``StopReason/behindLog(first:)`` where that can be done only before the store is opened.
  func installSnapshot(atLeast position: UInt64) throws -> StorePoint
}
