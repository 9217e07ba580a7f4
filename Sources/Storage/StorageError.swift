public import Model
import SQLite

/// Why the store refused or could not do something.
public enum StorageError: Error, Hashable, Sendable {
  // The data directory.
  case notADirectory(String)
  case notWritable(String)
  /// Another process holds the directory.
  case locked(directory: String, holder: String)
  /// The file is newer than this program, or not ours.
  case unknownFormat(String)
  /// A temporary file could not be written or read: `errno`.
  case spoolFailed(Int32)
  /// SQLite's extended result code, and its text.
  case sqlite(code: Int32, message: String)
  /// The file holds what this program never writes.
  case corrupt(String)

  // Requests.
  case unknownClass(String)
  /// The class is embedded: its objects have no existence of their own.
  case embeddedClass(String)
  case objectNotFound(objectType: String, id: Mixed)
  case objectExists(objectType: String, id: Mixed)
  /// A link leads to an object that is neither there nor created in the transaction.
  case linkTargetNotFound(objectType: String, primaryKey: Mixed)
  case primaryKeyChanged(objectType: String, id: Mixed)
  /// An `ifVersion` that no longer holds; `current` is nil where the object is gone.
  case versionMismatch(current: Int64?)
  /// A `_key` that no object can have.
  case keyOutOfRange(Int64)
  /// The changes that would lose data, or that objects may not be able to follow, without leave to.
  case destructiveChange([SchemaChange])
  /// Objects that cannot follow the schema: what SQLite says of two with the same primary key.
  case schemaConflict(String)
  /// Whoever gave the operations of a transaction gave up.
  case cancelled
  /// A draft that would be complete for an object that exists, but not for a new one.
  case invalid(ValidationError)
  /// An edit that does not fit what the object holds.
  case inapplicable(EditError)
  /// The key of a receipt was used for another request.
  case receiptReused
  case cursorExpired
  /// A sort path of that class that leads to no single value.
  case unsortable(String)
  /// The object does not fit into one BSON document.
  case tooLarge
  /// The query took longer than it may.
  case timeLimit
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
    self = .sqlite(code: error.code, message: error.message)
  }
}
