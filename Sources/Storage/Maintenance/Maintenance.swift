import GatehouseBSON
import GatehouseSQLite

/// The work between commits that lets the writer go on. Used on the writer's queue only.
struct Maintenance {
  /// How long until there may be something to do again.
  private static let calm = Duration.seconds(30)
  /// Between two steps, so that writers come in between, and readers keep their pages for a while.
  private static let pause = Duration.milliseconds(80)
  private static let shortPause = Duration.milliseconds(10)
  /// Until a store that failed is tried again.
  private static let retry = Duration.milliseconds(500)

  private let retention: Retention
  private var checkpoints: Checkpoints
  private let space: DiskSpace
  private let sync: LogSync
  /// Whether the file may have the row of a probe: of one that could not be removed, or of a process that has ended.
  private var mayHaveProbe = true

  init(
    _ retention: Retention, on file: OpenedFile, space: DiskSpace, background: BackgroundCheckpoint,
    writeAheadSize: Int
  ) throws(StorageError) {
    self.space = space
    self.retention = retention
    sync = background.sync
    checkpoints = try Checkpoints(file.connection, background: background, size: writeAheadSize)
  }

  /// Ends what goes on in the background.
  func stop() {
    checkpoints.stop()
  }

  /// To be called after each commit; false: the disk has become full.
  mutating func didCommit(on connection: Connection) -> Bool {
    guard space.didCommit() else { return false }
    // On a full disk the log is emptied at once.
    if !space.isFull { checkpoints.didCommit(on: connection) }
    return true
  }

  /// Does a little, and says when to do more; nil: never. `hasFailed` tells whether the last write failed for
  /// reasons of the disk, and is cleared when one succeeds.
  mutating func step(
    on connection: Connection, in session: ReadSession, now: Date, hasFailed: inout Bool
  ) -> Duration {
    if hasFailed {
      guard canWrite(connection) else { return Maintenance.retry }
      hasFailed = false
    }
    removeProbe(connection)
    switch shorten(on: connection, in: session, now: now) {
    case .success(.nothing): return Maintenance.calm
    case .success(.some): return Maintenance.pause
    case .success(.much): return Maintenance.shortPause
    case .failure(let error):
      hasFailed = error.isFailureOfStore
      return Maintenance.retry
    }
  }

  /// One step of shortening the log; before its time where it is `pressing`.
  mutating func shorten(
    on connection: Connection, in session: ReadSession, now: Date, pressing: Bool = false
  ) -> Result<Retention.Rest, StorageError> {
    guard retention.isAllowed, retention.isNeeded || pressing else { return .success(.nothing) }
    do throws(StorageError) {
      let rest = try retention.step(on: connection, in: session, now: now, pressing: pressing)
      if rest != .nothing, !space.isFull { checkpoints.didCommit(on: connection) }
      return .success(rest)
    } catch {
      sync.note(error)
      return .failure(error)
    }
  }

  /// Whether a commit of some size is possible: more than what is left on a disk that is all but full.
  private mutating func canWrite(_ connection: Connection) -> Bool {
    // That is of a transaction of another store, which is being applied.
    guard !connection.isInTransaction else { return false }
    mayHaveProbe = true
    do throws(DatabaseError) {
      try connection.execute(CatalogStatements.commitProbe)
    } catch {
      sync.note(StorageError(error))
      if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }
      return false
    }
    removeProbe(connection)
    return !mayHaveProbe
  }

  /// Commits that succeed hide that the row could not be removed: it is tried again with the next step.
  private mutating func removeProbe(_ connection: Connection) {
    guard mayHaveProbe, !connection.isInTransaction else { return }
    do throws(DatabaseError) {
      try connection.execute(CatalogStatements.removeProbe)
      mayHaveProbe = false
    } catch {
      sync.note(StorageError(error))
    }
  }
}
