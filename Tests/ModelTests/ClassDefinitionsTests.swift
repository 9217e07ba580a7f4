import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct ClassDefinitionsTests {
  private static let schema = """
    [{"name":"City","primaryKey":"_id","properties":{"_id":"objectId","name":"string","area":"float?","mayor":"Person",\
    "homes":"Home[]","labels":"string?{}","founded":{"type":"date","default":"now"}}},\
    {"name":"Home","embedded":true,"properties":{"street":"string","next":"Home"}},\
    {"name":"Unused","embedded":true,"properties":{"x":"int"}},\
    {"name":"Person","properties":{"any":"mixed","cities":{"type":"linkingObjects","objectType":"City","property":"mayor"}}}]
    """

  private func definitions(
    _ uses: [ClassDefinitions.Use], hiding hidden: [String: Set<Int>] = [:], fixed: [String: Set<Int>] = [:]
  ) throws -> Document {
    let schema = try Schema(notation: Value(json: Self.schema)).masked(hiding: hidden)
    return ClassDefinitions(schema, fixed: fixed, at: "#/$defs/").definitions(of: [("City", uses)])
  }

  private func text(_ value: Value?) -> String {
    value.map { String(decoding: $0.plainJSON, as: UTF8.self) } ?? ""
  }

  private func names(_ value: Value?, _ member: String) -> [String] {
    guard case .document(let document)? = value, case .document(let members)? = document[member] else {
      return []
    }
    return members.elements.map(\.key)
  }

  @Test func `an object as answers show it has all its properties`() throws {
    let definitions = try definitions([.read])
    #expect(definitions.elements.map(\.key) == ["type.double", "City", "Home"])
    #expect(
      text(definitions["City"])
        == #"{"title":"City","type":"object","properties":{"#
        + ##""_id":{"type":"string","pattern":"^[0-9a-fA-F]{24}$"},"name":{"type":"string"},"##
        + ##""area":{"anyOf":[{"$ref":"#/$defs/type.double"},{"type":"null"}]},"##
        + #""mayor":{"type":["integer","null"],"format":"int64","minimum":0,"maximum":9223372036854775807,"#
        + #""description":"What identifies Person objects."},"#
        + ##""homes":{"type":"array","items":{"$ref":"#/$defs/Home"}},"##
        + #""labels":{"type":"object","additionalProperties":{"type":["string","null"]}},"#
        + #""founded":{"type":"string","format":"date-time"}},"#
        + #""required":["_id","name","area","mayor","homes","labels","founded"]}"#)
    #expect(
      text(definitions["Home"])
        == #"{"title":"Home","type":"object","properties":{"street":{"type":"string"},"#
        + ##""next":{"anyOf":[{"$ref":"#/$defs/Home"},{"type":"null"}]}},"required":["street","next"]}"##)
  }

  @Test func `an object that is to be created may leave out what the server makes`() throws {
    let definitions = try definitions([.create, .replace, .patch])
    #expect(
      definitions.elements.map(\.key) == [
        "type.double", "City.create", "City.replace", "City.patch", "Home.create",
      ])
    for (name, properties, required) in [
      ("City.create", ["_id", "name", "area", "mayor", "homes", "labels", "founded"], #"["name"]"#),
      ("City.replace", ["name", "area", "mayor", "homes", "labels", "founded"], #"["name"]"#),
      ("City.patch", ["name", "area", "mayor", "homes", "labels", "founded"], ""),
    ] {
      #expect(names(definitions[name], "properties") == properties)
      guard case .document(let definition)? = definitions[name] else {
        Issue.record("no \(name)")
        continue
      }
      #expect(text(definition["required"]) == required)
      #expect(definition["additionalProperties"] == .bool(false))
    }
    // A patch gives a list as a whole, and takes entries out of a map by null.
    #expect(
      text(definitions["City.patch"]).contains(
        ##""homes":{"type":["array","null"],"items":{"$ref":"#/$defs/Home.create"}},"##
          + #""labels":{"type":["object","null"],"additionalProperties":{"type":["string","null"]},"#))
  }

  @Test func `what is hidden is in no definition, and what is fixed in none of contents`() throws {
    let definitions = try definitions([.read, .create], hiding: ["City": [2]], fixed: ["City": [2, 3]])
    #expect(
      names(definitions["City"], "properties") == ["_id", "name", "mayor", "homes", "labels", "founded"])
    #expect(names(definitions["City.create"], "properties") == ["_id", "name", "homes", "labels", "founded"])
    #expect(!text(.document(definitions)).contains("area"))
  }

  @Test(
    arguments: [
      ("City", .read, "City"), ("City", .patch, "City.patch"), ("a_b-1", .read, "a_b-1"),
      ("Größe", .read, "Gr.C3.B6.C3.9Fe"),
      ("a b", .create, "a.20b.create"), ("\u{7F}~", .read, ".7F.7E"), ("日", .read, ".E6.97.A5"),
    ] as [(String, ClassDefinitions.Use, String)])
  func `the name of a definition has letters that OpenAPI allows`(
    objectType: String, use: ClassDefinitions.Use, name: String
  ) {
    #expect(ClassDefinitions.name(of: objectType, for: use) == name)
  }
}
