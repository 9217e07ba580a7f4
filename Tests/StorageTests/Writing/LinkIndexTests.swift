import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{
     "id":"int","one":"A?","list":"A[]","map":"A?{}","any":"mixed","inside":"E?"}},
   {"name":"E","embedded":true,"properties":{"one":"A?"}},
   {"name":"K","properties":{"n":"int"}}]
  """

/// Links by their targets, and links to what must still come.
@Suite struct LinkIndexTests {
  private let file: WrittenFile
  private var links: LinkIndex { file.parts.links }

  init() throws { file = try WrittenFile(schema) }

  private func link(_ property: String, of objectType: String = "A") throws -> Catalog.IncomingLink {
    Catalog.IncomingLink(
      table: try file.table(objectType), property: try file.property(property, of: objectType))
  }

  @Test func `a link to an object that is not there has a negative key until it is`() throws {
    let first = try file.add("A", #"{"id":1,"one":2,"list":[2,3,2],"any":{"$ref":"A","$id":2}}"#, id: .int(1))
    #expect(try file.rows("SELECT one FROM A") == ["-1"])
    #expect(try file.rows(#"SELECT value FROM "A.list" ORDER BY position"#) == ["-1", "-2", "-1"])
    #expect(!links.isComplete)
    let target = ForwardReferences.Target(table: first.table, identifier: .int(2))
    let reference = try #require(links.takeReference(to: target))
    try links.resolve(reference, to: file.add("A", #"{"id":2}"#, id: .int(2)))
    #expect(try file.rows("SELECT one FROM A ORDER BY _key") == ["1", "null"])
    #expect(try file.rows(#"SELECT value FROM "A.list" ORDER BY position"#) == ["1", "-2", "1"])
    #expect(try file.rows("SELECT * FROM _mixed_links") == ["A|1|A|0|any"])
    let missing = StorageError.linkTargetNotFound(objectType: "A", primaryKey: .int(3))
    #expect(links.missingTarget == OperationError(operation: 0, reason: missing))
    links.begin()
    #expect(links.isComplete)
  }

  @Test func `an object of a class without primary key is linked to by the key that it will have`() throws {
    var counters = file.parts.objects.counters
    let table = try file.table("K")
    let layout = file.statements.catalog.tables[0].properties[try file.property("any", of: "A")]
    func key(_ identifier: Mixed) throws -> Int64 {
      let target = ForwardReferences.Target(table: table, identifier: identifier)
      return try links.key(of: target, in: layout, of: file.row("A", 0), &counters)
    }
    #expect(try key(.int(4)) == 4)
    #expect(counters.nextKey[table] == 5)
    #expect(throws: StorageError.linkTargetNotFound(objectType: "K", primaryKey: .int(-1))) {
      try key(.int(-1))
    }
  }

  @Test func `owners, entries and elements are found from the side of the target`() throws {
    let target = try file.add("A", #"{"id":1}"#, id: .int(1))
    let owner = try file.add(
      "A", #"{"id":2,"one":1,"list":[2,1],"map":{"a":1,"b":null},"any":[{"$ref":"A","$id":1}]}"#, id: .int(2))
    #expect(try links.owners(of: link("one"), to: target.key) == [owner])
    #expect(try links.entries(of: link("map"), to: target.key).map(\.place) == ["a"])
    #expect(try links.elements(of: link("list"), to: target.key).map(\.place) == [1 << 32])
    #expect(try links.mixed.owners(of: target).map(\.row) == [owner])
    try links.unlink(target.key, from: link("one"))
    try links.mixed.unlink(target, from: file.property("any", of: "A"), of: owner)
    try links.mixed.remove(to: target)
    #expect(try links.owners(of: link("one"), to: target.key) == [])
    #expect(try file.rows("SELECT * FROM _mixed_links") == [])
  }

  @Test func `the root of an embedded object is the object that holds it`() throws {
    let target = try file.add("A", #"{"id":1}"#, id: .int(1))
    let owner = try file.add("A", #"{"id":2,"inside":{"one":1}}"#, id: .int(2))
    let embedded = try #require(try links.owners(of: link("one", of: "E"), to: target.key).first)
    let root = try #require(try links.root(of: file.property("one", of: "E"), in: embedded))
    #expect(root.row == owner)
    #expect(try root.property == file.property("inside", of: "A"))
  }
}
