import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int"}},
   {"name":"Log","primaryKey":"id","properties":{"id":"int","n":"int"}}]
  """

/// The policy of append-only classes, without transactions.
@Suite struct AppendOnlyTablesTests {
  private let file: WrittenFile
  private var tables: AppendOnlyTables { file.parts.base.appendOnly }

  init() throws { file = try WrittenFile(schema, appendOnly: ["Log"]) }

  @Test func `the classes that the options name are append-only`() throws {
    #expect(try !tables.contains(file.table("A")))
    #expect(try tables.contains(file.table("Log")))
    #expect(!tables.isEmpty)
    #expect(try WrittenFile(schema).parts.base.appendOnly.isEmpty)
  }

  @Test func `the newest object is remembered until one of its class changes or the file is rolled back`()
    throws
  {
    let row = try file.add("Log", #"{"id":1,"n":10}"#, id: .int(1))
    // Behind the back of what is remembered.
    let property = try file.property("n", of: "Log")
    try file.parts.objects.assign(.value(.int(11)), to: property, of: row)
    #expect(try tables.last("Log", "n") == .int(10))
    tables.willChange(row)
    #expect(try tables.last("Log", "n") == .int(11))
    _ = try file.add("Log", #"{"id":2,"n":20}"#, id: .int(2))
    #expect(try tables.last("Log", "n") == .int(20))
    tables.restore()
    #expect(try tables.last("Log", "n") == .int(20))
    #expect(try tables.last("Log", "id") == .int(2))
  }

  @Test func `of a class that has no objects, or is not append-only, the file is asked`() throws {
    #expect(try tables.last("Log", "n") == nil)
    let row = try file.add("A", #"{"id":1,"n":10}"#, id: .int(1))
    try file.parts.objects.assign(.value(.int(11)), to: file.property("n", of: "A"), of: row)
    #expect(try tables.last("A", "n") == .int(11))
    #expect(throws: StorageError.unknownClass("B")) { try tables.last("B", "n") }
  }
}
