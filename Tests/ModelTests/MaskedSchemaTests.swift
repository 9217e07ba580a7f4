import GatehouseBSON
import GatehouseModel
import Testing

/// The schema as somebody knows it from whom some properties are hidden.
@Suite struct MaskedSchemaTests {
  private static let whole = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","secret":{"type":"string","default":"x"},\
    "topic":"Topic?","code":"int","n":"int"},\
    "indexes":[{"properties":["n","-code"]},{"properties":["n"]}],\
    "projections":{"Card":{"n":"n","s":"secret"},"Bare":{"s":"secret"},"Named":{"t":"topic.name"}}},\
    {"name":"Topic","properties":{"name":"string","rank":"int",\
    "notes":{"type":"linkingObjects","objectType":"Note","property":"topic"}},\
    "projections":{"Ranks":{"r":"rank","c":"notes.code"}}}]
    """

  private func masked(_ hidden: [String: [String]]) throws -> (whole: Schema, masked: Schema) {
    let whole = try Schema(notation: Value(json: Self.whole))
    var positions: [String: Set<Int>] = [:]
    for (name, properties) in hidden {
      let type = try #require(whole[name])
      positions[name] = Set(properties.compactMap { type.index(of: $0) })
    }
    return (whole, whole.masked(hiding: positions))
  }

  @Test(arguments: [
    (
      ["Note": ["secret", "code"]],
      """
      [{"name":"Note","primaryKey":"id","properties":{"id":"int","topic":"Topic?","n":"int"},\
      "indexes":[{"properties":["n"]}],"projections":{"Card":{"n":"n"},"Named":{"t":"topic.name"}}},\
      {"name":"Topic","properties":{"name":"string","rank":"int",\
      "notes":{"type":"linkingObjects","objectType":"Note","property":"topic"}},\
      "projections":{"Ranks":{"r":"rank"}}}]
      """
    ),
    (
      ["Note": ["topic"], "Topic": ["rank"]],
      """
      [{"name":"Note","primaryKey":"id","properties":{"id":"int","secret":{"type":"string","default":"x"},\
      "code":"int","n":"int"},"indexes":[{"properties":["n","-code"]},{"properties":["n"]}],\
      "projections":{"Card":{"n":"n","s":"secret"},"Bare":{"s":"secret"}}},\
      {"name":"Topic","properties":{"name":"string"}}]
      """
    ),
  ])
  func `nothing that is left names what is hidden`(hidden: [String: [String]], notation: String) throws {
    let (whole, masked) = try masked(hidden)
    let expected = try Schema(notation: Value(json: notation))
    #expect(masked.notation == expected.notation)
    #expect(masked.whole == whole && masked != whole && masked.mask != whole.mask)
    for type in masked.objectTypes {
      for (index, property) in type.properties.enumerated() {
        // Positions stay, and lead to the same properties.
        #expect(whole[type.name]?.properties[index] == property)
        #expect(type.index(of: property.name) == (type.hidden.contains(index) ? nil : index))
      }
    }
  }

  @Test func `what is hidden alike is one schema`() throws {
    let (whole, masked) = try masked(["Note": ["code"]])
    let again = whole.masked(hiding: ["Note": [3], "Topic": []])
    #expect(again == masked && again.mask == masked.mask)
    #expect(masked.unshared == masked && masked.unshared["Note"]?.hidden == [3])
    #expect(whole.masked(hiding: ["Note": []]) == whole)
    #expect(whole.masked(hiding: ["Note": [1]]) != masked)
  }

  @Test func `what is hidden has its default, and is no member of a content`() throws {
    let (_, masked) = try masked(["Note": ["secret", "code"]])
    let type = try #require(masked["Note"])
    let draft = try type.draft(from: Value(json: #"{"id":1,"n":2}"#), in: masked, mode: .create)
    #expect(draft.assignments.map(\.property) == [0, 1, 4])
    #expect(draft.assignments[1].value == .value(.string("x")))
    for json in [#"{"id":1,"n":2,"secret":"y"}"#, #"{"id":1,"secret":"y","n":2}"#] {
      let problem = ValidationProblem(pointer: "/secret", .unknownProperty)
      #expect(throws: ValidationError([problem])) {
        try type.draft(from: Value(json: json), in: masked, mode: .create)
      }
      #expect(throws: ValidationError([problem])) { try type.patch(from: Value(json: json), in: masked) }
    }
    #expect(throws: ValidationError.self) {
      try type.edit(fromOperators: Value(json: #"{"$set":{"secret":"y"}}"#), in: masked)
    }
  }
}
