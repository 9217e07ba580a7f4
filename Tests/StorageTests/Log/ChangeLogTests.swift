import GatehouseModel
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":{"type":"int?","mapTo":"number"},"link":"A",
    "m":"string{}","e":"E"}},
   {"name":"E","embedded":true,"properties":{"x":"int"}}]
  """

/// One row of the log, changes of the schema left aside: operation, class, id, the names in the image before, those in the image after.
private func log(_ store: TemporaryStore) throws -> [String] {
  try Raw(store.database).texts(
    """
    SELECT version || ' ' || ordinal || ' ' || class || ' ' || id || ' ' || operation || ' ' ||
      iif(before IS NULL, '-', hex(before)) || ' ' || iif(after IS NULL, '-', hex(after)) FROM _changes
    WHERE operation < 3 ORDER BY version, ordinal
    """)
}

private func hex(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF")
  return String(text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// A key of an image: tag 0e, its length, its bytes.
private func key(_ name: String) -> String {
  "0E0\(name.utf8.count)000000\(hex(name))"
}

private func int(_ value: UInt8) -> String {
  "0C0\(value)00000000000000"
}

@Test func `the log has the values before and after by stored names`() async throws {
  let store = try await TemporaryStore(schema)
  let first = try await store.create("A", #"{"id":1,"n":5}"#).version
  try await store.perform(store.patch("A", .int(1), #"{"n":6}"#))
  let all = { (n: UInt8) in
    "0B\(key("id"))\(int(1))\(key("number"))\(int(n))\(key("link"))00\(key("m"))0BFF\(key("e"))00FF"
  }
  #expect(
    try log(store) == [
      "\(first) 0 A 1 0 - \(all(5))",
      "\(first + 1) 0 A 1 1 0B\(key("number"))\(int(5))FF 0B\(key("number"))\(int(6))FF",
    ])
  try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
  #expect(try log(store).last == "\(first + 2) 0 A 1 2 \(all(6)) -")
}

@Test func `a change of an embedded object is one of the object that it belongs to`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"e":{"x":1}}"#)
  try await store.perform(store.patch("A", .int(1), #"{"e":{"x":2}}"#))
  let image = { (x: UInt8) in "0B\(key("e"))0B\(key("x"))\(int(x))FFFF" }
  #expect(try log(store).last?.hasSuffix(" 0 A 1 1 \(image(1)) \(image(2))") == true)
}

@Test func `what a transaction does and undoes is not in the log`() async throws {
  let store = try await TemporaryStore(schema)
  let before = store.store.version
  let commit = try await store.perform(
    store.creation("A", #"{"id":1}"#), .delete(objectType: "A", id: .int(1), precondition: .none))
  #expect(commit.version == before)
  #expect(try log(store) == [])
}

@Test func `an object with a link to itself that a transaction creates and deletes is not in the log`()
  async throws
{
  let store = try await TemporaryStore(schema)
  let before = store.store.version
  let commit = try await store.perform(
    store.creation("A", #"{"id":1,"link":1}"#), .delete(objectType: "A", id: .int(1), precondition: .none))
  #expect(commit.version == before)
  #expect(try log(store) == [])
}

@Test func `what a transaction changes twice is logged once with its net effect`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"n":1}"#)
  try await store.perform(
    store.patch("A", .int(1), #"{"n":2}"#), store.patch("A", .int(1), #"{"n":3}"#))
  let image = { (n: UInt8) in "0B\(key("number"))\(int(n))FF" }
  #expect(try log(store).count == 2)
  #expect(try log(store).last?.hasSuffix(" 0 A 1 1 \(image(1)) \(image(3))") == true)
}

@Test func `a deletion logs the objects that linked to the deleted one`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("A", #"{"id":1}"#), store.creation("A", #"{"id":2,"link":1}"#))
  let version = try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none)).version
  let logged = try log(store).filter { $0.hasPrefix("\(version) ") }
  #expect(logged.count == 2)
  #expect(logged.last == "\(version) 1 A 2 1 0B\(key("link"))\(int(1))FF 0B\(key("link"))00FF")
}

@Test func `a creation that failed leaves nothing behind for the changes of the next transaction`()
  async throws
{
  let store = try await TemporaryStore(schema)
  let (first, second) = (Array(0..<8), Array(10..<19))
  for id in first + second { try await store.create("A", #"{"id":\#(id),"n":1}"#) }
  func patches(_ ids: [Int]) throws -> [Operation] {
    try ids.map { try store.patch("A", .int(Int64($0)), #"{"n":2}"#) }
  }
  // One object more than a few, for a moment.
  let creation = try store.creation("A", #"{"id":0}"#)
  let transaction = Transaction(try patches(first) + [creation])
  await #expect(throws: OperationError.self) { try await store.store.perform(transaction) }
  let commit = try await store.store.perform(Transaction(try patches(second + [0])))
  #expect(try log(store).count { $0.hasPrefix("\(commit.version) ") } == 10)
}
