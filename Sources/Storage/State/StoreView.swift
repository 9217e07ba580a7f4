import Glibc
import Synchronization

/// An open store as its readers share it: the path of the file, the published state, the caches and the log's tail.
///
/// The writer fills it, readers look at it, and neither knows the other.
final class StoreView: Sendable {
  /// The path of the database file.
  let database: String
  /// Whether no other process may have the file, so that all connections have to be opened in that way.
  let isAlone: Bool
  private let secretBytes: Mutex<[UInt8]>
  let options: StoreOptions
  let published: Published<StoreState>
  /// The objects as readers have written them lately.
  let cache: ObjectCache
  /// The last commits, for those who follow the change log.
  let tail: LogTail
  /// The versions that the log is kept for.
  let pins: LogPins
  /// Makes durable what was committed without a sync.
  let sync: LogSync
  /// The number of reads that wait for a thread.
  let waitingReads = Atomic(0)

  init(
    database: String, isAlone: Bool, secret: [UInt8], options: StoreOptions, state: StoreState,
    cacheSize: Int = 64 << 20
  ) {
    pins = LogPins()
    tail = LogTail(budget: options.followedBytes)
    cache = ObjectCache(budget: cacheSize)
    secretBytes = Mutex(secret)
    self.database = database
    self.isAlone = isAlone
    self.options = options
    let published = Published(state)
    self.published = published
    sync = LogSync(on: options.scheduler) { published.update { $0.failure = .syncFailed } }
  }

  /// The store as of the last commit that has been answered, or a later one.
  var state: StoreState { published.value }

  /// Takes note that a reader has seen a commit in the file that is not published: all others see it from now on.
  func didSee(_ version: Int64) { published.update { $0.seen = max($0.seen, version) } }

  /// Waits until a commit that is in the file is published, which is next to be done: no more than a second.
  func awaitPublication(of version: Int64) {
    var waits = 0
    while published.value.version < version, waits < 10_000 { (_, waits) = (usleep(100), waits + 1) }
  }

  /// The bytes that nobody knows but this store, the same in each process that opens it, and in each member of a cluster.
  var secret: [UInt8] { secretBytes.withLock { $0 } }

  /// Takes the secret of the cluster that the store has joined.
  func use(secret: [UInt8]) { secretBytes.withLock { $0 = secret } }

  /// Whether reads wait for a thread.
  var isReadingBusy: Bool { waitingReads.load(ordering: .relaxed) > 0 }
}
