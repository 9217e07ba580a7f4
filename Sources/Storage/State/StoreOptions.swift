public import GatehouseModel
public import GatehouseScheduling
public import GatehouseSharing

/// The settings of a store: limits, the bounds of the log, threads.
public struct StoreOptions: Sendable {
  /// Changes older than so many seconds leave the log; nil: age does not matter.
  public var logAge: Int64?
  /// Changes leave the log so that it has about so many bytes; nil: size does not matter.
  public var logSize: Int64?
  /// How long one query may take, in nanoseconds; nil: as long as it takes.
  public var queryTime: UInt64?
  /// How long one transaction may keep the others waiting, in nanoseconds; nil: as long as it takes.
  public var writeTime: UInt64?
  /// How long a transaction may wait for its turn before it is given up, in nanoseconds; nil: as long as it takes.
  public var writeWait: UInt64?
  /// The most bytes that an object may have, as the change log writes it; nil: any number. Objects that are larger
  /// already may change, but not grow. Those of append-only classes have no bound.
  public var objectSize: Int?
  /// The most objects that one change or deletion by filter may touch; nil: any number.
  public var bulkObjects: Int?
  /// The bytes that one change or deletion by filter may have in memory up to its commit, where all that it does is
  /// looked at once more then: what objects were and are.
  public var rememberedBytes = 64 << 20
  /// The bytes of the last commits that are kept in memory while somebody follows the change log, who reads them from the file beyond that.
  public var followedBytes = 8 << 20
  /// The bytes of the write-ahead log beyond which the writer waits a moment for readers to leave it.
  public var writeAheadSize = 64 << 20

  /// The bytes on the disk that are kept for deletions; 0: none. Nil: those that somebody else has kept stay.
  public var reserveSize: Int?

  /// Makes the queues of the writer, the readers and what goes on behind them.
  public var scheduler: any Scheduler = DispatchScheduler()
  /// Threads for queries that would keep an event loop too long.
  public var readers = 2
  /// Queries that may wait for such a thread; what comes on top is refused.
  public var waitingReads = 256
  /// Short transactions that may wait for the writer, and long ones; what comes on top is refused.
  public var waitingWrites = 8_192

  /// The bytes of memory that callers share for the contents of their requests, large answers and open audit
  /// scopes.
  public var sharedMemory = 1 << 30
  /// The place of ``sharedMemory`` in a budget of several stores; nil: there is none.
  public var memoryShare: SharedBudget.Share?
  /// The bytes on the disk that callers share for temporary files; nil: half of what is free when the store is opened.
  public var temporaryFiles: Int?
  /// The place of ``temporaryFiles`` in a budget of several stores; nil: there is none.
  public var temporaryFilesShare: SharedBudget.Share?

  /// The append-only classes, which only commit hooks and privileged transactions write; the same whenever the
  /// store is opened.
  public var appendOnlyClasses: Set<String> = []

  /// The classes that may be made. Those that are there already, and the append-only ones, are not asked about.
  public var classBounds = ClassBounds.any

  /// Whether an object with that primary key may be made here, where several stores share the objects of their classes; nil: any may.
  /// Append-only classes are not asked about.
  public var ownsKey: (@Sendable (Mixed) -> Bool)?

  /// The log that the store appends its transactions to, or follows; nil: it is alone, and nothing is written down. The file
  /// belongs to a cluster from then on, and cannot be opened without a log.
  public var log: (any TransactionLog)?

  public init() {}
}

extension StoreOptions {
  /// Whether a class of that name may be made.
  func allow(_ className: String) -> Bool {
    classBounds.allow(className) || appendOnlyClasses.contains(className)
  }
}
