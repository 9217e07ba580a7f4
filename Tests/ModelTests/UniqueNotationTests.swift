import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct UniqueNotationTests {
  private func schema(_ unique: String, name: String = #""string""#) throws -> Schema {
    try Schema(
      notation: Value(
        json: """
          [{"name":"C","primaryKey":"id","properties":{"id":"int","name":\(name),"country":"C","part":"E","any":"mixed",
            "raw":"data","tags":"string[]"},"unique":\(unique)},
           {"name":"E","embedded":true,"properties":{"x":"int"}}]
          """))
  }

  @Test func `what is unique is written as it is read`() throws {
    let unique = #"[["name","country"],["country"]]"#
    let schema = try schema(unique, name: #"{"type":"string","unique":true}"#)
    guard case .array(let classes) = schema.notation, case .document(let first)? = classes.first else {
      Issue.record("no notation")
      return
    }
    #expect(first["unique"] == (try Value(json: unique)))
    #expect(schema["C"]?["name"]?.notation == (try Value(json: #"{"type":"string","unique":true}"#)))
    #expect(try Schema(notation: schema.notation) == schema)
    #expect(schema["C"]?.uniqueKeys == [[1], [1, 2], [2]])
    #expect(schema.unshared["C"]?.uniqueKeys == [[1], [1, 2], [2]])
  }

  @Test(
    arguments: [
      ("{}", [.memberOfWrongType("unique")]), ("[{}]", [.memberOfWrongType("unique")]),
      ("[[1]]", [.memberOfWrongType("unique")]), (#"[["nome"]]"#, [.unknownUniqueProperty("nome")]),
      ("[[]]", [.malformedUniqueKey]), (#"[["name","name"]]"#, [.malformedUniqueKey]),
      (#"[["name","id"],["id","name"]]"#, [.malformedUniqueKey]),
      (#"[["any"]]"#, [.uniqueNotAllowed("any")]), (#"[["name","raw"]]"#, [.uniqueNotAllowed("raw")]),
      (#"[["part"]]"#, [.uniqueNotAllowed("part")]), (#"[["tags"]]"#, [.uniqueNotAllowed("tags")]),
    ] as [(String, [SchemaRule])])
  func `what cannot be unique is refused`(unique: String, rules: [SchemaRule]) throws {
    #expect(throws: SchemaError(rules.map { SchemaProblem(objectType: "C", property: nil, $0) })) {
      try schema(unique)
    }
  }

  @Test(
    arguments: [
      (#"{"type":"mixed","unique":true}"#, .uniqueNotAllowed("name")),
      (#"{"type":"string[]","unique":true}"#, .uniqueNotAllowed("name")),
      (#"{"type":"string","unique":1}"#, .memberOfWrongType("unique")),
    ] as [(String, SchemaRule)])
  func `nor what a property says`(name: String, rule: SchemaRule) throws {
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", property: "name", rule)])) {
      try schema("[]", name: name)
    }
  }

  @Test func `what becomes unique, and what no longer is, is a change that loses nothing`() throws {
    let before = try schema(#"[["name","country"]]"#)
    let after = try schema(
      #"[["country","name"],["country","id"]]"#, name: #"{"type":"string","unique":true}"#)
    #expect(
      before.difference(to: after).changes.map(\.description) == ["C: name unique", "C: country, id unique"])
    #expect(
      after.difference(to: before).changes == [
        .uniqueRemoved(objectType: "C", properties: ["name"]),
        .uniqueRemoved(objectType: "C", properties: ["country", "id"]),
      ])
    #expect(before.difference(to: after).destructive.isEmpty)
  }

  @Test func `whoever does not see a property is not told that it is unique together with others`() throws {
    let schema = try schema(#"[["name","country"],["id","name"]]"#)
    #expect(schema.masked(hiding: ["C": [2]])["C"]?.uniqueKeys == [[0, 1]])
  }

  @Test func `a property keeps its rules under another name`() throws {
    let schema = try schema(#"[["name","country"]]"#, name: #"{"type":"string","unique":true}"#)
    let renamed = schema.renaming(PropertyRename(objectType: "C", from: "name", to: "title"))
    #expect(renamed["C"]?.uniqueKeys == [[1], [1, 2]])
    #expect(renamed["C"]?["title"]?.isUnique == true)
  }
}
