import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":{"type":"int?","mapTo":"number"},"when":"date?",
    "e":"E","m":"mixed"}},
   {"name":"E","embedded":true,"properties":{"x":{"type":"int","mapTo":"ecks"}}},
   {"name":"B","properties":{"text":"string"}}]
  """
private let time = #""time":"2023-11-14T22:13:20Z""#

/// A store with commits 2 to 5 behind that of the schema.
private func filled() async throws -> TemporaryStore {
  let store = try await TemporaryStore(schema)
  try await store.create(
    "A", #"{"id":1,"n":5,"when":"2024-01-01T00:00:00Z","e":{"x":1},"m":{"$oid":"650000000000000000000001"}}"#)
  try await store.perform(
    store.patch("A", .int(1), #"{"n":6,"e":{"x":2}}"#), store.creation("B", #"{"text":"t"}"#))
  try await store.perform(.delete(objectType: "B", id: .int(0), precondition: .none))
  return store
}

private let insertion =
  #"{"version":2,"n":0,\#(time),"class":"A","id":1,"operation":"insert","after":{"id":1,"n":5,"#
  + #""when":"2024-01-01T00:00:00Z","e":{"x":1},"m":{"$oid":"650000000000000000000001"}}}"#
private let update =
  #"{"version":3,"n":0,\#(time),"class":"A","id":1,"operation":"update","changed":["n","e"],"#
  + #""before":{"n":5,"e":{"x":1}},"after":{"n":6,"e":{"x":2}}}"#
private let second =
  #"{"version":3,"n":1,\#(time),"class":"B","id":0,"operation":"insert","after":{"text":"t"}}"#
private let deletion =
  #"{"version":4,"n":0,\#(time),"class":"B","id":0,"operation":"delete","before":{"text":"t"}}"#

@Test func `the log reads in order, by the names that clients use`() async throws {
  let store = try await filled()
  let (changes, next, isLast) = try store.changes()
  #expect(changes.dropFirst() == [insertion, update, second, deletion])
  #expect((next, isLast) == ("4", true))
}

/// The operations of the changes of `A` behind those of ``filled()``, with those that replaced the object marked.
private func kinds(_ store: TemporaryStore) throws -> [String] {
  try store.changes(from: .after(LogPosition(version: 4)), objectType: "A").changes.map { change in
    let operation = change.split(separator: #""operation":""#)[1].prefix { $0 != "\"" }
    return operation + (change.contains(#""replaced":true"#) ? " replaced" : "")
  }
}

@Test func `an update that replaced the whole object is told from others, also after a start`() async throws {
  let store = try await filled()
  let replacement = { (n: Int) in try store.replacement("A", .int(1), #"{"id":1,"n":\#(n)}"#) }
  let patch = { (n: Int) in try store.patch("A", .int(1), #"{"n":\#(n)}"#) }
  try await store.perform(replacement(7))
  try await store.perform(patch(8))
  try await store.perform(store.creation("A", #"{"id":1,"n":9,"m":null}"#, .all))
  try await store.perform(replacement(10), patch(11))
  try await store.perform(patch(12), replacement(13))
  try await store.perform(store.replacement("A", .int(2), #"{"id":2}"#))
  try await store.perform(
    store.replacement("A", .int(2), #"{"id":2,"n":1}"#),
    .delete(
      objectType: "A", id: .int(2), precondition: .none))
  let expected = [
    "update replaced", "update", "update", "update replaced", "update replaced", "insert", "delete",
  ]
  #expect(try kinds(store) == expected)
  #expect(
    try Raw(store.database).texts("SELECT operation FROM _changes WHERE version > 4 ORDER BY version")
      == ["4", "1", "1", "4", "4", "0", "2"])
  try await store.reopen()
  #expect(try kinds(store) == expected)
  #expect(try store.violations() == [])
}

@Test(
  arguments: [
    (.after(LogPosition(version: 2)), [update, second, deletion]),
    (.after(LogPosition(version: 3, ordinal: 0)), [second, deletion]),
    (.after(LogPosition(version: 3, ordinal: 1)), [deletion]),
    (.after(LogPosition(version: 4)), []), (.latest, []),
    (.time(Date(seconds: 1_700_000_001)), []),
  ] as [(LogStart, [String])])
func `reading begins right behind a position`(start: LogStart, expected: [String]) async throws {
  let (changes, next, isLast) = try await filled().changes(from: start)
  #expect(changes == expected)
  #expect((next, isLast) == ("4", true))
}

@Test func `pages end where they say`() async throws {
  let store = try await filled()
  var seen: [String] = []
  var start = LogStart.oldest
  var nexts: [String] = []
  while true {
    let page = try store.changes(from: start, limit: 2)
    seen += page.changes
    nexts.append(page.next)
    if page.isLast { break }
    start = .after(try #require(LogPosition(text: page.next)))
  }
  #expect(Array(seen.dropFirst()) == [insertion, update, second, deletion])
  #expect(nexts == ["2-0", "3-1", "4"])
}

@Test func `one class alone comes with the changes of the schema`() async throws {
  let changes = try await filled().changes(objectType: "B").changes
  #expect(changes.count == 3)
  #expect(changes[0].contains(#""operation":"schema""#))
  #expect(Array(changes.dropFirst()) == [second, deletion])
}

@Test func `positions to come are as unknown as those that are gone`() async throws {
  let store = try await filled()
  #expect(throws: StorageError.positionExpired) { try store.changes(from: .after(LogPosition(version: 5))) }
}

@Test func `a time finds the first commit that is not older, though the clock went back`() async throws {
  let now = Mutex<Int64>(100)
  let seconds = [100, 200, 150, 300] as [Int64]
  let store = try await TemporaryStore(schema, clock: { Date(seconds: now.withLock { $0 }) })
  for second in seconds {
    now.withLock { $0 = second }
    try await store.create("B", #"{"text":"\#(second)"}"#)
  }
  let versions = { (second: Int64) in
    try store.changes(from: .time(Date(seconds: second))).changes.compactMap {
      $0.firstMatch(of: /"version":(\d+)/).flatMap { Int($0.1) }
    }
  }
  #expect(try versions(0) == [1, 2, 3, 4, 5])
  #expect(try versions(100) == [1, 2, 3, 4, 5])
  #expect(try versions(101) == [3, 4, 5])
  // The commit at 150 counts as one at 200.
  #expect(try versions(200) == [3, 4, 5])
  #expect(try versions(201) == [5])
  #expect(try versions(301) == [])
}

@Test(
  arguments: [
    ("0", 0, .max), ("12", 12, .max), ("12-0", 12, 0), ("12-34", 12, 34),
    ("9223372036854775807", .max, .max),
  ] as [(String, Int64, Int64)])
func `a position is text and back`(text: String, version: Int64, ordinal: Int64) {
  let position = LogPosition(text: text)
  #expect(position == LogPosition(version: version, ordinal: ordinal))
  #expect(position?.text == text)
}

@Test(arguments: ["", "-", "1-", "-1", "01", "1-01", "1-2-3", "+1", "1 ", "٣", "9223372036854775808", "x"])
func `what is no position is refused`(text: String) {
  #expect(LogPosition(text: text) == nil)
}
