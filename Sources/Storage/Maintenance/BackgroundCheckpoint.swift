import GatehouseSQLite
import GatehouseScheduling
import Synchronization

/// Moves pages from the write-ahead log into the database file while the writer goes on.
///
/// A passive checkpoint disturbs neither readers nor the writer (<https://sqlite.org/wal.html#concurrency>), but it
/// waits for the disk twice: on the writer's own queue, every request of that time waited with it.
///
/// `@unchecked Sendable`. Because its connection is used on its lane only.
final class BackgroundCheckpoint: @unchecked Sendable {
  /// Knows what is not durable yet.
  let sync: LogSync
  private let path: String
  private let isAlone: Bool
  private var connection: Connection
  /// The failed syncs that the connection knows of.
  private var failedSyncs = 0
  private let lane: any Lane
  private let running = Atomic(false)

  init(_ path: String, isAlone: Bool, sync: LogSync, on scheduler: any Scheduler) throws(StorageError) {
    lane = scheduler.makeLane("gatehouse.checkpoint", priority: .userInitiated)
    (self.path, self.isAlone, self.sync) = (path, isAlone, sync)
    do { connection = try Self.open(path, isAlone: isAlone) } catch { throw StorageError(error) }
  }

  private static func open(_ path: String, isAlone: Bool) throws(DatabaseError) -> Connection {
    let connection = try Connection(path: path, mode: .readWrite, isAlone: isAlone)
    // A connection that has read nothing does not know of the log yet: its checkpoints would do nothing.
    try connection.execute("SELECT count(*) FROM _meta")
    return connection
  }

  /// Whether one is being made; then no other kind can be.
  var isRunning: Bool { running.load(ordering: .acquiring) }

  /// Begins one unless one is being made.
  func begin() {
    guard !running.exchange(true, ordering: .acquiringAndReleasing) else { return }
    lane.async { [self] in
      // A failure shows at the next commit, if it lasts.
      try? checkpoint()
      running.store(false, ordering: .releasing)
    }
  }

  private func checkpoint() throws(DatabaseError) {
    lane.assertIsCurrent()
    // A connection that was open when a sync failed would be told of that now, and only once.
    let failures = sync.failedSyncs
    if failures != failedSyncs {
      connection = try Self.open(path, isAlone: isAlone)
      failedSyncs = failures
    }
    try sync.checkpoint(connection, .passive)
  }

  /// Leaves the log as it is for good.
  func keepLog() {
    lane.sync { connection.keepWriteAheadLog() }
  }

  /// Returns when none is being made any more.
  func wait() {
    lane.sync {}
  }
}
