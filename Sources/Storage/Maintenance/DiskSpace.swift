import GatehouseSQLite
import Glibc

/// Makes certain that what is committed has its place in the database file, and that deletions find room on a full disk.
///
/// A commit is durable once it is in the write-ahead log, and the log begins anew only when all of it is in the database
/// file. Where the file cannot grow any more, the log would grow in its stead until it has all that is left of the disk.
///
/// 1. The log makes the file larger by no more than half of the reserve: what goes beyond that has the file made larger
///    before it is committed, or right after it.
/// 2. Once the disk is full, only deletions are committed, each after the file has been made as large as it will become. The
///    log is moved and emptied after each, so that the reserve has its bytes again, but for those of the file.
///
/// Used on the writer's queue only.
final class DiskSpace {
  private static let pageSize = 4096
  /// Left free beside what the file grows by: for the log, and the index of it.
  private static let slack = 64 << 10
  /// Lent where less is free when the file is opened: for the index of the log.
  private static let openingSize = 512 << 10
  /// Milliseconds for which readers are waited for, so that the log can be emptied.
  private static let patience: Int32 = 100

  private let connection: Connection
  private let database: String
  private let background: BackgroundCheckpoint
  /// The bytes that the log's file is made longer to at most, before commits need them.
  private let writeAheadSize: Int
  private var reserve: Reserve
  /// Whether only deletions find room on the disk.
  private(set) var isFull: Bool
  /// The pages in the log, and the bytes that were ever logged, when the size of the file was last looked at.
  private var pagesSeen = 0
  private var bytesSeen: Int64 = 0

  init(_ file: OpenedFile, background: BackgroundCheckpoint, writeAheadSize: Int) {
    connection = file.connection
    database = file.path
    reserve = file.reserve
    isFull = file.isAlone
    self.background = background
    self.writeAheadSize = writeAheadSize
    // The reserve has again what it lent to open the file, but for what that took.
    if reserve.free <= Self.openingSize { reserve.takeBack() }
  }

  /// Opens the file that is written. On a full disk that takes a part of the reserve; if that is not enough, what SQLite
  /// would have there is in memory.
  static func open(in directory: borrowing DataDirectory, reserveSize: Int?) throws(StorageError)
    -> OpenedFile
  {
    var reserve = Reserve(in: directory.path, size: reserveSize)
    if reserve.free < openingSize { _ = reserve.lend(openingSize) }
    let path = directory.database
    do throws(StorageError) {
      return OpenedFile(try prepared(path, isAlone: false), path: path, isAlone: false, reserve: reserve)
    } catch {
      guard error == .diskFull else { throw error }
      return OpenedFile(try prepared(path, isAlone: true), path: path, isAlone: true, reserve: reserve)
    }
  }

  private static func prepared(_ path: String, isAlone: Bool) throws(StorageError) -> Connection {
    let connection = try DatabaseFile.openWriter(path, isAlone: isAlone)
    try DatabaseFile.prepare(connection, path: path)
    return connection
  }

  // Commits

  /// Makes certain, before a commit, that what it adds to the file has its place there. `loggedBytes`: those of all
  /// changes that were ever logged; nil: the commit may be large whatever it logs.
  func willCommit(loggedBytes: Int64?) throws(StorageError) {
    guard !isFull else { return try growFile(beyond: 0) }
    connection.growWriteAheadLog(upTo: writeAheadSize)
    guard reserve.held > 0 else { return }
    if let loggedBytes {
      guard loggedBytes - bytesSeen >= reserve.held / 8 else { return }
      bytesSeen = loggedBytes
    }
    try growFile(beyond: reserve.held / 2)
  }

  /// Looks after the file once in a while, after a commit; false: the disk has become full.
  func didCommit() -> Bool {
    guard !isFull, reserve.held > 0 else { return true }
    let pages = connection.writeAheadPages
    if pages < pagesSeen { pagesSeen = 0 }
    guard pages - pagesSeen >= min(1000, reserve.held / Self.pageSize / 8), !background.isRunning else {
      return true
    }
    pagesSeen = pages
    do { try growFile(beyond: reserve.held / 2) } catch { isFull = true }
    return !isFull
  }

  /// Makes the file as large as the transaction that is open, or the last one, needs it, where that is more than so many
  /// bytes.
  private func growFile(beyond tolerance: Int) throws(StorageError) {
    guard try growth() > tolerance else { return }
    background.wait()
    let growth = try growth()
    guard growth > 0 else { return }
    guard reserve.free >= growth + Self.slack else { throw .diskFull }
    do { try connection.growFile(to: fileSize + growth) } catch { throw .diskFull }
  }

