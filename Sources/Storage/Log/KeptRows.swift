import GatehouseModel

/// Rows of the change log, as the tail has them.
struct KeptRows: LogRows {
  private let commits: [LogTail.Commit]
  /// The row's commit, and its place in there.
  private var commit = 0
  private var index = -1

  /// Reads commits of which the first may have begun before the position: changes are numbered from 0.
  init(_ commits: [LogTail.Commit], after start: LogPosition) {
    self.commits = commits
    guard let first = commits.first, first.version == start.version else { return }
    index = Int(min(start.ordinal, Int64(first.rows.count) - 1))
  }

  private var row: LogRow { commits[commit].rows[index] }

  mutating func step() -> Bool {
    index += 1
    while commit < commits.count {
      if index < commits[commit].rows.count { return true }
      commit += 1
      index = 0
    }
    return false
  }

  var position: LogPosition {
    precondition(row.ordinal == Int64(index), "the changes of a commit are numbered without a gap")
    return LogPosition(version: commits[commit].version, ordinal: row.ordinal)
  }
  var objectType: String { row.objectType }
  var size: Int { row.size }

  func change() throws(StorageError) -> LoggedChange {
    let row = row
    return LoggedChange(
      position: position, time: commits[commit].time, objectType: row.objectType, key: ObjectKey(row.key),
      id: row.id, operation: row.operation, before: try image(row.before), after: try image(row.after),
      elements: try row.elements?.withUnsafeBufferPointer(LoggedChange.elements) ?? [],
      isReplacement: row.isReplacement)
  }

  private func image(_ bytes: [UInt8]?) throws(StorageError) -> Mixed? {
    try bytes?.withUnsafeBufferPointer(LoggedChange.image)
  }
}
