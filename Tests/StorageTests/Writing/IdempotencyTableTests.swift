import GatehouseBSON
import Testing

@testable import GatehouseStorage

/// Answers by their idempotency keys, without the transactions that they belong to.
@Suite struct IdempotencyTableTests {
  private static let now = Date(seconds: 1_700_000_000)
  private static let day: Int64 = 24 * 60 * 60
  private let file: WrittenFile
  private let table: IdempotencyTable

  init() throws {
    file = try WrittenFile("[]")
    table = IdempotencyTable(file.statements.session)
  }

  private func request(_ key: String, _ fingerprint: UInt64 = .max) -> IdempotencyRecord {
    IdempotencyRecord(key: key, fingerprint: fingerprint) { [UInt8($0.version)] }
  }

  private func later(_ seconds: Int64) -> Date { Date(seconds: Self.now.seconds + seconds) }

  @Test func `a stored answer is given for a day, to the same request only`() throws {
    #expect(try table.answer(to: request("k"), Self.now) == nil)
    try table.store(request("k"), for: Commit(version: 7, results: []), Self.now)
    #expect(try table.answer(to: request("k"), later(Self.day - 1)) == [7])
    #expect(try table.answer(to: request("k"), later(Self.day)) == nil)
    #expect(throws: StorageError.idempotencyKeyReused) { try table.answer(to: request("k", 1), Self.now) }
  }

  @Test func `each answer that is stored takes at most sixteen along that have expired`() throws {
    for key in 0..<20 {
      try table.store(request("old\(key)"), for: Commit(version: 1, results: []), Self.now)
    }
    try table.store(request("new"), for: Commit(version: 2, results: []), later(Self.day))
    #expect(try file.rows("SELECT count(*) FROM _receipts") == ["5"])
    try table.store(request("newer"), for: Commit(version: 2, results: []), later(Self.day))
    #expect(try file.rows("SELECT key FROM _receipts ORDER BY key") == ["new", "newer"])
  }
}
