import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct IndexNotationTests {
  /// A class with these indexes.
  private func schema(_ indexes: String, properties: String? = nil) throws -> Schema {
    let properties =
      properties
      ?? #""name":"string","country":"C?","population":"int","part":"E?","any":"mixed","raw":"data","tags":"string[]""#
    return try Schema(
      notation: Value(
        json: """
          [{"name":"C","properties":{\(properties)},"indexes":\(indexes)},
           {"name":"E","embedded":true,"properties":{"x":"int"}}]
          """))
  }

  @Test(arguments: [
    #"[{"properties":["country","-population"]}]"#, #"[{"properties":["name.@folded"]}]"#,
    #"[{"properties":["tags"]},{"properties":["name","name.@folded","-country"]}]"#,
  ])
  func `indexes are written as they are read`(indexes: String) throws {
    let schema = try schema(indexes)
    guard case .array(let classes) = schema.notation, case .document(let first)? = classes.first else {
      Issue.record("no notation")
      return
    }
    #expect(first["indexes"] == (try Value(json: indexes)))
    #expect(try Schema(notation: schema.notation) == schema)
  }

  @Test(
    arguments: [
      (#"{}"#, [.memberOfWrongType("indexes")]), (#"[[]]"#, [.memberOfWrongType("indexes")]),
      (#"[{}]"#, [.memberMissing("properties")]), (#"[{"properties":[]}]"#, [.indexEmpty]),
      (#"[{"properties":"name"}]"#, [.memberOfWrongType("properties")]),
      (#"[{"properties":[1,"name"]}]"#, [.memberOfWrongType("properties")]),
      (#"[{"properties":["nome"]}]"#, [.unknownIndexedProperty("nome")]),
      (#"[{"properties":["name"],"unique":true}]"#, [.memberUnknown("unique")]),
      (#"[{"properties":["part"]}]"#, [.illegalIndexKey("part")]),
      (#"[{"properties":["any"]}]"#, [.illegalIndexKey("any")]),
      (#"[{"properties":["raw"]}]"#, [.illegalIndexKey("raw")]),
      (#"[{"properties":["population.@folded"]}]"#, [.illegalIndexKey("population")]),
      (#"[{"properties":["tags","name"]}]"#, [.illegalIndexKey("tags")]),
      (#"[{"properties":["-tags"]}]"#, [.illegalIndexKey("tags")]),
      (#"[{"properties":["name","-name"]}]"#, [.indexKeyRepeated("name")]),
      (#"[{"properties":["-name"]},{"properties":["-name"]}]"#, [.indexRepeated(["-name"])]),
    ] as [(String, [SchemaRule])])
  func `what is no index is refused`(indexes: String, rules: [SchemaRule]) throws {
    #expect(throws: SchemaError(rules.map { SchemaProblem(objectType: "C", $0) })) { try schema(indexes) }
  }

  @Test func `a class has 32 indexes of 8 keys at most`() throws {
    let names = (0...32).map { "p\($0)" }
    let properties = names.map { #""\#($0)":"int""# }.joined(separator: ",")
    let many = names.map { #"{"properties":["\#($0)"]}"# }.joined(separator: ",")
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", .tooManyIndexes(limit: 32))])) {
      try schema("[\(many)]", properties: properties)
    }
    let long = names.prefix(9).map { #""\#($0)""# }.joined(separator: ",")
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", .tooManyIndexKeys(limit: 8))])) {
      try schema(#"[{"properties":[\#(long)]}]"#, properties: properties)
    }
  }

  @Test func `a difference names indexes by their keys, and a rename is none`() throws {
    let old = try schema(#"[{"properties":["country","-population"]},{"properties":["name"]}]"#)
    let new = try schema(#"[{"properties":["name"]},{"properties":["name.@folded"]}]"#)
    let difference = old.difference(to: new)
    #expect(
      difference.changes.map(\.description) == [
        "C: index over name.@folded added", "C: index over country, -population removed",
      ])
    #expect(difference.destructive.isEmpty)
    let renamed = old.renaming(PropertyRename(objectType: "C", from: "name", to: "title"))
    #expect(old.difference(to: renamed).changes.map(\.description) == ["C.name: is called title"])
    #expect(renamed["C"].map { type in type.indexes.map { type.words(of: $0) } }?.last == ["title"])
  }
}
