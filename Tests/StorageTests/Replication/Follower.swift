import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Glibc

/// A store of its own that applies what a log has, from a copy of another one's file.
final class Follower {
  let directory: String
  private let log: RecordingLog
  private let options: StoreOptions
  private(set) var store: Store

  convenience init(
    of source: TemporaryStore, _ log: RecordingLog, options: StoreOptions = StoreOptions()
  ) throws {
    try self.init(of: source.directory, log, options: options)
  }

  /// - Parameter source: The directory of a store.
  init(of source: String, _ log: RecordingLog, options: StoreOptions = StoreOptions()) throws {
    var template = Array("\(Machine.scratch)/gatehouse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try StoreSnapshot(directory: source).copy(to: "\(directory)/gatehouse.db") { _, _ in }
    self.log = log
    var options = options
    options.log = log
    self.options = options
    store = try Store(directory: directory, options: options)
  }

  deinit {
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }

  var database: String { "\(directory)/gatehouse.db" }

  /// Applies the next entries of the log, at most so many.
  func apply(_ limit: Int = .max) async throws {
    let entries = log.entries(after: store.replicationPoint ?? ReplicationPoint(sequence: 0), limit: limit)
    for entry in entries { try await store.apply(entry.part, at: entry.point) }
  }

  /// Closes the store, in the middle of whatever it does, and opens it again.
  func reopen() async throws {
    await store.close()
    store = try Store(directory: directory, options: options)
  }

  /// Returns the violations that a check of the file finds.
  func violations() throws -> [Violation] { try StoreSnapshot(directory: directory).check { _, _ in } }
}
