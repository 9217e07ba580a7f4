import GatehouseBSON
import Synchronization

/// The last commits of the log in memory, while somebody follows it: what has only just been written need not be read
/// from the file.
///
/// It has nothing that the file has not, and what it lacks the file has: commits come when they are in the file, and the
/// oldest leave when there is no room. The writer fills a ``LogPiece`` for each SQLite transaction.
///
/// Invariant: the versions of its commits have no gap, and end with that of the last commit that it was told of.
final class LogTail: Sendable {
  struct Commit {
    let version: Int64
    let time: Date
    let rows: [LogRow]
    /// The bytes that it takes in memory, about.
    let size: Int
  }

  private struct State {
    var isWanted = false
    var commits: [Commit] = []
    /// The bytes of all commits.
    var size = 0
    /// The last commit's version.
    var last: Int64 = 0
  }

  /// Bytes of commits that are kept at most.
  let budget: Int
  private let state = Mutex(State())

  init(budget: Int) {
    self.budget = budget
  }

  /// Keeps what is committed from now on, or forgets everything and keeps nothing more.
  func want(_ isWanted: Bool) {
    state.withLock { state in
      state.isWanted = isWanted
      if !isWanted { (state.commits, state.size) = ([], 0) }
    }
  }

  /// Adds what has been committed through `version`, and gives what the next commits are to fill; nil: nobody wants
  /// them.
  func add(_ piece: LogPiece?, through version: Int64) -> LogPiece? {
    state.withLock { state in
      guard state.isWanted else { return nil }
      precondition(version >= state.last, "the tail is told of commits in their order")
      if let piece, piece.start == state.last, piece.isWhole(through: version) {
        state.commits += piece.commits
        state.size += piece.size
        if state.size > budget { LogTail.trim(&state, to: budget / 4 * 3) }
      } else {
        (state.commits, state.size) = ([], 0)
      }
      precondition(
        state.commits.last.map { $0.version == version } ?? true, "the tail ends with the last commit")
      state.last = version
      return LogPiece(after: version, limit: budget)
    }
  }

  /// The commits with all that came after the position, up to version `last`; nil where some of it is not here.
  func commits(after position: LogPosition, through last: Int64) -> [Commit]? {
    state.withLock { state in
      let floor = state.last - Int64(state.commits.count)
      let isBehind = position.ordinal == .max
      guard position.version > floor || (isBehind && position.version == floor),
        (floor...state.last).contains(last)
      else { return nil }
      let start = min(position.version + (isBehind ? 1 : 0), last + 1)
      // A copy: the writer goes on with its own.
      let commits = state.commits[Int(start - floor) - 1..<Int(last - floor)]
      precondition(
        commits.isEmpty || commits.first?.version == start && commits.last?.version == last,
        "the versions of the tail's commits have no gap")
      return Array(commits)
    }
  }

  /// Many at once, since those that stay move.
  private static func trim(_ state: inout State, to size: Int) {
    var count = 0
    while state.size > size, count < state.commits.count {
      state.size -= state.commits[count].size
      count += 1
    }
    state.commits.removeFirst(count)
    precondition(
      state.size >= 0 && (state.size == 0 || !state.commits.isEmpty),
      "the tail's bytes are those of its commits")
  }
}

/// The commits of the SQLite transaction that is open, on their way to the tail.
struct LogPiece {
  /// The bytes that a row, or a commit, takes beside its images, about.
  private static let overhead = 160

  /// The version behind which it begins.
  let start: Int64
  private(set) var commits: [LogTail.Commit] = []
  private(set) var size = 0
  /// The rows of the commit that is not complete.
  private var rows: [LogRow] = []
  private var rowsSize = 0
  /// Bytes that it may have.
  private let limit: Int
  /// Whether something could not be kept.
  private var isPart = false

  init(after start: Int64, limit: Int) {
    self.start = start
    self.limit = limit
  }

  /// A creation without image leaves it to the object's row, which the tail does not follow.
  mutating func append(_ row: LogRow) {
    rowsSize += row.size + LogPiece.overhead
    let isComplete = row.operation != .insert || row.after != nil
    guard isComplete, size + rowsSize <= limit else {
      isPart = true
      (rows, commits) = ([], [])
      return
    }
    if !isPart { rows.append(row) }
  }

  /// The rows since the last one are a commit.
  mutating func appendCommit(_ version: Int64, time: Date) {
    if isPart { return }
    precondition(!rows.isEmpty, "each commit has changes")
    precondition(
      version == start + Int64(commits.count) + 1, "the versions of the tail's commits have no gap")
    let size = rowsSize + LogPiece.overhead
    commits.append(LogTail.Commit(version: version, time: time, rows: rows, size: size))
    self.size += size
    (rows, rowsSize) = ([], 0)
  }

  /// Forgets everything after that version: the file has been rolled back.
  mutating func rollBack(to version: Int64) {
    (rows, rowsSize) = ([], 0)
    while let last = commits.last, last.version > version { size -= commits.removeLast().size }
    precondition(isPart || (size == 0) == commits.isEmpty, "the tail's bytes are those of its commits")
  }

  /// Whether it has all commits up to that version.
  func isWhole(through version: Int64) -> Bool {
    !isPart && Int64(commits.count) == version - start && commits.last?.version ?? start == version
  }
}
