import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

/// Whole objects: which properties may be there, and which must.
@Suite struct DraftTests {
  private static let person = ObjectType(
    name: "Person",
    properties: [
      Property(name: "_id", type: .one(.int, optional: false)),
      Property(name: "name", type: .one(.string, optional: false)),
      Property(name: "nick", type: .one(.string, optional: true)),
      Property(name: "rank", type: .one(.int, optional: false), defaultValue: .int64(3)),
      Property(name: "tags", type: .list(.string, optional: false), defaultValue: .array([.string("new")])),
      Property(name: "friends", type: .set(.int, optional: false)),
      Property(name: "back", type: .linkingObjects(objectType: "Person", property: "x")),
    ], primaryKey: "_id")
  private static let note = ObjectType(
    name: "Note", properties: [Property(name: "text", type: .one(.string, optional: true))])

  private func draft(
    _ objectType: ObjectType, _ value: Plain, mode: ObjectType.DraftMode
  ) throws(ValidationError) -> ObjectDraft {
    try objectType.draft(from: value.value, in: AllTypesSchema.schema, mode: mode)
  }

  private static let rank = ObjectDraft.Assignment(property: 3, value: .value(.int(3)))
  private static let tags = ObjectDraft.Assignment(property: 4, value: .list([.value(.string("new"))]))

  @Test func `a creation gets the schema's defaults, in the order of the class`() throws {
    #expect(
      try draft(Self.person, ["name": "Ann", "_id": 1], mode: .create)
        == ObjectDraft(assignments: [
          .init(property: 0, value: .value(.int(1))), .init(property: 1, value: .value(.string("Ann"))),
          Self.rank, Self.tags,
        ]))
    #expect(
      try draft(Self.person, ["_id": 1, "name": "Ann", "tags": [], "nick": nil, "rank": 0], mode: .create)
        == ObjectDraft(assignments: [
          .init(property: 0, value: .value(.int(1))), .init(property: 1, value: .value(.string("Ann"))),
          .init(property: 2, value: .value(.null)), .init(property: 3, value: .value(.int(0))),
          .init(property: 4, value: .list([])),
        ]))
  }

  @Test func `a replacement may leave out its primary key`() throws {
    #expect(
      try draft(Self.person, ["name": "Ann"], mode: .replace())
        == ObjectDraft(assignments: [
          .init(property: 1, value: .value(.string("Ann"))), Self.rank, Self.tags,
        ]))
    #expect(throws: ValidationError([ValidationProblem(pointer: "/name", .missing)])) {
      try draft(Self.person, ["_id": 1], mode: .replace())
    }
  }

  @Test func `an update is only what it gives, until it is completed`() throws {
    let update = try draft(Self.person, ["nick": "A", "_id": 1], mode: .update)
    #expect(
      update
        == ObjectDraft(assignments: [
          .init(property: 0, value: .value(.int(1))), .init(property: 2, value: .value(.string("A"))),
        ]))
    #expect(throws: ValidationError([ValidationProblem(pointer: "/name", .missing)])) {
      try Self.person.complete(update, in: AllTypesSchema.schema)
    }
    let whole = try draft(Self.person, ["name": "Ann", "_id": 1], mode: .update)
    #expect(
      try Self.person.complete(whole, in: AllTypesSchema.schema)
        == draft(Self.person, ["name": "Ann", "_id": 1], mode: .create))
  }

  @Test func `all problems are named at once, in order`() {
    let expected = ValidationError([
      ValidationProblem(pointer: "/colour", .unknownProperty),
      ValidationProblem(pointer: "/rank", .wrongType(expected: .one(.int, optional: false), found: .string)),
      ValidationProblem(pointer: "/friends/1", .null),
      ValidationProblem(pointer: "/back", .readOnly),
      ValidationProblem(pointer: "/_key", .unknownProperty),
      ValidationProblem(pointer: "/_id", .missing),
      ValidationProblem(pointer: "/name", .missing),
    ])
    #expect(throws: expected) {
      try draft(
        Self.person, ["colour": 1, "rank": "x", "friends": [1, nil], "back": [], "_key": 1], mode: .create)
    }
  }

  @Test func `a repeated property is a problem`() {
    #expect(throws: ValidationError([ValidationProblem(pointer: "/name", .repeatedProperty)])) {
      try draft(Self.person, ["_id": 1, "name": "a", "rank": 1, "name": "b"], mode: .create)
    }
    #expect(throws: ValidationError([ValidationProblem(pointer: "/text", .repeatedProperty)])) {
      try draft(Self.note, ["text": "a", "text": "a"], mode: .create)
    }
  }

  @Test func `so many problems and no more`() {
    let value = Value.document(Document((0..<200).map { .init(key: "x\($0)", value: .null) }))
    let expected = (0..<100).map { ValidationProblem(pointer: "/x\($0)", .unknownProperty) }
    #expect(throws: ValidationError(expected)) {
      try Self.note.draft(from: value, in: AllTypesSchema.schema, mode: .create)
    }
  }

  @Test(
    arguments: [
      (nil, .null), ([], .array), ("x", .string), (1, .int),
    ] as [(Plain, ValueKind)])
  func `an object is a document`(value: Plain, kind: ValueKind) {
    let expected = ValidationError([ValidationProblem(pointer: "", .notADocument(found: kind))])
    #expect(throws: expected) { try draft(Self.note, value, mode: .create) }
    #expect(throws: expected) { try Self.note.patch(from: value.value, in: AllTypesSchema.schema) }
  }

  @Test func `an object's key may be asked for where there is no primary key`() throws {
    #expect(try draft(Self.note, [:], mode: .create) == ObjectDraft(assignments: []))
    #expect(
      try draft(Self.note, ["_key": 7, "text": "x"], mode: .create)
        == ObjectDraft(
          key: ObjectKey(7), assignments: [.init(property: 0, value: .value(.string("x")))]))
    #expect(throws: ValidationError([ValidationProblem(pointer: "/_key", .outOfRange(.int))])) {
      try draft(Self.note, ["_key": -1], mode: .create)
    }
    let rule = ValidationRule.wrongType(expected: .one(.int, optional: false), found: .string)
    #expect(throws: ValidationError([ValidationProblem(pointer: "/_key", rule)])) {
      try draft(Self.note, ["_key": "7"], mode: .create)
    }
    #expect(throws: ValidationError([ValidationProblem(pointer: "/_key", .repeatedProperty)])) {
      try draft(Self.note, ["_key": 7, "_key": 8], mode: .create)
    }
  }

  @Test func `properties are taken in any order`() throws {
    let properties = (0..<40).map { Property(name: "p\($0)", type: .one(.int, optional: $0 % 3 == 0)) }
    let objectType = ObjectType(name: "Wide", properties: properties)
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let given = (0..<40).filter { $0 % 3 != 0 || Bool.random(using: &generator) }
      let elements = given.shuffled(using: &generator).map {
        Document.Element(key: "p\($0)", value: .int64(Int64($0)))
      }
      #expect(
        try objectType.draft(from: .document(Document(elements)), in: AllTypesSchema.schema, mode: .create)
          == ObjectDraft(
            assignments: given.map { .init(property: $0, value: .value(.int(Int64($0)))) }))
    }
  }
}
