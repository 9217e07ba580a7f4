import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct PatchTests {
  private static let objectType = ObjectType(
    name: "C",
    properties: [
      Property(name: "id", type: .one(.int, optional: false)),
      Property(name: "nick", type: .one(.string, optional: true)),
      Property(name: "tags", type: .list(.string, optional: false)),
      Property(name: "names", type: .map(.string, optional: true)),
      Property(name: "point", type: .one(.object("Point"), optional: true)),
      Property(name: "friend", type: .one(.object("Person"), optional: true)),
      Property(name: "any", type: .one(.mixed, optional: true)),
      Property(name: "points", type: .map(.object("Point"), optional: true)),
      Property(name: "flags", type: .set(.int, optional: false)),
      Property(name: "back", type: .linkingObjects(objectType: "Person", property: "x")),
    ], primaryKey: "id")

  @Test(
    arguments: [
      ([:], []),
      (["nick": "x"], [.init(property: 1, value: .assign(.value(.string("x"))))]),
      (["nick": nil], [.init(property: 1, value: .assign(.value(.null)))]),
      (
        ["tags": ["a"], "id": 2],
        [
          .init(property: 0, value: .assign(.value(.int(2)))),
          .init(property: 2, value: .assign(.list([.value(.string("a"))]))),
        ]
      ),
      (["tags": nil], [.init(property: 2, value: .assign(.list([])))]),
      (["flags": nil], [.init(property: 8, value: .assign(.list([])))]),
      (["names": nil], [.init(property: 3, value: .assign(.map([])))]),
      (["names": [:]], [.init(property: 3, value: .merge([]))]),
      (
        ["names": ["b": nil, "a": "x"]],
        [
          .init(
            property: 3,
            value: .merge([
              .init(key: "a", value: .value(.string("x"))), .init(key: "b", value: nil),
            ]))
        ]
      ),
      (["point": nil], [.init(property: 4, value: .assign(.value(.null)))]),
      (
        ["point": ["y": 1, "label": nil]],
        [
          .init(
            property: 4,
            value: .patch(
              ObjectPatch(changes: [
                .init(property: 1, value: .assign(.value(.double(1)))),
                .init(property: 2, value: .assign(.value(.null))),
              ])))
        ]
      ),
      (
        ["point": ["next": ["x": 2]]],
        [
          .init(
            property: 4,
            value: .patch(
              ObjectPatch(changes: [
                .init(
                  property: 3,
                  value: .patch(
                    ObjectPatch(changes: [.init(property: 0, value: .assign(.value(.double(2))))])))
              ])))
        ]
      ),
      (
        ["friend": "ann"],
        [.init(property: 5, value: .assign(.link(objectType: "Person", primaryKey: .string("ann"))))]
      ),
      (
        ["any": ["a": nil]],
        [.init(property: 6, value: .assign(.map([.init(key: "a", value: .value(.null))])))]
      ),
      (
        ["points": ["k": ["x": 1]]],
        [
          .init(
            property: 7,
            value: .merge([
              .init(
                key: "k",
                value: .embedded(
                  ObjectDraft(assignments: [
                    .init(property: 0, value: .value(.double(1))),
                    .init(property: 1, value: .value(.double(7))),
                  ])))
            ]))
        ]
      ),
    ] as [(Plain, [ObjectPatch.Change])])
  func `a merge patch says what changes`(input: Plain, changes: [ObjectPatch.Change]) throws {
    let patch = try Self.objectType.patch(from: input.value, in: AllTypesSchema.schema)
    #expect(patch == ObjectPatch(changes: changes))
  }

  @Test(
    arguments: [
      (["id": nil], "/id", .null),
      (["colour": 1], "/colour", .unknownProperty),
      (["_key": 1], "/_key", .unknownProperty),
      (["back": nil], "/back", .readOnly),
      (["tags": [nil]], "/tags/0", .null),
      (["names": ["$x": nil]], "/names/$x", .illegalKey),
      (["names": ["a": 1]], "/names/a", .wrongType(expected: .one(.string, optional: false), found: .int)),
      (["names": ["a": "x", "a": nil]], "/names/a", .repeatedKey),
      (["names": 1], "/names", .wrongType(expected: .map(.string, optional: true), found: .int)),
      (["point": ["x": nil]], "/point/x", .null),
      (["point": ["z": 1]], "/point/z", .unknownProperty),
      (["point": 1], "/point", .wrongType(expected: .one(.object("Point"), optional: true), found: .int)),
      (["points": ["k": ["y": 1]]], "/points/k/x", .missing),
      (["friend": ["id": "ann"]], "/friend", .inlineObject("Person")),
      (["nick": "a", "nick": "b"], "/nick", .repeatedProperty),
    ] as [(Plain, String, ValidationRule)])
  func `a patch that does not fit is refused`(input: Plain, pointer: String, rule: ValidationRule) {
    #expect(throws: ValidationError([ValidationProblem(pointer: pointer, rule)])) {
      try Self.objectType.patch(from: input.value, in: AllTypesSchema.schema)
    }
  }

  @Test func `an object's key cannot be changed`() {
    let note = ObjectType(name: "Note", properties: [])
    let value = Plain(dictionaryLiteral: ("_key", 1)).value
    #expect(throws: ValidationError([ValidationProblem(pointer: "/_key", .readOnly)])) {
      try note.patch(from: value, in: AllTypesSchema.schema)
    }
  }

  @Test func `a patch of what is not there is a draft`() throws {
    let point = try #require(AllTypesSchema.schema["Point"])
    let input: Plain = ["next": ["x": 2], "x": 1]
    let patch = try point.patch(from: input.value, in: AllTypesSchema.schema)
    #expect(
      try point.draft(from: patch, in: AllTypesSchema.schema)
        == point.draft(from: input.value, in: AllTypesSchema.schema, mode: .create))
    let tags = try Self.objectType.patch(
      from: Plain(dictionaryLiteral: ("names", ["a": "x", "b": nil]), ("id", 1)).value,
      in: AllTypesSchema.schema)
    #expect(
      try Self.objectType.draft(from: tags, in: AllTypesSchema.schema)
        == ObjectDraft(assignments: [
          .init(property: 0, value: .value(.int(1))),
          .init(property: 3, value: .map([.init(key: "a", value: .value(.string("x")))])),
        ]))
    #expect(throws: ValidationError([ValidationProblem(pointer: "/next/x", .missing)])) {
      let input: Plain = ["x": 1, "next": ["y": 1]]
      let patch = try point.patch(from: input.value, in: AllTypesSchema.schema)
      _ = try point.draft(from: patch, in: AllTypesSchema.schema)
    }
  }
}
