import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","l":"int[]","links":"A[]","e":"E"}},
   {"name":"E","embedded":true,"properties":{"l":"int[]"}}]
  """

/// A list of an object beside an array of Swift's.
private struct Pair {
  let store: TemporaryStore
  let segments: [String]
  var array: [Int]

  private func path(_ index: String? = nil) throws -> ResourcePath {
    try ResourcePath(segments + (index.map { [$0] } ?? []), of: store.type("A"), in: store.store.schema)
  }

  private func change(_ change: PropertyChange, at index: String? = nil) async throws {
    try await store.perform(
      .change(objectType: "A", id: .int(1), path: path(index), change: change, precondition: .none))
  }

  private func drafts(_ values: [Int]) -> [DraftValue] { values.map { .value(.int(Int64($0))) } }

  mutating func assign(_ values: [Int]) async throws {
    try await change(.assign(.list(drafts(values))))
    array = values
  }

  mutating func insert(_ values: [Int], at index: Int?) async throws {
    try await change(.insert(drafts(values), at: index))
    array.insert(contentsOf: values, at: index ?? array.count)
  }

  mutating func remove(_ from: Int, _ count: Int) async throws {
    try await change(.removeElements(from: from, count: count))
    array.removeSubrange(from..<from + count)
  }

  mutating func move(_ from: Int, _ to: Int) async throws {
    try await change(.move(from: from, to: to))
    array.insert(array.remove(at: from), at: to)
  }

  mutating func set(_ index: Int, _ value: Int) async throws {
    try await change(.assign(.value(.int(Int64(value)))), at: "\(index)")
    array[index < 0 ? array.count + index : index] = value
  }

  private func read(_ request: PathReadRequest) throws -> (String, PathReadRequest.Start?) {
    var bytes: [UInt8] = []
    let answer = try store.reading.place(request, as: .json, into: &bytes)
    return (String(decoding: bytes, as: UTF8.self), answer.next)
  }

  /// Single elements from both ends and from the middle, the count, and a page that begins there.
  func expectEqual(around index: Int) throws {
    guard !array.isEmpty else { return }
    for index in [index, index - array.count] {
      let place = PathReadRequest(objectType: "A", id: .int(1), path: try path("\(index)"))
      #expect(try read(place).0 == "\(array[index < 0 ? array.count + index : index])", "element \(index)")
    }
    var page = PathReadRequest(objectType: "A", id: .int(1), path: try path())
    page.start = .offset(index)
    page.limit = 3
    let (text, next) = try read(page)
    #expect(text == "[\(array[index...].prefix(3).map(String.init).joined(separator: ","))]")
    #expect(next == (index + 3 < array.count ? .offset(index + 3) : nil))
    page.only = .count
    #expect(try read(page).0 == "\(array.count)")
    let beyond = PathReadRequest(objectType: "A", id: .int(1), path: try path("\(array.count)"))
    #expect(throws: StorageError.place(.noElement)) { try read(beyond) }
  }
}

/// Long and short lists, of an object and inside an embedded one.
@Test(arguments: [["l"], ["e", "l"]])
func `elements of long lists are found by index, whatever happened to the list`(segments: [String])
  async throws
{
  var random = SeededGenerator(seed: 7)
  print("\(segments): seed 7")
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"e":{}}"#)
  var pair = Pair(store: store, segments: segments, array: [])
  try await pair.assign(Array(0..<1_500))
  for round in 0..<120 {
    let count = pair.array.count
    let index = Int.random(in: 0..<max(count, 1), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: try await pair.insert(Array(0..<Int.random(in: 1...400, using: &random)), at: nil)
    // Again and again at one place, so that elements have to be spread.
    case 2: for value in 0..<40 { try await pair.insert([value], at: index) }
    case 3: try await pair.insert(Array(0..<Int.random(in: 1...700, using: &random)), at: index)
    case 4, 5: try await pair.remove(index, min(count - index, Int.random(in: 1...300, using: &random)))
    case 6 where count > 0: try await pair.move(index, Int.random(in: 0..<count, using: &random))
    case 7 where count > 0: try await pair.set(index - count, round)
    case 8 where round % 25 == 0: try await pair.assign([])
    default: try await pair.insert([round], at: 0)
    }
    try pair.expectEqual(around: Int.random(in: 0..<max(pair.array.count, 1), using: &random))
    if round % 20 == 19 { #expect(try store.violations() == [], "round \(round)") }
  }
}

@Test func `a list that loses what it links to, and one that goes away, leave no block behind`() async throws
{
  let store = try await TemporaryStore(schema)
  let others = try (2..<900).map { try store.creation("A", #"{"id":\#($0)}"#) }
  _ = try await store.store.perform(Transaction(others))
  let links = (2..<900).map(String.init).joined(separator: ",")
  try await store.create("A", #"{"id":1,"links":[\#(links)],"e":{"l":[\#(links)]}}"#)
  _ = try await store.store.perform(
    Transaction((300..<700).map { .delete(objectType: "A", id: .int($0), precondition: .none) }))
  #expect(try store.violations() == [])
  try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
  #expect(try Raw(store.database).integer("SELECT count(*) FROM _list_blocks") == 0)
}

@Test func `a block that counts wrong is found`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"l":[\#((0..<600).map(String.init).joined(separator: ","))]}"#)
  try await store.close()
  try Raw.execute("UPDATE _list_blocks SET elements = elements + 1 WHERE position > 0", on: store.database)
  #expect(try store.violations() == [.wrongBlocks(place: "A.l", count: 2)])
}

@Test func `a list whose blocks count wrong is refused where its changes are taken back`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"l":[\#((0..<600).map(String.init).joined(separator: ","))]}"#)
  try Raw.execute("UPDATE _list_blocks SET elements = elements + 1 WHERE position > 0", on: store.database)
  let last = try ResourcePath(["l", "-1"], of: store.type("A"), in: store.store.schema)
  let change = Operation.change(
    objectType: "A", id: .int(1), path: last, change: .assign(.value(.int(7))), precondition: .none)
  await #expect {
    try await store.perform(change, store.patch("A", .int(1), #"{"l":[]}"#))
  } throws: { ($0 as? OperationError)?.reason == .corrupt("blocks of a list") }
}

/// Positions at the end of what a column holds, and in between, in a list with blocks and in one without.
@Test(arguments: [3, 1_500], [Int64.max - 1, 1 << 62, 1 << 60, -(1 << 60), .min])
func `a list that has used up the positions on one side is numbered anew`(count: Int, end: Int64) async throws
{
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"l":[]}"#)
  var pair = Pair(store: store, segments: ["l"], array: [])
  try await pair.assign(Array(0..<count))
  let edge = end > 0 ? "max" : "min"
  try Raw.execute(
    #"UPDATE "A.l" SET position = \#(end) WHERE position = (SELECT \#(edge)(position) FROM "A.l")"#,
    on: store.database)
  #expect(try store.violations() == [])
  try await pair.insert([7], at: end > 0 ? nil : 0)
  try await pair.insert([8, 9], at: end > 0 ? pair.array.count - 1 : 1)
  try pair.expectEqual(around: end > 0 ? pair.array.count - 3 : 0)
  #expect(try store.violations() == [])
}

@Test(arguments: [-1_000_000, .min] as [Int64])
func `blocks that count fewer elements than none are no list's`(elements: Int64) async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"l":[\#((0..<1_500).map(String.init).joined(separator: ","))]}"#)
  try Raw.execute(
    "UPDATE _list_blocks SET elements = \(elements) WHERE position = (SELECT min(position) FROM _list_blocks)",
    on: store.database)
  let value = DraftValue.value(.int(7))
  for (segments, change) in [
    (["l", "600"], .assign(value)), (["l"], .insert([value], at: 3)), (["l"], .move(from: 1, to: 2)),
    (["l"], .insert([value], at: nil)),
  ] as [([String], PropertyChange)] {
    let path = try ResourcePath(segments, of: store.type("A"), in: store.store.schema)
    await #expect(throws: OperationError(operation: 0, reason: .corrupt("blocks of a list"))) {
      try await store.perform(
        .change(objectType: "A", id: .int(1), path: path, change: change, precondition: .none))
    }
  }
}

/// Somebody else has put it there: lists are numbered anew long before.
@Test(arguments: [3, 1_500])
func `an element at the last position that there is comes back to the others when the list changes`(
  count: Int
)
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1}"#)
  var pair = Pair(store: store, segments: ["l"], array: [])
  try await pair.assign(Array(0..<count))
  try await store.close()
  let sql =
    #"UPDATE "A.l" SET position = 9223372036854775807 WHERE position = (SELECT max(position) FROM "A.l")"#
  try Raw.execute(sql, on: store.database)
  try await store.reopen()
  // It is beyond the last block, where there are any.
  #expect(try store.violations() == (count < 1_000 ? [] : [.wrongBlocks(place: "A.l", count: 1)]))
  try pair.expectEqual(around: count - 1)
  try await pair.insert([7], at: nil)
  try pair.expectEqual(around: count - 1)
  #expect(try store.violations() == [])
}
