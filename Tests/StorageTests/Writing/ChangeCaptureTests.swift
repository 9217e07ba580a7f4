import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","map":"int{}"}},
   {"name":"Log","primaryKey":"id","properties":{"id":"int","n":"int"}}]
  """

/// Capturing changes before they are made, without the operations that make them.
@Suite struct ChangeCaptureTests {
  private let file: WrittenFile
  private var capture: ChangeCapture { file.parts.capture }

  init() throws { file = try WrittenFile(schema, appendOnly: ["Log"]) }

  private func before(_ entry: ChangeRecorder.Entry?) throws -> [Mixed] {
    try (entry?.before ?? []).map { try ImageReader.value(of: $0.image) }
  }

  private func dictionary(_ entries: (String, Mixed)...) -> Mixed {
    .dictionary(entries.map { Mixed.Entry(key: $0.0, value: $0.1) })
  }

  @Test func `a property is captured before its first change only`() throws {
    let row = try file.add("A", #"{"id":1,"n":10}"#, id: .int(1))
    let property = try file.property("n", of: "A")
    for value in [11, 12] {
      try capture.willChange(property, of: row, id: .int(1))
      try file.parts.objects.assign(.value(.int(Int64(value))), to: property, of: row)
    }
    #expect(capture.entries.count == 1)
    #expect(try before(capture.entries[0]) == [dictionary(("n", .int(10)))])
    #expect(capture.entries[0]?.kind == .updated)
  }

  @Test func `what is created and deleted again never was`() throws {
    let draft = try file.draft("A", #"{"id":1,"n":10}"#)
    let row = try file.parts.objects.makeRow(in: file.table("A"), id: .int(1), for: nil)
    capture.didCreate(row, id: .int(1), from: draft)
    try file.parts.objects.add(row, id: .int(1), draft)
    #expect(capture.draft(of: row) == draft)
    try capture.willDelete(row, id: .int(1))
    #expect(capture.entries.allSatisfy { $0 == nil })
  }

  @Test func `an entry of a map is captured as that entry, unless all of the map was`() throws {
    let row = try file.add("A", #"{"id":1,"n":10,"map":{"a":1}}"#, id: .int(1))
    let map = try file.property("map", of: "A")
    func set(_ key: String, _ value: Int64) throws {
      try capture.change(.key(key), of: map, in: row) { () throws(StorageError) in
        try file.parts.collections.insert([(.key(key), .int(value))], into: map, of: row)
      }
    }
    try set("a", 2)
    try set("b", 3)
    let elements = try #require(capture.entries[0]?.elements.first).record.elements
    #expect(
      elements == [
        ElementChange(.key("a"), before: .int(1), after: .int(2)),
        ElementChange(.key("b"), before: nil, after: .int(3)),
      ])
    try capture.willChange(map, of: row, id: .int(1))
    #expect(capture.entries[0]?.elements.isEmpty == true)
    #expect(try before(capture.entries[0]) == [dictionary(("map", dictionary(("a", .int(1)))))])
  }

  @Test func `objects of append-only classes are told from others`() throws {
    let row = try file.add("Log", #"{"id":1,"n":10}"#, id: .int(1))
    let appendOnly = file.parts.base.appendOnly
    #expect(try appendOnly.last("Log", "n") == .int(10))
    #expect(throws: Never.self) { try capture.forbidAppendOnly() }
    try capture.willChange(file.property("n", of: "Log"), of: row, id: .int(1))
    #expect(throws: StorageError.appendOnlyClass("Log")) { try capture.forbidAppendOnly() }
    try file.parts.objects.assign(.value(.int(11)), to: file.property("n", of: "Log"), of: row)
    #expect(try appendOnly.last("Log", "n") == .int(11))
    #expect(try appendOnly.last("A", "n") == nil)
  }
}
