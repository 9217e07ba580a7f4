import GatehouseBSON
import GatehouseModel
import GatehouseSharing
import Synchronization
import Testing

@testable import GatehouseStorage

private let schema = #"[{"name":"A","properties":{"text":"string"}}]"#

private func versions(_ store: TemporaryStore) throws -> [Int64] {
  try Raw(store.database).texts("SELECT DISTINCT version FROM _changes ORDER BY version").compactMap(
    Int64.init)
}

@Test func `changes leave the log by age, and positions among them expire`() async throws {
  let now = Mutex<Int64>(1000)
  var options = StoreOptions()
  options.logAge = 100
  let store = try await TemporaryStore(
    schema, options: options, clock: { Date(seconds: now.withLock { $0 }) })
  for second in [1000, 1050, 1120, 1140] as [Int64] {
    now.withLock { $0 = second }
    try await store.create("A", #"{"text":"t"}"#)
  }
  now.withLock { $0 = 1155 }
  try await store.store.shortenLog()
  // Version 3 was made at 1050.
  #expect(try versions(store) == [4, 5])
  #expect(try Raw(store.database).integer("SELECT value FROM _meta WHERE name = 'log_floor'") == 3)
  #expect(try store.changes().changes.count == 2)
  #expect(try store.changes(from: .after(LogPosition(version: 3))).changes.count == 2)
  for start in [
    .after(LogPosition(version: 2)), .after(LogPosition(version: 3, ordinal: 0)), .time(Date(seconds: 1050)),
  ]
    as [LogStart]
  {
    #expect(throws: StorageError.positionExpired) { try store.changes(from: start) }
  }
  #expect(try store.changes(from: .time(Date(seconds: 1051))).changes.count == 2)
  #expect(try store.violations() == [])
}

@Test func `the last commit stays, however old`() async throws {
  let now = Mutex<Int64>(0)
  var options = StoreOptions()
  options.logAge = 10
  let store = try await TemporaryStore(
    schema, options: options, clock: { Date(seconds: now.withLock { $0 }) })
  try await store.create("A", #"{"text":"t"}"#)
  now.withLock { $0 = 1_000_000 }
  try await store.store.shortenLog()
  #expect(try versions(store) == [2])
  #expect(try await store.create("A", #"{"text":"t"}"#).version == 3)
}

@Test func `changes leave the log by size, large commits in steps`() async throws {
  var options = StoreOptions()
  options.logSize = 20_000
  let store = try await TemporaryStore(schema, options: options)
  let large = try (0..<4700).map { try store.creation("A", #"{"text":"\#($0)"}"#) }
  _ = try await store.store.perform(Transaction(large))
  for _ in 0..<100 { try await store.create("A", #"{"text":"\#(String(repeating: "x", count: 400))"}"#) }
  try await store.store.shortenLog()
  let raw = try Raw(store.database)
  let kept = try raw.integer("SELECT sum(length(after) + 32) FROM _changes")
  #expect(kept <= 20_000 && kept > 19_000, "\(kept)")
  let floor = try raw.integer("SELECT value FROM _meta WHERE name = 'log_floor'")
  #expect(try versions(store) == Array((floor + 1)...102))
  #expect(try store.violations() == [])
  try await store.reopen()
  #expect(try store.changes().changes.count == Int(102 - floor))
}

@Test func `without limits everything stays`() async throws {
  let store = try await TemporaryStore(schema, clock: { .now })
  try await store.create("A", #"{"text":"t"}"#)
  try await store.store.shortenLog()
  #expect(try versions(store) == [1, 2])
}

@Test func `changes stay that a frozen version needs, however old, until the log is far too large`()
  async throws
{
  let now = Mutex<Int64>(1000)
  var options = StoreOptions()
  options.logAge = 100
  options.logSize = 20_000
  let store = try await TemporaryStore(
    schema, options: options, clock: { Date(seconds: now.withLock { $0 }) })
  try await store.create("A", #"{"text":"t"}"#)
  let frozen = try store.store.freeze(for: Caller(address: 1))
  #expect(frozen.version == 2 && frozen.seconds == 600)
  for second in [2000, 3000, 4000] as [Int64] {
    now.withLock { $0 = second }
    try await store.create("A", #"{"text":"t"}"#)
  }
  try await store.store.shortenLog()
  #expect(try versions(store) == [3, 4, 5])
  for _ in 0..<100 { try await store.create("A", #"{"text":"\#(String(repeating: "x", count: 400))"}"#) }
  try await store.store.shortenLog()
  #expect(try versions(store).first ?? 0 > 5)
}

@Test func `a pin lasts for its time, and a caller has few`() throws {
  let pins = LogPins()
  let second: UInt64 = 1_000_000_000
  #expect(pins.oldest(at: 0) == nil)
  for version in 1...5 as ClosedRange<Int64> {
    try pins.add(version, for: Caller(address: 1), at: UInt64(version) * second)
  }
  #expect(pins.oldest(at: 10 * second) == 2)
  #expect(pins.oldest(at: 602 * second) == 3)
  #expect(pins.oldest(at: 605 * second) == nil)
  for address in 0..<UInt64(LogPins.capacity) {
    try pins.add(7, for: Caller(address: address), at: 606 * second)
  }
  #expect(throws: StorageError.refused(.exhausted)) {
    try pins.add(8, for: Caller(address: .max), at: 607 * second)
  }
}

@Test func `a log with a size that no log has is not shortened by it`() async throws {
  var options = StoreOptions()
  options.logSize = 500
  let store = try await TemporaryStore(schema, options: options)
  for _ in 0..<10 { try await store.create("A", #"{"text":"\#(String(repeating: "x", count: 100))"}"#) }
  try await store.store.shortenLog()
  // The last commit that was given up stays, for its size.
  try Raw.execute(
    "UPDATE _commits SET size = -9223372036854775808 WHERE version = (SELECT min(version) FROM _commits)",
    on: store.database)
  await #expect(throws: StorageError.corrupt("size of a commit")) { try await store.store.shortenLog() }
}

@Test func `a change before all versions leaves the log`() async throws {
  var options = StoreOptions()
  options.logSize = 500
  let store = try await TemporaryStore(schema, options: options)
  for _ in 0..<10 { try await store.create("A", #"{"text":"\#(String(repeating: "x", count: 100))"}"#) }
  try Raw.execute(
    "UPDATE _changes SET version = -9223372036854775808 WHERE version = 2", on: store.database)
  try await store.store.shortenLog()
  #expect(try versions(store).first.map { $0 > 0 } == true)
}
