public import GatehouseModel
public import GatehouseQuery
import GatehouseSQLite
public import GatehouseSharing

/// Why the store refused or could not do something.
public enum StorageError: Error, Hashable, Sendable {
  // The data directory.
  case notADirectory(String)
  /// A directory without a store.
  case storeNotFound(String)
  case notWritable(String)
  /// Another process holds the directory.
  case locked(directory: String, holder: String)
  /// The file is newer than this program, or not ours.
  case unknownFormat(String)
  /// SQLite's extended result code, and its text.
  case sqlite(code: Int32, message: String)
  /// The file holds what this program never writes.
  case corrupt(String)
  /// The disk has failed to keep commits that were answered before they were durable, or pages of the database file: what is left of
  /// them only a restart finds out.
  case syncFailed
  /// There is no room for what was to be written; nothing of it was.
  case diskFull
  /// The disk is full, and the deletion needs more room than is kept for deletions; nothing was deleted.
  case reserveExceeded
  /// A backup would overwrite what is there.
  case backupExists(String)
  /// A backup was being put into the directory when that ended half-way.
  case unfinishedRestore(String)

  // Requests.
  case unknownClass(String)
  /// The class is embedded: its objects have no existence of their own.
  case embeddedClass(String)
  case objectNotFound(objectType: String, id: Mixed)
  case objectExists(objectType: String, id: Mixed)
  /// Another object has values that must be unique.
  case notUnique(UniqueViolation)
  /// A link leads to an object that is neither there nor created in the transaction.
  case linkTargetNotFound(objectType: String, primaryKey: Mixed)
  case primaryKeyChanged(objectType: String, id: Mixed)
  /// An `ifVersion` that no longer holds; `current` is nil where the object is gone.
  case versionMismatch(current: Int64?)
  /// An object has the largest number that there is as its primary key, so that no next one can be made.
  case keysExhausted(objectType: String)
  /// A `_key` that no object can have.
  case keyOutOfRange(Int64)
  /// The changes that would lose data, or that objects may not be able to follow, without leave to.
  case destructiveChange([SchemaChange])
  /// The first values that would be lost by a change of the schema, without leave to.
  case unconvertible([UnconvertibleValue])
  /// The result of a ``Computation`` that the property of an object cannot hold.
  case incomputable(UnconvertibleValue)
  /// The code of an ``ObjectTransform`` gave no change of an object, or one that it cannot take.
  case transformFailed(objectType: String, id: Mixed, reason: String)
  /// Objects that cannot follow the schema.
  case schemaConflict(SchemaConflict)
  /// The first objects that break rules which a schema has for them.
  case rulesBroken([BrokenRule])
  /// A check of a schema that is none.
  case invalidCheck(CheckError)
  /// The schema is no longer the one that the request was made for.
  case schemaChanged
  /// The caller that gave the operations of a transaction, or waited for a query, gave up.
  case cancelled
  /// A draft that would be complete for an object that exists, but not for a new one.
  case invalid(ValidationError)
  /// An edit that does not fit what the object holds.
  case inapplicable(EditConflict)
  /// There is nothing at the place that a path leads to, or not what the operation needs.
  case place(LocationError)
  /// The idempotency key was used for another request.
  case idempotencyKeyReused
  case cursorExpired
  /// The cursor is no place in the result that was asked for: nobody here made it.
  case invalidCursor
  /// The change log no longer has, or never had, everything after that position.
  case positionExpired
  /// The store has not come to that version, or time, yet.
  case versionAhead
  /// The log reaches back to the version, but it cannot be shown.
  case pastUnavailable(PastFailure)
  /// A property that the schema did not have, or one that the new schema lacks or had already.
  case invalidRename(PropertyRename)
  /// The class is not there, or stays, or its new name is not new.
  case invalidClassRename(ClassRename)
  /// A sort path of that class that leads to no single value.
  case unsortable(String)
  /// A result with more sections than are counted.
  case tooManySections(limit: Int)
  /// The object does not fit into one BSON document.
  case tooLarge
  /// With the objects that are shown in place of links, the answer would have more bytes than one may have.
  case answerTooLarge(limit: Int)
  /// The object would have more bytes than an object may have.
  case objectTooLarge(objectType: String, limit: Int)
  /// A change or deletion by filter that touches more objects than one may.
  case tooManyObjects(limit: Int)
  /// More objects of a class, or bytes of them, than the caller may have.
  case quotaExceeded(QuotaExcess)
  /// The object may not be changed, or not become that.
  case notPermitted(objectType: String, id: Mixed)
  /// The query, or the transaction, took longer than it may, the time that it waited included.
  case timeLimit
  /// Too much waits to be read or written, in all or of this caller; nothing was done.
  case refused(SharingError)
  /// The thread is in a transaction already, which would have to end first.
  case nestedWrite
  /// The class, or an object of it, is not for everybody to write.
  case appendOnlyClass(String)
  /// The class cannot be made in this store, but in another one (``StoreOptions/classBounds``).
  case classOutOfBounds(String)
  /// Another store has the objects with that primary key (``StoreOptions/ownsKey``).
  case keyOfOtherStore(objectType: String, id: Mixed)
  /// A commit hook could not make its operations.
  case commitHookFailed(String)

