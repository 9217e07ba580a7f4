import Dispatch
import GatehouseBSON
import GatehouseSQLite

/// The work between commits that lets the writer go on. Used on the writer's queue only.
struct Maintenance {
  /// How long until there may be something to do again.
  private static let calm = DispatchTimeInterval.seconds(30)
  /// Between two steps, so that writers come in between, and readers keep their pages for a while.
  private static let pause = DispatchTimeInterval.milliseconds(80)
  private static let shortPause = DispatchTimeInterval.milliseconds(10)
  /// Until a store that failed is tried again.
  private static let retry = DispatchTimeInterval.milliseconds(500)

  private let retention: Retention
  private var checkpoints: Checkpoints

  init(_ options: StoreOptions, on connection: Connection, at path: String) throws(StorageError) {
    retention = Retention(options: options)
    checkpoints = try Checkpoints(connection, at: path, size: options.writeAheadSize)
  }

  /// Ends what goes on in the background.
  func stop() {
    checkpoints.stop()
  }

  /// Makes a checkpoint now, where readers leave the log soon enough.
  func checkpoint(_ extent: Connection.Checkpoint, on connection: Connection) {
    checkpoints.make(extent, on: connection)
  }

  mutating func didCommit(on connection: Connection) {
    checkpoints.didCommit(on: connection)
  }

  /// Does a little, and says when to do more; nil: never. `hasFailed` tells whether the last write failed for
  /// reasons of the disk, and is cleared when one succeeds.
  mutating func step(
    on connection: Connection, in session: ReadSession, now: Date, hasFailed: inout Bool
  ) -> DispatchTimeInterval {
    if hasFailed {
      guard Maintenance.canWrite(connection) else { return Maintenance.retry }
      hasFailed = false
    }
    switch shorten(on: connection, in: session, now: now) {
    case .success(.nothing): return Maintenance.calm
    case .success(.some): return Maintenance.pause
    case .success(.much): return Maintenance.shortPause
    case .failure(let error):
      hasFailed = error.isFailureOfStore
      return Maintenance.retry
    }
  }

  /// One step of shortening the log.
  mutating func shorten(
    on connection: Connection, in session: ReadSession, now: Date
  ) -> Result<Retention.Rest, StorageError> {
    guard retention.isNeeded else { return .success(.nothing) }
    do throws(StorageError) {
      let rest = try retention.step(on: connection, in: session, now: now)
      if rest != .nothing { checkpoints.didCommit(on: connection) }
      return .success(rest)
    } catch {
      return .failure(error)
    }
  }

  /// Whether a commit of some size is possible: more than what is left on a disk that is all but full.
  private static func canWrite(_ connection: Connection) -> Bool {
    do {
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        INSERT OR REPLACE INTO _meta VALUES ('probe', zeroblob(65536));
        COMMIT;
        DELETE FROM _meta WHERE name = 'probe';
        """)
      return true
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      return false
    }
  }
}
