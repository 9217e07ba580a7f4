import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{
     "id":"int","text":"string?","other":"A?","inside":"E?","list":"int[]","set":"string?<>","map":"E?{}",
     "any":"mixed"}},
   {"name":"E","embedded":true,"properties":{"n":"int","tags":"string[]"}},
   {"name":"K","properties":{"n":"int"}}]
  """

/// Rows, embedded objects, elements and counters, without anything that is captured or logged of them.
@Suite struct ObjectStoreTests {
  private let file: WrittenFile

  init() throws { file = try WrittenFile(schema) }

  private func value(of property: String, in json: String) throws -> DraftValue {
    let index = try file.property(property, of: "A")
    return try #require(file.draft("A", json).assignments.first { $0.property == index }?.value)
  }

  @Test func `a new object is a row, one for each embedded object, and one for each element`() throws {
    _ = try file.add(
      "A",
      #"""
      {"id":7,"text":"x","inside":{"n":1,"tags":["a"]},"list":[3,1],"set":["b",null,"b"],"map":{"k":{"n":2},"l":null}}
      """#, id: .int(7))
    #expect(try file.rows("SELECT _key, _version, id, text, other, inside FROM A") == ["0|2|7|x|null|0"])
    #expect(try file.rows("SELECT _key, n FROM E") == ["0|1", "1|2"])
    #expect(try file.rows(#"SELECT * FROM "E.tags""#) == ["0|0|a"])
    #expect(try file.rows(#"SELECT * FROM "A.list""#) == ["0|0|3", "0|4294967296|1"])
    #expect(try file.rows(#"SELECT * FROM "A.set" ORDER BY value"#) == ["0|null", "0|b"])
    #expect(try file.rows(#"SELECT * FROM "A.map" ORDER BY key"#) == ["0|k|1", "0|l|null"])
    #expect(file.parts.objects.counters.count == [1, 0, 0])
    #expect(file.parts.objects.counters.nextKey == [1, 2, 0])
  }

  @Test func `a primary key that is taken is refused before anything is written`() throws {
    _ = try file.add("A", #"{"id":7}"#, id: .int(7))
    #expect(throws: StorageError.objectExists(objectType: "A", id: .int(7))) {
      try file.add("A", #"{"id":7,"list":[1]}"#, id: .int(7))
    }
    #expect(try file.rows("SELECT _key FROM A") == ["0"])
    #expect(try file.rows(#"SELECT * FROM "A.list""#) == [])
    #expect(file.parts.objects.counters.count == [1, 0, 0])
  }

  @Test func `deleting an object takes everything along that belongs to it`() throws {
    let row = try file.add(
      "A", #"{"id":7,"inside":{"n":1,"tags":["a"]},"list":[3],"set":["b"],"map":{"k":{"n":2}}}"#, id: .int(7))
    try file.parts.objects.delete(row)
    for table in ["A", "E", #""E.tags""#, #""A.list""#, #""A.set""#, #""A.map""#] {
      #expect(try file.rows("SELECT * FROM \(table)") == [], "\(table)")
    }
    #expect(file.parts.objects.counters.count == [0, 0, 0])
    #expect(file.parts.objects.counters.nextKey == [1, 2, 0])
  }

  @Test func `assigning puts a value in the place of another, with what belonged to it`() throws {
    let row = try file.add("A", #"{"id":7,"inside":{"n":1,"tags":["a"]},"list":[1,2]}"#, id: .int(7))
    for (property, json) in [
      ("inside", #"{"id":7,"inside":{"n":5,"tags":[]}}"#), ("list", #"{"id":7,"list":[9]}"#),
    ] {
      try file.parts.objects.assign(
        value(of: property, in: json), to: file.property(property, of: "A"), of: row)
    }
    #expect(try file.rows("SELECT A.inside, E._key, E.n FROM A JOIN E") == ["1|1|5"])
    #expect(try file.rows(#"SELECT * FROM "E.tags""#) == [])
    #expect(try file.rows(#"SELECT * FROM "A.list""#) == ["0|0|9"])
  }

  @Test func `keys go up from the largest that was named, and none is given twice`() throws {
    #expect(try file.add("K", #"{"n":1}"#, id: .int(5)).key == 5)
    #expect(file.parts.objects.nextRow(in: try file.table("K")).key == 6)
    #expect(throws: StorageError.keyOutOfRange(-1)) {
      try file.parts.objects.makeRow(in: 2, id: .int(-1), for: nil)
    }
    #expect(throws: StorageError.keyOutOfRange((1 << 62) + 1)) {
      try file.parts.objects.makeRow(in: 2, id: .int((1 << 62) + 1), for: nil)
    }
  }

  @Test func `counters go to the file, and are taken back with it`() throws {
    let before = file.parts.objects.counters
    _ = try file.add("A", #"{"id":7}"#, id: .int(7))
    try file.parts.objects.storeCounters()
    let counters = "SELECT name, next_key, objects FROM _classes ORDER BY name"
    #expect(try file.rows(counters) == ["A|1|1", "E|0|0", "K|0|0"])
    file.parts.objects.restore(before)
    #expect(file.parts.objects.counters.count == [0, 0, 0])
  }
}
