public import Model

/// A data directory, open. Its one process writes through it and makes readers from it.
public final class Store: Sendable {
  /// Opens the data directory, creating it where there is none, and locks it.
  public init(directory: String) throws(StorageError) {
    throw .notADirectory(directory)
  }

  /// The schema as of now.
  public var schema: Schema { fatalError() }

  /// The version of the last commit; 0 before the first.
  public var version: Int64 { fatalError() }

  /// A connection for reading, for one event loop or thread.
  public func makeReader() throws(StorageError) -> Reader { fatalError() }

  /// Makes `schema` the store's schema. Classes and properties that it no longer has are dropped, others
  /// retyped, only if `destructive`.
  public func apply(_ schema: Schema, destructive: Bool) async throws(StorageError) -> SchemaOutcome {
    fatalError()
  }

  /// Performs the operations in one transaction, all or nothing, and returns when they are durable.
  public func perform(_ transaction: Transaction) async throws(StorageError) -> Commit { fatalError() }

  /// Ends all work and unlocks the directory.
  public func close() async { fatalError() }
}

/// What applying a schema did.
public struct SchemaOutcome: Hashable, Sendable {
  /// The commit that changed it, or the last one when there was nothing to change.
  public let version: Int64
  public let changed: Bool
}
