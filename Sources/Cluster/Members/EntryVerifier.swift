/// Reads the entries of a log one after the other, and makes sure that each belongs behind the one before.
///
/// Invariants of a log, each with the reason that stops a node where it does not hold:
///
/// 1. Positions have no gaps (``StopReason/missingEntry(position:)``).
/// 2. Each entry holds the hash of the one before (``StopReason/otherChain(position:)``).
/// 3. Only a takeover begins an epoch, which is the next one; all entries of an epoch are by the node that began it, and none follows its
///    resignation (``StopReason/brokenFence(position:epoch:node:)``).
/// 4. Each entry stands on the version that the commits before it have made (``StopReason/otherVersion(position:found:own:)``).
struct EntryVerifier: Sendable {
  /// The last entry.
  private(set) var point: LogPoint
  /// The version that the commits up to there have made.
  private(set) var version: Int64
  /// The node that leads by the last entry; nil: none is known, or it has resigned.
  private(set) var leader: String?
  /// Whether the last entry is the leader's resignation.
  private(set) var hasResigned = false
  /// The number of the next part of the commit whose last part has not come.
  private var nextPart: UInt32 = 0

  init(_ start: StorePoint) {
    (point, version) = (start.log, start.version)
  }

  /// Takes the next entry. Returns its rows, nil where it has none.
  mutating func read(_ item: LogPage.Item) throws(StopReason) -> EntryRows? {
    guard item.position == point.position + 1 else {
      throw .missingEntry(position: point.position + 1)
    }
    let entry: Entry
    let hash: EntryHash
    do throws(EntryError) { (entry, hash) = try Entry.decode(item.bytes) } catch {
      throw .malformedEntry(position: item.position, error)
    }
    guard entry.previous == point.hash else { throw .otherChain(position: item.position) }
    try checkFence(entry, at: item.position)
    guard entry.versions.lowerBound - 1 == version else {
      throw .otherVersion(
        position: item.position, found: entry.versions.lowerBound - 1, own: version)
    }
    point = LogPoint(position: item.position, hash: hash, epoch: entry.epoch)
    hasResigned = entry.kind == .resignation
    leader = hasResigned ? nil : entry.node
    return try rows(of: entry)
  }

  private func checkFence(_ entry: Entry, at position: UInt64) throws(StopReason) {
    let isAllowed =
      if entry.kind == .takeover {
        entry.epoch == point.epoch + 1
      } else {
        // The leader of the epoch is not known where reading begins in the middle of it.
        entry.epoch == point.epoch && !hasResigned && (leader == nil || leader == entry.node)
      }
    guard isAllowed else {
      throw .brokenFence(position: position, epoch: entry.epoch, node: entry.node)
    }
  }

  /// Parts of a commit follow each other. A first part begins another commit, whatever has become of the one before; so does another
  /// leader.
  private mutating func rows(of entry: Entry) throws(StopReason) -> EntryRows? {
    switch entry.kind {
    case .renewal: return nil
    case .takeover, .resignation:
      nextPart = 0
      return nil
    case .rows:
      guard entry.part.number == 0 || entry.part.number == nextPart else {
        throw .otherPart(position: point.position, found: entry.part.number)
      }
      nextPart = entry.part.isLast ? 0 : entry.part.number + 1
      version = entry.versions.upperBound - 1
      return EntryRows(rows: entry.rows, part: entry.part, versions: entry.versions, point: point)
    }
  }
}

/// The rows of one entry of the leader, as a follower's store takes them.
public struct EntryRows: Hashable, Sendable {
  /// Row changes as the leader's store has captured them.
  public let rows: [UInt8]
  /// Its place among the entries of its commit: the last one commits. A first part means that a commit whose last part has not come
  /// has failed.
  public let part: Entry.Part
  /// The versions that the commit makes; empty where it makes none, and in all parts but the last.
  public let versions: Range<Int64>
  /// The store keeps it in the same transaction.
  public let point: LogPoint

  public init(rows: [UInt8], part: Entry.Part, versions: Range<Int64>, point: LogPoint) {
    (self.rows, self.part, self.versions, self.point) = (rows, part, versions, point)
  }
}
