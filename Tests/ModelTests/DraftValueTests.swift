import GatehouseBSON
import GatehouseModel
import Testing

/// The values that a client may send for a property of each type.
@Suite struct DraftValueTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: PropertyType
    let input: Value
    let outcome: Result<DraftValue, ValidationError>

    var testDescription: String { "\(type.shorthand): \(input)" }

    /// A value that is taken.
    init(_ type: PropertyType, _ input: Plain, _ value: DraftValue) {
      (self.type, self.input, outcome) = (type, input.value, .success(value))
    }

    /// A value that is refused, below the property.
    init(_ type: PropertyType, _ input: Plain, at pointer: String = "", refused rule: ValidationRule) {
      let problem = ValidationProblem(pointer: "/p" + pointer, rule)
      (self.type, self.input, outcome) = (type, input.value, .failure(ValidationError([problem])))
    }
  }

  private func check(_ test: Case) {
    let objectType = AllTypesSchema.objectType(test.type)
    let outcome = Result { () throws(ValidationError) in
      try objectType.draft(from: .document(["p": test.input]), in: AllTypesSchema.schema, mode: .create)
    }
    #expect(
      outcome == test.outcome.map { ObjectDraft(assignments: [.init(property: 0, value: $0)]) })
  }

  private static func one(_ type: ElementType) -> PropertyType { .one(type, optional: false) }
  private static func optional(_ type: ElementType) -> PropertyType { .one(type, optional: true) }
  private static func wrong(_ type: PropertyType, _ found: ValueKind) -> ValidationRule {
    .wrongType(expected: type, found: found)
  }

  @Test(arguments: [
    Case(one(.bool), true, .value(.bool(true))),
    Case(one(.bool), 1, refused: wrong(one(.bool), .int)),
    Case(one(.bool), nil, refused: .null),
    Case(optional(.bool), nil, .value(.null)),

    Case(one(.int), 5, .value(.int(5))),
    Case(one(.int), .typed(.int32(-5)), .value(.int(-5))),
    Case(one(.int), .typed(.int64(.max)), .value(.int(.max))),
    Case(one(.int), 5.0, refused: wrong(one(.int), .double)),
    Case(one(.int), "5", refused: wrong(one(.int), .string)),
    Case(one(.int), nil, refused: .null),
    Case(one(.int), .typed(.decimal128(.zero)), refused: wrong(one(.int), .decimal128)),

    Case(one(.double), 5.5, .value(.double(5.5))),
    Case(one(.double), 5, .value(.double(5))),
    Case(one(.double), .typed(.int32(5)), .value(.double(5))),
    Case(one(.double), .typed(.double(.nan)), .value(.double(.nan))),
    Case(one(.double), .typed(.double(-.infinity)), .value(.double(-.infinity))),
    Case(one(.double), "5", refused: wrong(one(.double), .string)),
    Case(one(.double), .typed(.decimal128(.zero)), refused: wrong(one(.double), .decimal128)),

    Case(one(.float), 0.1, .value(.float(0.1))),
    Case(one(.float), 5, .value(.float(5))),
    Case(one(.float), .typed(.double(.infinity)), .value(.float(.infinity))),
    Case(one(.float), 1e39, refused: .outOfRange(.float)),
    Case(one(.float), -1e39, refused: .outOfRange(.float)),
    Case(one(.float), 1e-60, .value(.float(0))),
    Case(one(.float), "5", refused: wrong(one(.float), .string)),

    Case(one(.decimal128), .typed(.decimal128(.nan)), .value(.decimal128(.nan))),
    Case(one(.decimal128), 0, .value(.decimal128(.zero))),
    Case(one(.decimal128), .typed(.int32(0)), .value(.decimal128(.zero))),
    Case(one(.decimal128), "0", .value(.decimal128(.zero))),
    Case(one(.decimal128), "1,5", refused: .malformed(.decimal128)),
    Case(one(.decimal128), 1.5, refused: wrong(one(.decimal128), .double)),

    Case(one(.string), "", .value(.string(""))),
    Case(one(.string), "a\u{0}b", .value(.string("a\u{0}b"))),
    Case(one(.string), 1, refused: wrong(one(.string), .int)),
    Case(one(.string), .typed(.symbol("x")), refused: wrong(one(.string), .symbol)),

    Case(one(.data), "AQID", .value(.data([1, 2, 3]))),
    Case(one(.data), "", .value(.data([]))),
    Case(one(.data), "AQ", refused: .malformed(.data)),
    Case(one(.data), .typed(.binary(Binary(subtype: 5, bytes: [1]))), .value(.data([1]))),
    Case(one(.data), .typed(.uuid(AllTypesSchema.uuid)), refused: wrong(one(.data), .uuid)),

    Case(
      one(.date), "2024-01-02T03:04:05.006Z",
      .value(.date(Date(seconds: 1_704_164_645, nanoseconds: 6_000_000)))),
    Case(one(.date), .typed(.date(Date(seconds: -1))), .value(.date(Date(seconds: -1)))),
    Case(one(.date), "2024-02-30T00:00:00Z", refused: .malformed(.date)),
    Case(one(.date), 1_704_164_645, refused: wrong(one(.date), .int)),

    Case(one(.objectID), "507f1f77bcf86cd799439011", .value(.objectID(AllTypesSchema.objectID))),
    Case(one(.objectID), "507F1F77BCF86CD799439011", .value(.objectID(AllTypesSchema.objectID))),
    Case(
      one(.objectID), .typed(.objectID(AllTypesSchema.objectID)), .value(.objectID(AllTypesSchema.objectID))),
    Case(one(.objectID), "507f1f77bcf86cd79943901", refused: .malformed(.objectID)),
    Case(one(.objectID), ["$oid": "507f1f77bcf86cd799439011"], refused: wrong(one(.objectID), .document)),

    Case(one(.uuid), "12345678-9abc-def0-1122-334455667788", .value(.uuid(AllTypesSchema.uuid))),
    Case(one(.uuid), .typed(.uuid(AllTypesSchema.uuid)), .value(.uuid(AllTypesSchema.uuid))),
    Case(one(.uuid), "12345678", refused: .malformed(.uuid)),
    Case(one(.uuid), .typed(.objectID(AllTypesSchema.objectID)), refused: wrong(one(.uuid), .objectId)),
  ])
  func `a scalar is taken in its plain and its typed form`(test: Case) { check(test) }

  private static let person = optional(.object("Person"))
  private static let note = optional(.object("Note"))
  private static let token = optional(.object("Token"))

  @Test(arguments: [
    Case(person, "ann", .link(objectType: "Person", primaryKey: .string("ann"))),
    Case(person, nil, .value(.null)),
    Case(person, 1, refused: wrong(one(.string), .int)),
    Case(person, ["$ref": "Person", "$id": "ann"], .link(objectType: "Person", primaryKey: .string("ann"))),
    Case(person, ["$id": "ann", "$ref": "Person"], .link(objectType: "Person", primaryKey: .string("ann"))),
    Case(person, ["$ref": "Note", "$id": 1], refused: .wrongReference(expected: "Person")),
    Case(person, ["$ref": "Person"], refused: .malformedReference),
    Case(person, ["$ref": 1, "$id": "ann"], refused: .malformedReference),
    Case(person, ["$ref": "Person", "$id": "ann", "$db": "x"], refused: .malformedReference),
    Case(person, ["$ref": "Person", "$id": 1], at: "/$id", refused: wrong(one(.string), .int)),
    Case(person, ["$ref": "Person", "$id": nil], at: "/$id", refused: .null),
    Case(person, ["id": "ann"], refused: .inlineObject("Person")),
    Case(person, [:], refused: .inlineObject("Person")),
    Case(note, 3, .link(objectType: "Note", primaryKey: .int(3))),
    Case(note, -1, refused: .outOfRange(.int)),
    Case(note, "3", refused: wrong(one(.int), .string)),
    Case(
      token, "507f1f77bcf86cd799439011",
      .link(objectType: "Token", primaryKey: .objectID(AllTypesSchema.objectID))),
    Case(token, "x", refused: .malformed(.objectID)),
    Case(optional(.object("Nowhere")), "x", refused: .unknownClass("Nowhere")),
    Case(
      .list(.object("Person"), optional: false), ["b", "a", "b"],
      .list(["b", "a", "b"].map { .link(objectType: "Person", primaryKey: .string($0)) })),
    Case(.list(.object("Person"), optional: false), ["b", nil], at: "/1", refused: .null),
    Case(
      .map(.object("Person"), optional: true), ["x": nil, "a": "ann"],
      .map([
        .init(key: "a", value: .link(objectType: "Person", primaryKey: .string("ann"))),
        .init(key: "x", value: .value(.null)),
      ])),
  ])
  func `a link is the target's primary key`(test: Case) { check(test) }

  private static func point(_ x: Double, _ y: Double) -> DraftValue {
    .embedded(
      ObjectDraft(assignments: [
        .init(property: 0, value: .value(.double(x))), .init(property: 1, value: .value(.double(y))),
      ]))
  }

  @Test(arguments: [
    Case(optional(.object("Point")), ["x": 1, "y": 2], point(1, 2)),
    Case(optional(.object("Point")), ["y": 2, "x": 1], point(1, 2)),
    Case(optional(.object("Point")), ["x": 1], point(1, 7)),
    Case(optional(.object("Point")), nil, .value(.null)),
    Case(optional(.object("Point")), ["y": 1], at: "/x", refused: .missing),
    Case(optional(.object("Point")), ["x": 1, "y": nil], at: "/y", refused: .null),
    Case(optional(.object("Point")), ["x": 1, "_key": 1], at: "/_key", refused: .unknownProperty),
    Case(
      optional(.object("Point")), ["x": 1, "next": ["x": 1, "z": 1]], at: "/next/z", refused: .unknownProperty
    ),
    Case(optional(.object("Point")), "x", refused: wrong(optional(.object("Point")), .string)),
    Case(
      .list(.object("Point"), optional: false), [["x": 1], ["x": 2, "y": 3]],
      .list([point(1, 7), point(2, 3)])),
    Case(
      .list(.object("Point"), optional: false), [["x": 1], ["x": "2"]], at: "/1/x",
      refused: wrong(one(.double), .string)),
    Case(
      .map(.object("Point"), optional: true), ["k": ["x": 1]], .map([.init(key: "k", value: point(1, 7))])),
  ])
  func `an embedded object comes inline`(test: Case) { check(test) }

  @Test(arguments: [
    Case(.list(.int, optional: false), [], .list([])),
    Case(.list(.int, optional: false), [3, 1, 3], .list([3, 1, 3].map { .value(.int($0)) })),
    Case(.list(.int, optional: true), [nil], .list([.value(.null)])),
    Case(.list(.int, optional: false), [1, nil], at: "/1", refused: .null),
    Case(.list(.int, optional: false), nil, refused: .null),
    Case(.list(.int, optional: false), 1, refused: wrong(.list(.int, optional: false), .int)),
    Case(.set(.string, optional: false), ["a", "a"], .list([.value(.string("a")), .value(.string("a"))])),
    Case(.set(.string, optional: false), ["a", 1], at: "/1", refused: wrong(one(.string), .int)),
    Case(.set(.string, optional: false), ["a": 1], refused: wrong(.set(.string, optional: false), .document)),
    Case(.set(.mixed, optional: true), [1, [1]], at: "/1", refused: .collectionInSet),
    Case(.set(.mixed, optional: true), [1, ["a": 1]], at: "/1", refused: .collectionInSet),
    Case(.map(.int, optional: false), [:], .map([])),
    Case(
      .map(.int, optional: false), ["b": 1, "": 2, "é": 3, "z": 4, "B": 5],
      .map(
        [("", 2), ("B", 5), ("b", 1), ("z", 4), ("é", 3)].map { .init(key: $0.0, value: .value(.int($0.1))) })
    ),
    Case(.map(.int, optional: true), ["a": nil], .map([.init(key: "a", value: .value(.null))])),
    Case(.map(.int, optional: false), ["a": nil], at: "/a", refused: .null),
    Case(.map(.int, optional: false), ["a.b": 1], at: "/a.b", refused: .illegalKey),
    Case(.map(.int, optional: false), ["$a": 1], at: "/$a", refused: .illegalKey),
    Case(.map(.int, optional: false), ["a\0": 1], at: "/a\0", refused: .illegalKey),
    Case(.map(.int, optional: false), ["a$": 1], .map([.init(key: "a$", value: .value(.int(1)))])),
    Case(.map(.int, optional: false), ["a/b~c": "x"], at: "/a~1b~0c", refused: wrong(one(.int), .string)),
    Case(.map(.int, optional: false), ["b": 1, "a": 2, "b": 3], at: "/b", refused: .repeatedKey),
    Case(.map(.int, optional: false), ["a": 1, "a": 1], at: "/a", refused: .repeatedKey),
    // Canonically equivalent, but not the same bytes.
    Case(
      .map(.int, optional: false), ["\u{E9}": 1, "e\u{301}": 2],
      .map([.init(key: "e\u{301}", value: .value(.int(2))), .init(key: "\u{E9}", value: .value(.int(1)))])),
    Case(.map(.int, optional: false), [1], refused: wrong(.map(.int, optional: false), .array)),
    Case(.linkingObjects(objectType: "Person", property: "x"), [], refused: .readOnly),
  ])
  func `a collection is held to its elements' rules`(test: Case) { check(test) }

  private static let mixed = optional(.mixed)

  @Test(arguments: [
    Case(mixed, nil, .value(.null)),
    Case(mixed, true, .value(.bool(true))),
    Case(mixed, .typed(.int32(1)), .value(.int(1))),
    Case(mixed, 1, .value(.int(1))),
    Case(mixed, 1.5, .value(.double(1.5))),
    Case(mixed, "507f1f77bcf86cd799439011", .value(.string("507f1f77bcf86cd799439011"))),
    Case(mixed, .typed(.objectID(AllTypesSchema.objectID)), .value(.objectID(AllTypesSchema.objectID))),
    Case(mixed, .typed(.uuid(AllTypesSchema.uuid)), .value(.uuid(AllTypesSchema.uuid))),
    Case(mixed, .typed(.decimal128(.nan)), .value(.decimal128(.nan))),
    Case(mixed, .typed(.binary(Binary(bytes: [1]))), .value(.data([1]))),
    Case(mixed, .typed(.date(Date(seconds: 1))), .value(.date(Date(seconds: 1)))),
    Case(mixed, ["$ref": "Note", "$id": 3], .link(objectType: "Note", primaryKey: .int(3))),
    Case(mixed, ["$ref": "Point", "$id": 3], refused: .embeddedReference("Point")),
    Case(mixed, ["$ref": "Nowhere", "$id": 3], refused: .unknownClass("Nowhere")),
    Case(mixed, ["$ref": "Note", "$id": "3"], at: "/$id", refused: wrong(one(.int), .string)),
    Case(mixed, [1, [nil]], .list([.value(.int(1)), .list([.value(.null)])])),
    Case(
      mixed, ["b": ["$ref": "Note", "$id": 3], "a": []],
      .map([
        .init(key: "a", value: .list([])),
        .init(key: "b", value: .link(objectType: "Note", primaryKey: .int(3))),
      ])),
    Case(mixed, ["a": [["x.y": 1]]], at: "/a/0/x.y", refused: .illegalKey),
    Case(mixed, ["$where": 1], at: "/$where", refused: .illegalKey),
    Case(mixed, [["a": ["\0": 1]]], at: "/0/a/\0", refused: .illegalKey),
    Case(mixed, .typed(.binary(Binary(subtype: 5, bytes: [1]))), refused: .unsupportedSubtype(5)),
    Case(
      mixed, ["a": [.typed(.binary(Binary(subtype: 0x80, bytes: [])))]], at: "/a/0",
      refused: .unsupportedSubtype(0x80)),
    Case(mixed, .typed(.binary(Binary(bytes: [1]))), .value(.data([1]))),
    Case(mixed, .typed(.minKey), refused: .unsupportedType(found: .minKey)),
    Case(
      mixed, [.typed(.timestamp(Timestamp(time: 1, increment: 1)))], at: "/0",
      refused:
        .unsupportedType(found: .timestamp)),
    Case(.list(.mixed, optional: true), [nil, "a"], .list([.value(.null), .value(.string("a"))])),
  ])
  func `a mixed value is of any type`(test: Case) { check(test) }

  @Test func `values nest 100 levels deep at most`() {
    func nested(_ levels: Int) -> Value {
      (0..<levels).reduce(.null) { value, _ in .array([value]) }
    }
    let objectType = AllTypesSchema.objectType(.one(.mixed, optional: true))
    #expect(throws: Never.self) {
      try objectType.draft(from: .document(["p": nested(99)]), in: AllTypesSchema.schema, mode: .create)
    }
    let pointer = "/p" + String(repeating: "/0", count: 99)
    #expect(throws: ValidationError([ValidationProblem(pointer: pointer, .tooDeep(limit: 100))])) {
      try objectType.draft(from: .document(["p": nested(100)]), in: AllTypesSchema.schema, mode: .create)
    }
  }
}
