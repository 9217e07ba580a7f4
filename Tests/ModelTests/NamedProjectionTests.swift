import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct NamedProjectionTests {
  private static func schema(_ projections: String) throws -> Schema {
    let text = """
      [{"name":"A","properties":{"n":"int","b":"B?","l":"A[]"},"projections":\(projections)},\
      {"name":"B","embedded":true,"properties":{"x":"string"}}]
      """
    return try Schema(notation: Value(json: Array(text.utf8)))
  }

  @Test(arguments: [
    (#"{}"#, #"{"P":{"m":"n"}}"#, ["A: projection P added"]),
    (#"{"P":{"m":"n"}}"#, #"{}"#, ["A: projection P removed"]),
    (#"{"P":{"m":"n"}}"#, #"{"P":{"m":"b.x"}}"#, ["A: projection P changed"]),
    (#"{"P":{"m":"n","x":"b.x"}}"#, #"{"P":{"x":"b.x","m":"n"}}"#, ["A: projection P changed"]),
    (#"{"P":{"m":"n"}}"#, #"{"P":{"m":"n"},"Q":{"l":"l.b.x"}}"#, ["A: projection Q added"]),
    (#"{"P":{"m":"n"}}"#, #"{"P":{"m":"n"}}"#, []),
    (#"{"P":"f"}"#, #"{"P":"g"}"#, ["A: projection P changed"]), (#"{"P":"f"}"#, #"{"P":"f"}"#, []),
  ])
  func `a difference names projections, none of them destructive`(
    old: String, new: String, lines: [String]
  ) throws {
    let difference = try Self.schema(old).difference(to: Self.schema(new))
    #expect(difference.changes.map(\.description) == lines)
    #expect(difference.destructive.isEmpty)
  }

  @Test func `the notation is read as it was written`() throws {
    let schema = try Self.schema(#"{"P":{"m":"n","x":"l.b.x"},"Q":{"n":"n"},"R":"f"}"#)
    #expect(schema["A"]?.projections.last == NamedProjection(name: "R", function: "f"))
    #expect(try Schema(notation: schema.notation) == schema)
    #expect(
      schema["A"]?.projections.first
        == NamedProjection(
          name: "P",
          fields: [
            NamedProjection.Field(name: "m", path: "n"), NamedProjection.Field(name: "x", path: "l.b.x"),
          ]))
  }

  @Test func `a projection that shows nothing legal is refused`() {
    let error = SchemaError([
      SchemaProblem(objectType: "A", .brokenProjectionPath(projection: "P", field: "m"))
    ])
    #expect(throws: error) { try Self.schema(#"{"P":{"m":"n.x"}}"#) }
  }
}
