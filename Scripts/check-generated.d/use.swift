// Uses the client that `gatehouse generate swift` made of schema.json against a server, whose URL is the argument.

import Foundation

struct NotAsExpected: Error {
  let value: String
}

func check(_ isTrue: Bool, _ value: Any) throws {
  if !isTrue { throw NotAsExpected(value: "\(value)") }
}

func equal<Value: Equatable>(_ left: Value, _ right: Value) throws {
  try check(left == right, (left, right))
}

func refusal(_ body: @Sendable () async throws -> Void) async throws -> Problem {
  do {
    try await body()
  } catch let problem as Problem {
    return problem
  }
  throw NotAsExpected(value: "not refused")
}

@main struct Use {
  static func main() async throws {
    let db = Gatehouse(CommandLine.arguments[1])
    let token = UUID()
    var person = PersonCreate(name: "Zoë", score: .nan)
    person.price = "1.50"
    person.born = "2001-02-03T04:05:06Z"
    person.token = token
    person.photo = Data([0, 1])
    person.any = .object(["list": .array([.int(1), .null, .object(["$oid": .string("650000000000000000000000")])])])
    person.tags = ["a", "b"]
    person.numbers = [.infinity, nil]
    person.labels = ["x": "1", "y": nil]
    var next = AddressCreate()
    next.zip = 5
    var home = AddressCreate()
    home.street = "s"
    home.next = next
    person.home = home
    person.größe = 7
    person.a_b = 8
    person.class_ = 9
    let made = try await db.person.create(person)
    try check(made.score.isNaN && made.flag && made.numbers == [.infinity, nil], made)
    try equal([made.price, made.born], ["1.50", "2001-02-03T04:05:06Z"])
    try check(made.token == token && made.photo == Data([0, 1]) && made.class_ == 9, made)
    let found = try await db.person.read(made._id)
    try equal(found?.json, made.json)
    try equal([found?.home?.next?.zip, found?.größe, found?.a_b], [5, 7, 8])
    try check(try await db.person.read(String(repeating: "0", count: 24)) == nil, "none")

    var change = PersonPatch()
    change.age = 5
    change.tags = .some(nil)
    change.labels = ["x": nil, "z": "3"]
    var moved = AddressPatch()
    moved.zip = 6
    change.home = moved
    let changed = try await db.person.patch(made._id, change)
    try check(changed.age == 5 && changed.tags == [] && changed.labels == ["y": nil, "z": "3"], changed)
    try check(changed.home?.zip == 6 && changed.home?.street == "s", changed)
    change = PersonPatch()
    change.age = .some(nil)
    try equal(try await db.person.patch(made._id, change).age, nil)

    let items = (0..<250).map { ItemCreate(id: $0, title: "item \($0)") }
    try equal(try await db.item.create(items), items.map(\.id))
    try equal(try await db.item.create([]), [])
    var listed: [Int64] = []
    for try await item in db.item.find(Query("id >= $0", [Int64(10)], sort: "-id", limit: 100)) { listed.append(item.id) }
    try equal(listed, (10..<250).reversed())
    try equal(try await db.item.count(), 250)
    try equal(try await db.item.count(Query("title BEGINSWITH $0", ["item 1"])), 111)
    var starred = ItemPatch()
    starred.stars = 1
    try equal(try await db.item.patch(matching: Query("id < $0", [Int64(10)]), starred), 10)
    try equal(try await db.item.delete(matching: Query("id >= 200")), 50)
    let repeated = try await refusal { _ = try await db.item.create(ItemCreate(id: 0, title: "")) }
    try check(repeated.status == 409 && repeated.code == "object_exists", repeated)

    let name = "a/b ü?#%"
    _ = try await db.label.create(LabelCreate(name: name))
    try equal(try await db.label.read(name)?.name, name)
    try await db.label.delete(name)
    try equal(try await db.label.read(name)?.name, nil)
    var device = DeviceCreate()
    device.id = token
    _ = try await db.device.create(device)
    try equal(try await db.device.read(token)?.id, token)
    var text = NoteCreate()
    text.text = "x"
    let note = try await db.note.create(text)
    var emptied = NotePatch()
    emptied.text = .some(nil)
    try equal(try await db.note.patch(note._key, emptied).text, nil)
    var nobody = MaybeCreate()
    nobody.id = .some(nil)
    _ = try await db.maybe.create(nobody)
    try equal(try await db.maybe.page().objects.map(\.id), [nil])
    var log = LogCreate()
    log._id = .int(1)
    log["level"] = .int(3)
    log["user"] = .object(["name": .string("Zoë")])
    let entry = try await db.log.create(log)
    try equal([entry._id, entry["level"], entry["user"]["name"], entry["none"]], [.int(1), .int(3), .string("Zoë"), .null])
    var logged = LogPatch()
    logged["level"] = .null
    logged["at"] = .double(1.5)
    try equal(try await db.log.patch("1", logged).fields.keys.sorted(), ["at", "user"])
    try await watch(db)
    print("works")
  }

  static func watch(_ db: Gatehouse) async throws {
    var told: [String] = []
    for try await change in try db.item.watch(Query("id == $0", [Int64(1000)])) {
      if change.event == .ready {
        Task {
          _ = try await db.item.create(ItemCreate(id: 1000, title: "new"))
          _ = try await db.item.create(ItemCreate(id: 5000, title: "elsewhere"))
          var starred = ItemPatch()
          starred.stars = 3
          try await db.item.patch(1000, starred)
          try await db.item.delete(1000)
        }
        continue
      }
      told.append("\(change.event) \(change.id ?? 0) \(change.object?.stars ?? 0) \(change.changed ?? []) \(change.reason ?? "")")
      if change.event == .delete { break }
    }
    try equal(told, ["insert 1000 0 [] ", "update 1000 3 [\"stars\"] ", "delete 1000 0 [] deleted"])
    let refused = try await refusal { for try await _ in try db.label.watch(Query("nonsense ==")) {} }
    try equal(refused.code, "invalid_query")
  }
}
