/// Why a node takes no part in the cluster any more until somebody has looked at it.
public enum StopReason: Error, Hashable, Sendable {
  /// The settings of the log's servers can lose what they acknowledge.
  case unsafeLog([LogDefect])
  /// The servers do not let the node in.
  case unauthorized
  /// The store has an entry that the log does not have.
  case aheadOfLog(own: UInt64, last: UInt64)
  /// The log has another entry where the store has its own: they have parted at that position or before it.
  case otherChain(position: UInt64)
  /// An entry between two others is gone.
  case missingEntry(position: UInt64)
  case malformedEntry(position: UInt64, EntryError)
  /// Somebody has written who was not the leader.
  case brokenFence(position: UInt64, epoch: UInt64, node: String)
  /// The entry stands on another version than the store has.
  case otherVersion(position: UInt64, found: Int64, own: Int64)
  /// The store has objects, and has them from elsewhere than this log.
  case foreignStore(version: Int64)
  /// The entry is a part of a commit that does not follow the one before.
  case otherPart(position: UInt64, found: UInt32)
  /// The log says that an entry is elsewhere than where it was to be appended.
  case misplacedEntry(expected: UInt64, found: UInt64)
  /// The log begins behind the store, which has to become a copy of another node's before it goes on.
  case behindLog(first: UInt64)
  /// A later release has written the rows of an entry, in a format that this one does not know.
  case unknownRows(position: UInt64, UInt8)
  /// The store could not take an entry; its reason.
  case notApplicable(position: UInt64, String)
  /// The disk has failed to keep what the store had written: nothing more is, until another process has the store open.
  case diskFailed
  /// The store's file cannot be read; its reason.
  case unreadableStore(String)
}

extension StopReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsafeLog(let defects): defects.map(\.description).joined(separator: " ")
    case .unauthorized: "The log servers do not take these credentials."
    case .aheadOfLog(let own, let last):
      "The store has entry \(own), and the log ends at \(last): the log was restored, or is another one."
    case .otherChain(let position):
      "The store and the log have different entries at \(position): one of them is not of this cluster."
    case .missingEntry(let position): "Entry \(position) is missing in the log."
    case .malformedEntry(let position, let error): "Entry \(position) cannot be read. \(error)"
    case .brokenFence(let position, let epoch, let node):
      "Entry \(position) is by \(node) in epoch \(epoch), which did not lead there."
    case .otherVersion(let position, let found, let own):
      "Entry \(position) stands on version \(found), and the store has version \(own)."
    case .foreignStore(let version):
      "The store has version \(version), which is not from this log: start with an empty directory to join."
    case .otherPart(let position, let found):
      "Entry \(position) is part \(found) of a commit, which does not follow the one before."
    case .misplacedEntry(let expected, let found):
      "The log has put an entry at \(found) that was to be at \(expected)."
    case .behindLog(let first):
      "The log begins at entry \(first), behind the store: it takes a copy of another node's when it starts."
    case .unknownRows(let position, let format):
      "Entry \(position) has rows of format \(format), which this release does not know."
    case .notApplicable(let position, let reason):
      "Entry \(position) does not fit the store: \(reason)"
    case .diskFailed: "The disk has failed to keep what was written. Once it works, start the node again."
    case .unreadableStore(let reason): "The store cannot be read: \(reason)"
    }
  }
}
