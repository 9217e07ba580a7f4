public import GatehouseModel
import GatehouseSQLite
import Synchronization

/// One state of the store, which stays as it is for as long as somebody holds it: what is committed later is not seen.
///
/// A read transaction of SQLite's, open on a connection of its own, that everybody who wants this state shares. While it is
/// open the write-ahead log cannot begin anew, so that it grows.
public final class Pin: @unchecked Sendable {
  // Because the reader is used under the lock only.
  private let reader: TypedReader
  private let lock = Mutex(())
  private let pool: PinPool
  /// The version of the last commit that is seen.
  public let version: Int64
  public let schema: Schema
  /// The generation of the schema.
  public let generation: Int64

  /// - Parameter reader: One whose connection has the transaction open, and that nobody else uses.
  init(_ reader: TypedReader, at version: Int64, pool: PinPool) {
    self.reader = reader
    self.pool = pool
    self.version = version
    schema = reader.schema
    generation = reader.generation
  }

  deinit { pool.takeBack(reader) }

  /// Returns what `body` reads of the state. One thread reads at a time; `body` must not read by the pin again.
  public func read<Answer>(
    _ body: (TypedReader) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    // A typed error does not pass through a mutex' closure.
    try lock.withLock { _ -> Result<Answer, StorageError> in
      reader.session.connection.restartTime()
      do throws(StorageError) { return .success(try body(reader)) } catch { return .failure(error) }
    }.get()
  }
}
