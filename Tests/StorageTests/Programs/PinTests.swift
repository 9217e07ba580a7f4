import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

struct PinTests {
  private static let schema = """
    [{"name": "Dog", "primaryKey": "name", "properties": {"name": "string", "age": "int", "friends": "Dog[]",
      "names": "string{}", "fans": {"type": "linkingObjects", "objectType": "Dog", "property": "friends"}}}]
    """

  @Test func `a pin goes on to see the store as it was, and is shared by all who want that state`()
    async throws
  {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"name": "Rex", "age": 1}"#)
    let first = try temporary.store.pin()
    #expect(try temporary.store.pin() === first)
    try await temporary.perform(temporary.patch("Dog", .string("Rex"), #"{"age": 2}"#))
    let second = try temporary.store.pin()
    #expect(second !== first && second.version == first.version + 1)
    let row = try first.read { reader throws(StorageError) in try reader.find(.string("Rex"), in: 0) }
    let rex = try #require(row)
    #expect(try first.read { reader throws(StorageError) in try reader.values(of: rex)?[1] } == .int(1))
    #expect(try second.read { reader throws(StorageError) in try reader.values(of: rex)?[1] } == .int(2))
    #expect(temporary.store.pinnedStates == 2)
  }

  @Test func `a state that nobody holds any more is let go`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    do { _ = try temporary.store.pin() }
    #expect(temporary.store.pinnedStates == 0)
    do { _ = try temporary.store.pin() }
    #expect(temporary.store.pinnedStates == 0)
  }

  @Test func `values come by the places of properties, collections by themselves`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"name": "Max", "age": 2}"#)
    try await temporary.create(
      "Dog", #"{"name": "Rex", "age": 1, "friends": ["Max", "Max"], "names": {"b": "x", "a": "y"}}"#)
    let plan = try Plan(
      request: QueryRequest(sort: "-age"), schema: temporary.store.schema, objectType: "Dog")
    try temporary.store.pin().read { reader throws(StorageError) in
      let keys = try reader.keys(of: plan)
      #expect(keys == [0, 1])
      #expect(try reader.count(plan) == 2)
      let rex = RowAddress(table: 0, key: 1)
      #expect(try reader.values(of: rex) == [.string("Rex"), .int(1), .null, .null, .null])
      #expect(try reader.count(2, of: rex) == 2)
      #expect(try reader.keys(3, of: rex) == ["a", "b"])
      #expect(try reader.elements(3, of: rex) == [.string("y"), .string("x")])
      let link = Mixed.link(ObjectLink(objectType: "Dog", key: ObjectKey(1)))
      #expect(try reader.elements(4, of: RowAddress(table: 0, key: 0)) == [link, link])
      #expect(try reader.keys(of: plan, among: [1, 0]) == [0, 1])
      #expect(try reader.values(of: RowAddress(table: 0, key: 9)) == nil)
    }
  }

  @Test func `the changes between two states are read by the newer one`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let first = try temporary.store.pin()
    try await temporary.create("Dog", #"{"name": "Rex", "age": 1}"#)
    try await temporary.perform(temporary.patch("Dog", .string("Rex"), #"{"age": 2}"#))
    var operations: [LoggedChange.Operation] = []
    try temporary.store.pin().read { reader throws(StorageError) in
      try reader.forEachChange(after: first.version) { operations.append($0.operation) }
    }
    #expect(operations == [.insert, .update])
  }
}
