import GatehouseBSON
import GatehouseModel
import Testing

/// Values that are made anew for each object.
@Suite struct GeneratedValueTests {
  private static func schema(_ properties: String, primaryKey: String = "_id") throws -> Schema {
    try Schema(
      notation: try Value(
        json: #"[{"name": "A", "primaryKey": "\#(primaryKey)", "properties": {\#(properties)}}]"#))
  }

  private func values(_ draft: ObjectDraft) -> [Int: Mixed] {
    Dictionary(
      uniqueKeysWithValues: draft.assignments.compactMap { assignment in
        if case .value(let value) = assignment.value { (assignment.property, value) } else { nil }
      })
  }

  @Test(arguments: [
    #""_id": "objectId", "t": "string?""#, #""_id": "uuid", "t": "string?""#,
    #""_id": {"type": "objectId", "default": "objectId"}, "t": "string?""#,
    #""t": "string?", "_id": {"type": "uuid", "default": "uuid"}"#,
  ])
  func `a primary key that is left out is a new one`(properties: String) throws {
    let schema = try Self.schema(properties)
    #expect(try Schema(notation: schema.notation) == schema)
    let type = schema.objectTypes[0]
    let key = try #require(type.primaryKeyIndex)
    for mode in [ObjectType.DraftMode.create, .update] {
      let drafts = try (0..<100).map { _ in try type.draft(from: ["t": .string("x")], in: schema, mode: mode)
      }
      #expect(Set(drafts.map { values($0)[key] }).count == 100)
      for draft in drafts {
        #expect(draft.assignments.map(\.property) == [0, 1])
        #expect(draft.generated == [key])
      }
    }
    // The object that a URL names has its identifier.
    let replacing = try type.draft(from: ["t": .string("x")], in: schema, mode: .replace())
    #expect(values(replacing)[key] == nil)
  }

  @Test func `a key that is given is kept, null is none, and other types must be given`() throws {
    let schema = try Self.schema(#""_id": "uuid""#)
    let given = UUID.random()
    let draft = try schema.objectTypes[0].draft(from: ["_id": .uuid(given)], in: schema, mode: .create)
    #expect(values(draft) == [0: .uuid(given)])
    #expect(draft.generated == [])
    #expect(throws: ValidationError.self) {
      try schema.objectTypes[0].draft(from: ["_id": .null], in: schema, mode: .create)
    }
    for properties in [#""_id": "int""#, #""_id": "string""#] {
      let schema = try Self.schema(properties)
      #expect(throws: ValidationError([ValidationProblem(pointer: "/_id", .missing)])) {
        try schema.objectTypes[0].draft(from: [:], in: schema, mode: .create)
      }
    }
    let optional = try Self.schema(#""_id": "objectId?""#)
    #expect(try optional.objectTypes[0].draft(from: [:], in: optional, mode: .create).assignments == [])
  }

  @Test func `defaults that are words are of each object's own`() throws {
    let schema = try Self.schema(
      #"""
      "_id": "int", "made": {"type": "date", "default": "now"}, "o": {"type": "objectId", "optional": true, "default": "objectId"},
      "u": {"type": "uuid", "default": "uuid"}, "s": {"type": "string", "default": "now"}
      """#)
    let type = schema.objectTypes[0]
    let before = Date.now
    let drafts = try (0..<2).map { id in try type.draft(from: ["_id": .int32(id)], in: schema, mode: .create)
    }
    for draft in drafts {
      guard case .date(let made)? = values(draft)[1] else { return #expect(Bool(false), "\(draft)") }
      #expect(made.seconds >= before.seconds && made.seconds <= Date.now.seconds)
      #expect(values(draft)[4] == .string("now"))
      #expect(draft.generated == [1, 2, 3])
    }
    #expect(values(drafts[0])[2] != values(drafts[1])[2])
    #expect(values(drafts[0])[3] != values(drafts[1])[3])
  }

  @Test(arguments: [
    #""_id": {"type": "int", "default": "now"}"#, #""_id": {"type": "int", "default": 1}"#,
    #""_id": {"type": "string", "default": "uuid"}"#,
    #""_id": "int", "d": {"type": "date", "default": "uuid"}"#,
    #""_id": "int", "d": {"type": "date", "default": "Now"}"#,
    #""_id": "int", "d": {"type": "list", "objectType": "date", "default": "now"}"#,
    #""_id": "int", "u": {"type": "uuid", "default": "objectId"}"#,
    #""_id": "int", "n": {"type": "int", "default": "autoincrement"}"#,
    #""_id": {"type": "string", "default": "autoincrement", "minLength": 20}"#,
  ])
  func `other words are no defaults`(properties: String) {
    #expect(throws: SchemaError.self) { try Self.schema(properties) }
  }

  @Test func `an identifier that is new and required would leave objects without one`() throws {
    let old = try Self.schema(#""_id": "int""#)
    let changes: [(String, Bool)] = [
      (#""_id": "int", "u": {"type": "uuid", "default": "uuid"}"#, true),
      (#""_id": "int", "u": {"type": "uuid", "optional": true, "default": "uuid"}"#, false),
      (#""_id": "int", "d": {"type": "date", "default": "now"}"#, false),
    ]
    for (properties, isDestructive) in changes {
      let difference = old.difference(to: try Self.schema(properties))
      #expect(difference.changes.map(\.isDestructive) == [isDestructive], "\(properties)")
    }
    let without = try Self.schema(#""_id": "int", "d": "date?""#)
    let with = try Self.schema(#""_id": "int", "d": {"type": "date", "optional": true, "default": "now"}"#)
    #expect(
      without.difference(to: with).changes.map(\.description)
        == with.difference(to: without).changes.map(\.description))
    #expect(without.difference(to: with).changes.count == 1)
  }
}
