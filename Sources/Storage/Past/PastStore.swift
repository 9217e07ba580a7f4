import GatehouseSQLite
import GatehouseSharing
import Glibc
import Synchronization

/// A scratch file with the store as it was, and readers of it. The file is gone when the value is.
final class PastStore: Sendable {
  /// Readers that are kept for the next ones who ask.
  private static let mostIdle = 2
  /// The KiB of pages that a reader keeps.
  private static let pageCache = 2_048

  private let path: String
  private let view: StoreView
  private let idle = Mutex<[PastReader]>([])
  /// The room on the disk that the file takes.
  private let room: SharedBudget.Reservation

  /// Makes the file, which is not there yet, at `path`.
  init(
    _ past: PastView, by present: Reader, at path: String, within room: SharedBudget.Reservation,
    memory: SharedBudget.Reservation
  ) throws {
    self.path = path
    self.room = room
    do {
      defer { memory.release() }
      try PastBuilder(past, by: present, in: path, within: memory).build()
      try room.grow(to: PastStore.fileSize(path))
    } catch {
      unlink(path)
      throw error
    }
    let catalog = present.session.catalog
    view = StoreView(
      database: path, isAlone: present.view.isAlone, secret: present.view.secret,
      options: present.view.options,
      state: StoreState(
        catalog: catalog, version: past.version,
        changes: Array(repeating: past.version, count: catalog.tables.count)), cacheSize: 1 << 20)
  }

  deinit {
    unlink(path)
  }

  /// Returns what `body` reads, within the limits of the reader of the present that does it.
  func read<Answer>(as present: Reader, _ body: (Reader) throws -> Answer) throws -> Answer {
    let reader = try idle.withLock { $0.popLast() } ?? makeReader()
    precondition(!reader.reader.session.isHeld, "a reader that waits holds no state of its file")
    defer { idle.withLock { if $0.count < PastStore.mostIdle { $0.append(reader) } } }
    let limits = present.connection.limits
    return try reader.reader.read(until: limits.interruption ?? Interruption(), waited: limits.waited, body)
  }

  private func makeReader() throws(StorageError) -> PastReader {
    let reader = try Reader(view)
    let limit = FileStatements.limitPageCache(to: PastStore.pageCache)
    do { try reader.connection.execute(limit) } catch { throw StorageError(error) }
    return PastReader(reader)
  }

  private static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

/// A reader of a scratch file.
///
/// `@unchecked Sendable`. Because only whoever has taken it out of the list of idle ones uses it.
private final class PastReader: @unchecked Sendable {
  let reader: Reader

  init(_ reader: Reader) {
    self.reader = reader
  }
}
