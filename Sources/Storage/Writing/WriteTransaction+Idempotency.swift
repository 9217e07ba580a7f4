import BSON
import SQLite

/// The table of receipts.
enum IdempotencyTable {
  static let definition = """
    CREATE TABLE _receipts (
      key TEXT PRIMARY KEY, fingerprint INTEGER NOT NULL, time TEXT NOT NULL, answer BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX "_receipts#time" ON _receipts (time);
    """

  /// Seconds for which receipts are kept.
  static let lifetime: Int64 = 24 * 60 * 60

  /// Expired receipts that go with each new one, so that they become fewer, and none pays for many.
  static let sweep: Int64 = 16
}

extension WriteTransaction {
  /// The stored answer, where the receipt was issued before.
  func answer(to idempotency: IdempotencyRecord, _ now: Date) throws(StorageError) -> [UInt8]? {
    let statement = try reading.cached(
      "SELECT fingerprint, answer FROM _receipts WHERE key = ?1 AND time > ?2")
    statement.bind(idempotency.key, at: 1)
    statement.bind(WriteTransaction.expiry(now), at: 2)
    defer { statement.reset() }
    guard try reading.step(statement) else { return nil }
    guard UInt64(bitPattern: statement.int64(at: 0)) == idempotency.fingerprint else {
      throw .idempotencyKeyReused
    }
    return statement.bytes(at: 1)
  }

  /// Stores the answer to a commit with it.
  func issue(_ idempotency: IdempotencyRecord?, for commit: Commit, _ clock: () -> Date) throws(StorageError)
  {
    guard let idempotency else { return }
    let now = clock()
    let statement = try reading.cached(
      "INSERT OR REPLACE INTO _receipts (key, fingerprint, time, answer) VALUES (?1, ?2, ?3, ?4)")
    statement.bind(idempotency.key, at: 1)
    statement.bind(Int64(bitPattern: idempotency.fingerprint), at: 2)
    statement.bind(now.storedText, at: 3)
    statement.bind(blob: idempotency.answer(commit), at: 4)
    try run(statement)
    try sweepReceipts(now)
  }

  private func sweepReceipts(_ now: Date) throws(StorageError) {
    let statement = try reading.cached(
      """
      DELETE FROM _receipts WHERE key IN \
      (SELECT key FROM _receipts WHERE time <= ?1 ORDER BY time LIMIT ?2)
      """)
    statement.bind(WriteTransaction.expiry(now), at: 1)
    statement.bind(IdempotencyTable.sweep, at: 2)
    try run(statement)
  }

  private static func expiry(_ now: Date) -> String {
    Date(seconds: now.seconds - IdempotencyTable.lifetime, nanoseconds: now.nanoseconds).storedText
  }
}
