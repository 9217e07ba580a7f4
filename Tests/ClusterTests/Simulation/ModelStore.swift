@testable import GatehouseCluster

/// The store of a node in a test: the rows of all commits, one behind the other.
struct ModelStore: Equatable {
  /// Commits with their versions; none has no rows.
  private(set) var commits: [String] = []
  private(set) var point = StorePoint(log: .start, version: 0)
  /// The parts of a commit whose last part has not come.
  private var parts: [[UInt8]] = []

  /// Forgets what was not committed, as a store does that ends.
  mutating func rollBack() { parts = [] }

  mutating func apply(_ entry: EntryRows) {
    if entry.part.number == 0 { parts = [] }
    precondition(parts.count == entry.part.number)
    parts.append(entry.rows)
    if entry.part.isLast {
      commit(parts.flatMap(\.self), versions: entry.versions, at: entry.point)
    }
  }

  /// Keeps a place behind what was committed.
  mutating func note(_ log: LogPoint) {
    guard parts.isEmpty, log.position > point.log.position else { return }
    point = StorePoint(log: log, version: point.version)
  }

  mutating func commit(_ rows: [UInt8], versions: Range<Int64>, at log: LogPoint) {
    precondition(versions.lowerBound == point.version + 1)
    precondition(log.position > point.log.position && log.epoch >= point.log.epoch)
    parts = []
    commits.append(String(decoding: rows, as: UTF8.self))
    point = StorePoint(log: log, version: versions.upperBound - 1)
  }
}