  // Transaction logs.
  /// The store belongs to a cluster: only who has its log writes to the file, and nobody writes it anew.
  case clusterMember(directory: String)
  /// The SQLite library is built without the hook that tells which rows change.
  case rowsNotObservable
  /// The store follows a log that another one writes.
  case notLeading
  /// Nobody knows whether the transaction will be there: the log may have it.
  case outcomeUnknown
  /// The log cannot be reached; nothing was done.
  case logUnavailable
  /// The file is not what a transaction of the log was made for; nothing of it was done.
  case diverged(Divergence)
  /// The bytes of the log are no transaction.
  case invalidEntry(EntryError)
  /// The handler of notices of that kind could not do what this one asks for; nothing was done.
  case noticeFailed(kind: String)
}

/// A ``StorageError`` and the operation of the transaction that it stopped.
public struct OperationError: Error, Hashable, Sendable {
  /// Position in the transaction's operations, from 0.
  public let operation: Int
  public let reason: StorageError

  public init(operation: Int, reason: StorageError) {
    self.operation = operation
    self.reason = reason
  }
}

extension StorageError {
  /// SQLite's refusal, as ours.
  init(_ error: DatabaseError) {
    switch error.primaryCode {
    // SQLITE_INTERRUPT: other reasons than time are told apart by whoever gave them.
    case 9: self = .timeLimit
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    case 11, 26: self = .corrupt(error.message)
    // SQLITE_FULL. A log that cannot grow is an I/O error to SQLite where the system says so late.
    case 13: self = .diskFull
    // SQLITE_IOERR_SHMSIZE: the index of the log, which is made larger before it is used.
    case 10 where error.code == 10 | 19 << 8: self = .diskFull
    default: self = .sqlite(code: error.code, message: error.message)
    }
  }

  /// Whether a row was refused since there is one with that key.
  var isCollision: Bool {
    // SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_ROWID.
    if case .sqlite(let code, _) = self { [1555, 2067, 2579].contains(code) } else { false }
  }

  /// Whether another connection has a lock.
  var isBusy: Bool {
    if case .sqlite(let code, _) = self { code & 0xff == DatabaseError.busy } else { false }
  }

  /// Whether a file could not be synced.
  var isFailedSync: Bool {
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
    if case .sqlite(let code, _) = self {
      [4 << 8, 5 << 8].contains { code == DatabaseError.ioError | $0 }
    } else {
      false
    }
  }

  /// Whether the file or the disk is at fault, so that the next write may well fail too.
  var isFailureOfStore: Bool {
    switch self {
    case .diskFull, .corrupt, .notWritable, .syncFailed: true
    // SQLITE_READONLY and SQLITE_CANTOPEN.
    case .sqlite(let code, _): [DatabaseError.ioError, 8, 14].contains(code & 0xff)
    default: false
    }
  }
}
