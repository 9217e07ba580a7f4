import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

/// Classes that get other names and keep their objects.
@Suite struct ClassRenameTests {
  private static func schema(_ city: String) -> String {
    """
    [{"name":"\(city)","primaryKey":"id","properties":{"id":"int","name":"string","twin":"\(city)","m":"mixed",
       "visitors":{"type":"linkingObjects","objectType":"Person","property":"visits"}}},
     {"name":"Person","primaryKey":"id","properties":{"id":"int","home":"\(city)","visits":"\(city)[]","set":"\(city)<>",
       "map":"\(city){}","any":"mixed","anys":"mixed[]","anyMap":"mixed{}","anySet":"mixed<>","place":"Place"}},
     {"name":"Place","embedded":true,"properties":{"city":"\(city)","any":"mixed"}}]
    """
  }

  private static let link = #"{"$ref":"City","$id":1}"#

  private static func store() async throws -> TemporaryStore {
    let store = try await TemporaryStore(schema("City"))
    try await store.create("City", #"{"id":1,"name":"Ulm"}"#)
    try await store.create("City", #"{"id":2,"name":"Bonn","twin":1,"m":\#(link)}"#)
    try await store.create(
      "Person",
      #"{"id":1,"home":1,"visits":[2,1,2],"set":[1],"map":{"a":2},"any":{"x":[\#(link)]},"anys":[1,\#(link)],"#
        + #""anyMap":{"k":\#(link)},"anySet":[\#(link)],"place":{"city":2,"any":\#(link)}}"#)
    try await store.perform(store.patch("Person", .int(1), #"{"home":2,"any":null,"anys":[\#(link),7]}"#))
    try await store.perform(store.patch("City", .int(1), #"{"name":"Neu-Ulm"}"#))
    return store
  }

  private static func rename(
    _ store: TemporaryStore, to name: String = "Town", _ schema: String? = nil
  ) async throws -> SchemaOutcome {
    try await store.store.apply(
      try Schema(notation: Value(json: schema ?? self.schema(name))), destructive: false,
      renames: SchemaRenames(classes: [ClassRename(from: "City", to: name)]))
  }

  @Test func `objects and links stay, also those in mixed values`() async throws {
    let store = try await Self.store()
    let before = ["City", "Person"].map { name in (1...2).map { try? store.object(name, .int($0)) } }
    #expect(try await Self.rename(store).changed)
    #expect(try store.violations() == [])
    for id in 1...2 {
      let expected = before[0][id - 1]?.replacing("City", with: "Town")
      #expect(try store.object("Town", .int(Int64(id))) == expected)
    }
    #expect(try store.object("Person", .int(1)) == before[1][0]?.replacing("City", with: "Town"))
    #expect(throws: StorageError.unknownClass("City")) { try store.object("City", .int(1)) }
    try await store.reopen()
    #expect(try store.object("Person", .int(1)) == before[1][0]?.replacing("City", with: "Town"))
    // Links are still found from the other side, and end with their object.
    try await store.perform(.delete(objectType: "Town", id: .int(1), precondition: .none))
    #expect(try store.violations() == [])
    #expect(try store.object("Person", .int(1))?.contains("Town") == false)
    #expect(
      try store.object("Town", .int(2)) == #"{"id":2,"name":"Bonn","twin":null,"m":null}"#)
    // Keys go on where they were.
    try await store.create("Town", #"{"id":9,"name":"Köln"}"#)
    #expect(try store.violations() == [])
  }

  @Test func `an embedded class gets another name`() async throws {
    let store = try await Self.store()
    let before = try store.object("Person", .int(1))
    let schema = Self.schema("City").replacing(#""Place""#, with: #""Spot""#)
    _ = try await store.store.apply(
      try Schema(notation: Value(json: schema)), destructive: false,
      renames: SchemaRenames(classes: [ClassRename(from: "Place", to: "Spot")]))
    #expect(try store.object("Person", .int(1)) == before)
    #expect(try store.violations() == [])
  }

  @Test func `classes and their properties get other names together`() async throws {
    let store = try await Self.store()
    let schema = Self.schema("Town").replacing(#""name":"string""#, with: #""label":"string""#)
    _ = try await store.store.apply(
      try Schema(notation: Value(json: schema)), destructive: false,
      renames: SchemaRenames(
        classes: [ClassRename(from: "City", to: "Town")],
        properties: [PropertyRename(objectType: "Town", from: "name", to: "label")]))
    #expect(try store.object("Town", .int(1))?.hasPrefix(#"{"id":1,"label":"Neu-Ulm""#) == true)
    #expect(try store.violations() == [])
    let images = try Self.history(of: store, "Town")
    #expect(images.first?.contains(#"label"#) == true && images.count == 3, "\(images)")
  }

  /// The changes of a class since the beginning, in the terms of today.
  private static func history(of store: TemporaryStore, _ objectType: String) throws -> [String] {
    try store.store.makeReader().snapshot { snapshot throws(StorageError) in
      try snapshot.changes(
        after: LogPosition(version: 0), through: snapshot.version, limit: 100, objectType: objectType
      ).changes
        .filter { $0.operation != .schema }.map {
          "\($0.objectType) \($0.id) \($0.before as Any) \($0.after as Any)"
        }
    }
  }

  @Test func `the past is told by the new name, and the log has what was written`() async throws {
    let store = try await Self.store()
    let cities = try Self.history(of: store, "City")
    let persons = try Self.history(of: store, "Person")
    let (written, _, _) = try store.changes(from: .oldest)
    _ = try await Self.rename(store)
    try await store.perform(store.patch("Town", .int(2), #"{"name":"Bad Godesberg"}"#))
    let towns = try Self.history(of: store, "Town")
    #expect(towns.dropLast() == cities.map { $0.replacing("City", with: "Town") }[...])
    #expect(try Self.history(of: store, "Person") == persons.map { $0.replacing("City", with: "Town") })
    #expect(try Self.history(of: store, "City") == [])
    let (changes, _, _) = try store.changes(from: .oldest)
    // A reference to an object of a class that is gone is not known as one: its members are in the order of their names.
    let references = changes.map { $0.replacing(#"{"$id":1,"$ref":"City"}"#, with: Self.link) }
    #expect(
      references.prefix(written.count)
        == written.map { $0.replacing(#"{"$id":1,"$ref":"City"}"#, with: Self.link) }[...])
    #expect(changes.count == written.count + 2)
  }

  @Test func `the changes of one object are found under all names that its class has had`() async throws {
    let store = try await Self.store()
    for (from, to) in [("City", "Town"), ("Town", "Place2"), ("Place2", "City"), ("City", "Town")] {
      _ = try await store.store.apply(
        try Schema(notation: Value(json: Self.schema(to))), destructive: false,
        renames: SchemaRenames(classes: [ClassRename(from: from, to: to)]))
      try await store.perform(store.patch(to, .int(1), #"{"name":"\#(from)"}"#))
    }
    let names = try store.store.makeReader().snapshot { snapshot throws(StorageError) in
      let index = try snapshot.makeChangeIndex()
      try index.extend(to: LogPosition(version: 0), through: snapshot.version, limit: 1000)
      var found: [String] = []
      try snapshot.forEachChange(of: "Town", id: .int(1), after: LogPosition(version: 0), in: index) {
        change in
        found.append("\(change.objectType) \(change.position.version)")
        return true
      }
      return found
    }
    #expect(names == [2, 6, 8, 10, 12, 14].map { "Town \($0)" })
    #expect(try store.violations() == [])
  }

  @Test func `a name that another class had is another class in the past as well`() async throws {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int"}},{"name":"B","primaryKey":"id","properties":{"id":"int"}}]"#
    )
    try await store.create("A", #"{"id":1}"#)
    try await store.create("B", #"{"id":2}"#)
    _ = try await store.apply(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]"#, destructive: true)
    _ = try await store.store.apply(
      try Schema(notation: Value(json: #"[{"name":"B","primaryKey":"id","properties":{"id":"int"}}]"#)),
      destructive: false, renames: SchemaRenames(classes: [ClassRename(from: "A", to: "B")]))
    let history = try Self.history(of: store, "B")
    #expect(history.count == 1 && history[0].hasPrefix("B int(1)"), "\(history)")
    #expect(try store.object("B", .int(1)) == #"{"id":1}"#)
    #expect(try store.object("B", .int(2)) == nil)
  }

  @Test(arguments: [
    ("None", "Town"), ("Person", "Town"), ("City", "Person"), ("City", "City"), ("City", "None"),
  ])
  func `a new name that makes no sense is refused`(from: String, to: String) async throws {
    let store = try await Self.store()
    let rename = ClassRename(from: from, to: to)
    await #expect(throws: StorageError.invalidClassRename(rename)) {
      try await store.store.apply(
        try Schema(notation: Value(json: Self.schema("Town"))), destructive: true,
        renames: SchemaRenames(classes: [rename]))
    }
    #expect(store.store.version == 6)
  }
}
