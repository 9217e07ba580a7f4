import GatehouseSQLite
import Synchronization

/// A reader of one state of the store, which stays as it is for as long as somebody holds the reader: what is committed
/// later is not seen.
///
/// While it is there the write-ahead log cannot begin anew, so that it grows.
///
/// `@unchecked Sendable`. Because the reader is used under the lock only.
public final class PinnedReader: @unchecked Sendable {
  private let reader: Reader
  private let lock = Mutex(())
  /// The version of the last commit that is seen.
  public let version: Int64

  /// Holds the state that was published last, of the store that another reader is of.
  public init(beside present: Reader) throws(StorageError) {
    reader = try Reader(present.view)
    var attempts = 1
    while try !reader.beginHolding() {
      attempts += 1
      if attempts > 1_000 { throw .timeLimit }
    }
    version = reader.state.value.version
  }

  deinit { reader.endHolding() }

  /// Returns what `body` reads of the state, within the limits of time of another reader, on whose thread it runs. One thread
  /// reads at a time; `body` must not read by the pinned reader itself.
  public func read<Answer: Sendable>(
    as present: Reader, _ body: (Reader) throws -> Answer
  ) throws -> Answer {
    let result = lock.withLock { _ -> Result<Answer, any Error> in
      let limits = present.connection.limits
      reader.connection.restartTime()
      return Result {
        try reader.read(until: limits.interruption ?? Interruption(), waited: limits.waited, body)
      }
    }
    return try result.get()
  }
}
