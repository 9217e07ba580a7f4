import GatehouseBSON
import GatehouseSQLite

/// The table `_receipts`: the answers to requests that must not be performed twice, by their idempotency keys.
struct IdempotencyTable {
  /// Seconds for which answers are kept.
  private static let lifetime: Int64 = 24 * 60 * 60

  /// Expired answers that go with each new one, so that they become fewer, and none pays for many.
  private static let sweep: Int64 = 16

  private let session: ReadSession

  init(_ session: ReadSession) {
    self.session = session
  }

  /// Returns the stored answer to a request that has been performed; nil: it has not. Throws
  /// ``StorageError/idempotencyKeyReused`` where the key belongs to another request.
  func answer(to request: IdempotencyRecord, _ now: Date) throws(StorageError) -> [UInt8]? {
    let statement = try session.cached(ReceiptStatements.answer)
    statement.bind(request.key, at: 1)
    statement.bind(IdempotencyTable.expiry(now), at: 2)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    guard UInt64(bitPattern: statement.int64(at: 0)) == request.fingerprint else {
      throw .idempotencyKeyReused
    }
    return statement.bytes(at: 1)
  }

  /// Stores the answer to a request with the commit that performs it.
  func store(_ request: IdempotencyRecord, for commit: Commit, _ now: Date) throws(StorageError) {
    let statement = try session.cached(ReceiptStatements.insert)
    statement.bind(request.key, at: 1)
    statement.bind(Int64(bitPattern: request.fingerprint), at: 2)
    statement.bind(now.storedText, at: 3)
    statement.bind(blob: request.answer(commit), at: 4)
    while try session.step(statement) {}
    try removeExpired(now)
  }

  private func removeExpired(_ now: Date) throws(StorageError) {
    let statement = try session.cached(ReceiptStatements.removeExpired)
    statement.bind(IdempotencyTable.expiry(now), at: 1)
    statement.bind(IdempotencyTable.sweep, at: 2)
    while try session.step(statement) {}
  }

  private static func expiry(_ now: Date) -> String {
    Date(seconds: now.seconds - lifetime, nanoseconds: now.nanoseconds).storedText
  }
}
