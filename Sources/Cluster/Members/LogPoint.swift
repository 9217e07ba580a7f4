/// A place in the log, and the log up to there.
public struct LogPoint: Hashable, Sendable {
  /// The position of an entry; 0: before the first.
  public let position: UInt64
  /// The hash of that entry, which stands for all before it.
  public let hash: EntryHash
  /// The epoch that the entry is of; 0 before the first.
  public let epoch: UInt64

  public init(position: UInt64, hash: EntryHash, epoch: UInt64) {
    (self.position, self.hash, self.epoch) = (position, hash, epoch)
  }

  /// The beginning of any log.
  public static let start = LogPoint(position: 0, hash: .none, epoch: 0)
}

/// The state of a node's store: where in the log it stands, and which version it has.
public struct StorePoint: Hashable, Sendable {
  /// The entry that the store's last commit came from.
  public let log: LogPoint
  public let version: Int64

  public init(log: LogPoint, version: Int64) {
    (self.log, self.version) = (log, version)
  }
}