  /// Returns the bytes that the file will grow by when the log is moved into it.
  private func growth() throws(StorageError) -> Int { try bytes(of: FileStatements.pages) - fileSize }

  private var fileSize: Int {
    var status = stat()
    return stat(database, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Returns the bytes of so many pages as the statement says.
  private func bytes(of statement: String) throws(StorageError) -> Int {
    do throws(DatabaseError) {
      let statement = try connection.cached(statement)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.int64(at: 0)) * Self.pageSize : 0
    } catch {
      throw StorageError(error)
    }
  }

  // A full disk

  /// Performs something that only deletes, which found no room, with what the reserve has: with a part of it, and then with
  /// all. Its failure is ``StorageError/reserveExceeded`` where that is not enough.
  func lending<Success>(_ body: () -> Result<Success, OperationError>) -> Result<Success, OperationError> {
    beginDeletionsOnly()
    settle()
    var result: Result<Success, OperationError>
    var part = max(reserve.held / 8, Reserve.least)
    repeat {
      part = min(part, reserve.held)
      let isAll = part == reserve.held
      _ = reserve.lend(part)
      result = body()
      settle()
      guard result.isDiskFull, !isAll else { break }
      part = .max
    } while true
    guard result.isDiskFull, reserve.held > 0 else { return result }
    return result.mapError { OperationError(operation: $0.operation, reason: .reserveExceeded) }
  }

  /// Moves the log into the file, empties it, and takes back what was lent.
  func settle() {
    background.wait()
    try? matchFile()
    // A file with holes needs more room than one can see. Readers that stay are as good as no room.
    if !emptyLog(), reserve.lend(reserve.held) { _ = emptyLog() }
    reserve.takeBack()
  }

  /// Gives the file the size that the log needs, with the reserve's bytes where there are no others.
  private func matchFile() throws(StorageError) {
    let growth = try growth()
    if growth < 0 {
      // It was made larger for a commit that failed.
      truncate(database, fileSize + growth)
    } else if growth > 0 {
      let missing = growth + Self.slack - reserve.free
      if missing > 0 { _ = reserve.lend(missing) }
      try growFile(beyond: 0)
    }
  }

  /// False: there was no room.
  private func emptyLog() -> Bool {
    do throws(DatabaseError) {
      try connection.waitingForLocks(milliseconds: Self.patience) { () throws(DatabaseError) in
        try background.sync.checkpoint(connection, .truncate)
      }
    } catch {
      return StorageError(error) != .diskFull
    }
    return true
  }

  /// Leaves the disk to deletions, where there is a reserve for them.
  func beginDeletionsOnly() { isFull = isFull || reserve.goal > 0 }

  /// Lets others than deletions write again, where the disk has some room beside a whole reserve; or where the file has
  /// free pages, and half of the reserve is enough of one.
  func recover() {
    settle()
    guard isFull else { return }
    let enough = max(Reserve.least, min(reserve.goal / 2, 1 << 20))
    let half = reserve.goal / 2
    let hasPages = freeBytesInFile >= reserve.goal
    if hasPages, reserve.free < enough, reserve.held > half {
      _ = reserve.lend(min(reserve.held - half, enough))
    }
    isFull = reserve.free < enough || reserve.held < (hasPages ? half : reserve.goal)
  }

  /// Takes the reserve's room from a disk that has it again.
  func refill() { reserve.refill() }

  /// Whether the file has taken so much of the reserve that deletions will not be possible for long.
  var isShort: Bool { isFull && reserve.held < reserve.goal / 2 && freeBytesInFile < reserve.goal / 2 }

  private var freeBytesInFile: Int { (try? bytes(of: FileStatements.freePages)) ?? 0 }
}

/// A database file that was opened to be written.
struct OpenedFile {
  let connection: Connection
  let path: String
  /// Whether no other process may have it: the disk was too full for the files that they would share.
  let isAlone: Bool
  fileprivate let reserve: Reserve

  fileprivate init(_ connection: Connection, path: String, isAlone: Bool, reserve: Reserve) {
    (self.connection, self.path, self.isAlone, self.reserve) = (connection, path, isAlone, reserve)
  }
}

extension Result where Failure == OperationError {
  /// Whether there was no room.
  var isDiskFull: Bool {
    if case .failure(let error) = self { error.reason == .diskFull } else { false }
  }
}
