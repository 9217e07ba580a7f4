import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","list":"int[]","set":"mixed<>","map":"int?{}"}}]
  """

/// The elements of collections as child tables hold them.
@Suite struct CollectionStoreTests {
  private let file: WrittenFile
  private var store: CollectionStore { file.parts.collections }
  private let row: RowAddress

  init() throws {
    file = try WrittenFile(schema)
    row = try file.add("A", #"{"id":1}"#, id: .int(1))
  }

  @Test
  func `elements are inserted with one statement, and an entry of a map takes the place of the one there`()
    throws
  {
    let map = try file.property("map", of: "A")
    try store.insert([(.key("a"), .int(1)), (.key("b"), .null)], into: map, of: row)
    try store.insert([(.key("a"), .int(2))], into: map, of: row)
    #expect(try file.rows(#"SELECT key, value FROM "A.map""#) == ["a|2", "b|null"])
    try store.removeEntry("a", from: map, of: row)
    try store.removeEntry("z", from: map, of: row)
    #expect(try file.rows(#"SELECT key, value FROM "A.map""#) == ["b|null"])
    try store.clear(map, of: row)
    #expect(try file.rows(#"SELECT * FROM "A.map""#) == [])
  }

  @Test func `an element finds its place between two others, and goes from it`() throws {
    let list = try file.location(row, "list")
    try store.insert([(.position(0), .int(1)), (.position(1 << 32), .int(2))], into: list.property, of: row)
    let free = try store.freePositions(1, before: 1, in: list)
    #expect(free == [1 << 31])
    try store.insert([(.position(free[0]), .int(3))], into: list.property, of: row)
    try store.didInsert(at: free, into: list, count: 3)
    let values = #"SELECT value FROM "A.list" ORDER BY position"#
    #expect(try file.rows(values) == ["1", "3", "2"])
    try store.moveElement(from: 0, to: store.freePositions(1, before: 3, in: list)[0], in: list)
    #expect(try file.rows(values) == ["3", "2", "1"])
    try store.removeElement(at: free[0], from: list)
    #expect(try file.rows(values) == ["2", "1"])
  }

  @Test func `a set has a value once, whatever its numeric type`() throws {
    let set = try file.location(row, "set")
    for value in [Mixed.int(1), .double(1), .string("1"), .int(1)] {
      try store.insert([(.unordered, value)], into: set.property, of: row)
    }
    #expect(try store.members(of: set) == [.int(1), .string("1")])
    try store.removeMember(.double(1), from: set)
    #expect(try store.members(of: set) == [.string("1")])
  }
}
