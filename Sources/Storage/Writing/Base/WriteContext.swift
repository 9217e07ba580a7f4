import GatehouseModel
import GatehouseSQLite

/// The transaction being performed, as its parts need to know it: the version that its changes get, the operation at
/// work, and the time that is left.
final class WriteContext {
  /// The version that the changes get if there are any.
  private(set) var version: Int64 = 0
  /// The operation at work, counted from 0; after the last one, their number.
  private(set) var operation = 0
  private var deadline = WriteDeadline()
  /// The bytes that changes inside mixed values have read so far.
  private var mixedBytes = 0

  /// The most bytes that changes inside mixed values may read in one transaction; to write them again costs about as
  /// much, half a second in all.
  static let mostMixedBytes = 1 << 27

  /// Begins a transaction whose changes get `version`.
  func begin(version: Int64, until deadline: WriteDeadline) {
    precondition(version >= 0, "the first state has version 0")
    self.version = version
    self.deadline = deadline
    operation = 0
    mixedBytes = 0
  }

  /// Counts the bytes of a mixed value that is read, and written again, for the sake of a part. Throws
  /// ``StorageError/invalid(_:)`` with the rule `tooMuchWork` where the transaction has come to
  /// ``mostMixedBytes``: a small request could keep all other writers waiting.
  func spend(onMixed bytes: Int) throws(StorageError) {
    mixedBytes += bytes
    guard mixedBytes <= WriteContext.mostMixedBytes else {
      throw .invalid(ValidationError([ValidationProblem(pointer: "", .tooMuchWork)]))
    }
  }

  /// Goes on to the next operation.
  func finishOperation() { operation += 1 }

  /// Throws ``StorageError/timeLimit`` or ``StorageError/cancelled`` where the transaction should end. To be called for
  /// each object, or element, that it touches, and for what takes as long as `cost` of them.
  func checkDeadline(cost: Int = 1) throws(StorageError) { try deadline.check(cost: cost) }

  /// Has a connection obey the deadline while `body` reads.
  func reading<Answer>(
    on connection: Connection, _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try deadline.reading(on: connection, body)
  }
}
