import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct SchemaValidationTests {
  /// The problems of a schema in which `C` has the given properties, beside an ordinary class and an
  /// embedded one.
  private func problems(
    name: String = "C", isEmbedded: Bool = false, primaryKey: String? = nil, _ properties: [Property]
  ) -> [SchemaProblem] {
    let schema = Schema(
      [
        ObjectType(
          name: "Other",
          properties: [
            Property(name: "c", type: .list(.object("C"), optional: false)),
            Property(name: "n", type: .one(.int, optional: false)),
          ]),
        ObjectType(
          name: "Part", kind: .embedded,
          properties: [Property(name: "c", type: .one(.object("C"), optional: true))]),
        ObjectType(
          name: "C", properties: name == "C" ? [] : [Property(name: "n", type: .one(.int, optional: false))]),
        ObjectType(
          name: name, kind: isEmbedded ? .embedded : .topLevel, properties: properties, primaryKey: primaryKey
        ),
      ].filter { $0.name != name || $0.properties == properties })
    do {
      try schema.validate()
      return []
    } catch {
      return error.problems
    }
  }

  @Test(
    arguments: [
      ("Länder", nil),
      ("A B-c+1", nil),
      (String(repeating: "a", count: 57), nil),
      (String(repeating: "a", count: 58), .tooLong(limit: 57)),
      (String(repeating: "ä", count: 29), .tooLong(limit: 57)),
      ("", .empty),
      ("a.b", .illegalCharacter),
      ("a/b", .illegalCharacter),
      ("a\u{0}", .illegalCharacter),
      ("a\u{85}", .illegalCharacter),
      ("a\n", .illegalCharacter),
      ("A?", .illegalCharacter),
      ("A[]", .illegalCharacter),
      ("A{}", .illegalCharacter),
      ("A<>", .illegalCharacter),
      ("_A", .reserved),
      ("$A", .reserved),
      ("A$", nil),
      ("int", .reserved),
      ("list", .reserved),
    ] as [(String, SchemaRule.NameRule?)])
  func `a class' name is legal or says why not`(name: String, fault: SchemaRule.NameRule?) {
    let expected = fault.map { [SchemaProblem(objectType: name, .illegalName($0))] } ?? []
    #expect(problems(name: name, []) == expected)
  }

  @Test(
    arguments: [
      ("größe", nil),
      ("a/b", nil),
      ("float fees", nil),
      ("int", nil),
      ("_id", nil),
      ("_partition", nil),
      (String(repeating: "a", count: 63), nil),
      (String(repeating: "a", count: 64), .tooLong(limit: 63)),
      ("", .empty),
      ("a.b", .illegalCharacter),
      ("a\u{7F}", .illegalCharacter),
      ("_key", .reserved),
      ("$oid", .reserved),
      ("a$b", nil),
    ] as [(String, SchemaRule.NameRule?)])
  func `a property's name is legal or says why not`(name: String, fault: SchemaRule.NameRule?) {
    let property = Property(name: name, type: .one(.int, optional: false))
    let expected = fault.map { [SchemaProblem(objectType: "C", property: name, .illegalName($0))] } ?? []
    #expect(problems([property]) == expected)
  }

  @Test(
    arguments: [
      ("_partition", nil), ("a b", nil), ("", .empty), ("a.b", .illegalCharacter), ("$x", .reserved),
      (String(repeating: "a", count: 64), .tooLong(limit: 63)),
    ] as [(String, SchemaRule.NameRule?)])
  func `a stored name is legal or says why not`(name: String, fault: SchemaRule.NameRule?) {
    let property = Property(name: "p", storedName: name, type: .one(.int, optional: false))
    let expected = fault.map { [SchemaProblem(objectType: "C", property: "p", .illegalStoredName($0))] }
    #expect(problems([property]) == expected ?? [])
  }

  @Test(
    arguments: [
      (.one(.int, optional: false), []),
      (.one(.mixed, optional: true), []),
      (.one(.mixed, optional: false), [.mixedNotOptional]),
      (.list(.mixed, optional: false), [.mixedNotOptional]),
      (.list(.string, optional: true), []),
      (.one(.object("Other"), optional: true), []),
      (.one(.object("Other"), optional: false), [.linkNotOptional]),
      (.one(.object("Nowhere"), optional: true), [.unknownObjectType("Nowhere")]),
      (.one(.object("Nowhere"), optional: false), [.unknownObjectType("Nowhere"), .linkNotOptional]),
      (.one(.object("Part"), optional: true), []),
      (.one(.object("Part"), optional: false), [.linkNotOptional]),
      (.list(.object("Other"), optional: false), []),
      (.list(.object("Other"), optional: true), [.objectsInCollectionOptional]),
      (.set(.object("Other"), optional: true), [.objectsInCollectionOptional]),
      (.map(.object("Other"), optional: true), []),
      (.map(.object("Other"), optional: false), [.objectsInMapNotOptional]),
      (.list(.object("Part"), optional: false), []),
      (.map(.object("Part"), optional: true), []),
      (.set(.object("Part"), optional: false), [.embeddedInSet]),
      (.linkingObjects(objectType: "Other", property: "c"), []),
      (.linkingObjects(objectType: "Nowhere", property: "c"), [.unknownObjectType("Nowhere")]),
      (.linkingObjects(objectType: "Other", property: "d"), [.unknownLinkingProperty("d")]),
      (.linkingObjects(objectType: "Other", property: "n"), [.linkingPropertyNotALink("n")]),
      (.linkingObjects(objectType: "Part", property: "c"), [.linkingObjectsFromEmbedded("Part")]),
      (.linkingObjects(objectType: "C", property: "p"), [.linkingPropertyNotALink("p")]),
    ] as [(PropertyType, [SchemaRule])])
  func `a property's type obeys Realm's rules`(type: PropertyType, rules: [SchemaRule]) {
    let expected = rules.map { SchemaProblem(objectType: "C", property: "p", $0) }
    #expect(problems([Property(name: "p", type: type)]) == expected)
  }

  @Test(
    arguments: [
      (.one(.int, optional: false), true), (.one(.string, optional: false), true),
      (.one(.objectID, optional: false), true), (.one(.uuid, optional: false), true),
      (.one(.string, optional: true), true), (.one(.bool, optional: false), false),
      (.one(.double, optional: false), false), (.one(.date, optional: false), false),
      (.one(.mixed, optional: true), false), (.list(.int, optional: false), false),
      (.one(.object("Other"), optional: true), false),
    ] as [(PropertyType, Bool)])
  func `a primary key is an int, string, objectId or uuid`(type: PropertyType, isLegal: Bool) {
    let found = problems(primaryKey: "p", [Property(name: "p", type: type)])
    #expect(found == (isLegal ? [] : [SchemaProblem(objectType: "C", property: "p", .illegalPrimaryKeyType)]))
  }

  @Test(
    arguments: [
      (.one(.bool, optional: false), true), (.one(.int, optional: true), true),
      (.one(.string, optional: false), true), (.one(.date, optional: false), true),
      (.one(.objectID, optional: false), true), (.one(.uuid, optional: false), true),
      (.one(.mixed, optional: true), true), (.list(.string, optional: true), true),
      (.one(.float, optional: false), false), (.one(.double, optional: false), false),
      (.one(.decimal128, optional: false), false), (.one(.data, optional: false), false),
      (.one(.object("Other"), optional: true), false), (.list(.int, optional: false), false),
      (.set(.string, optional: false), false), (.map(.string, optional: false), false),
      (.linkingObjects(objectType: "Other", property: "c"), false),
    ] as [(PropertyType, Bool)])
  func `core's types can be indexed`(type: PropertyType, isLegal: Bool) {
    let found = problems([Property(name: "p", type: type, index: .general)])
    #expect(found == (isLegal ? [] : [SchemaProblem(objectType: "C", property: "p", .notIndexable)]))
  }

  @Test(
    arguments: [
      (.one(.string, optional: false), nil, true), (.one(.string, optional: true), nil, true),
      (.one(.string, optional: false), "p", false), (.one(.mixed, optional: true), nil, false),
      (.list(.string, optional: false), nil, false), (.one(.int, optional: false), nil, false),
    ] as [(PropertyType, String?, Bool)])
  func `full text is for strings`(type: PropertyType, primaryKey: String?, isLegal: Bool) {
    let found = problems(primaryKey: primaryKey, [Property(name: "p", type: type, index: .fullText)])
    #expect(
      found == (isLegal ? [] : [SchemaProblem(objectType: "C", property: "p", .notFullTextIndexable)]))
  }

  @Test(
    arguments: [
      (.one(.int, optional: false), .int64(3), nil),
      (
        .one(.int, optional: false), .double(3),
        .illegal("", .wrongType(expected: .one(.int, optional: false), found: .double))
      ),
      (.one(.int, optional: false), .null, .illegal("", .null)),
      (.one(.date, optional: false), .string("2024-01-01T00:00:00Z"), nil),
      (.one(.date, optional: false), .string("later"), .illegal("", .malformed(.date))),
      (.one(.mixed, optional: true), .array([.minKey]), .illegal("/0", .unsupportedType(found: .minKey))),
      (.list(.int, optional: false), .array([.int64(1)]), nil),
      (.list(.int, optional: false), .array([.int64(1), .null]), .illegal("/1", .null)),
      (.map(.int, optional: false), ["a.b": .int64(1)], .illegal("/a.b", .illegalKey)),
      (.one(.object("Other"), optional: true), .int64(1), .notAllowed),
      (.one(.object("Part"), optional: true), [:], .notAllowed),
      (.list(.object("Part"), optional: false), .array([]), .notAllowed),
      (.linkingObjects(objectType: "Other", property: "c"), .array([]), .notAllowed),
    ] as [(PropertyType, Value, DefaultRule?)])
  func `a default is a legal value`(type: PropertyType, value: Value, fault: DefaultRule?) {
    let rule: SchemaRule? =
      switch fault {
      case nil: nil
      case .notAllowed: .defaultNotAllowed
      case .illegal(let pointer, let rule): .illegalDefault(ValidationProblem(pointer: pointer, rule))
      }
    let expected = rule.map { [SchemaProblem(objectType: "C", property: "p", $0)] } ?? []
    #expect(problems([Property(name: "p", type: type, defaultValue: value)]) == expected)
  }

  enum DefaultRule: Sendable {
    case notAllowed
    case illegal(String, ValidationRule)
  }

  @Test func `a primary key has no default`() {
    let id = Property(name: "p", type: .one(.int, optional: false), defaultValue: .int64(1))
    let expected = SchemaProblem(objectType: "C", property: "p", .defaultNotAllowed)
    #expect(problems(primaryKey: "p", [id]) == [expected])
  }

  @Test func `an embedded class has no primary key`() {
    let id = Property(name: "_id", type: .one(.int, optional: false))
    let found = problems(name: "E", isEmbedded: true, primaryKey: "_id", [id])
    #expect(found == [SchemaProblem(objectType: "E", property: "_id", .primaryKeyOnEmbedded)])
  }

  @Test func `nothing links to an asymmetric class, which may link and be asked for what links`() {
    let link = Property(name: "r", type: .one(.object("Reading"), optional: true))
    let schema = Schema([
      ObjectType(
        name: "Device",
        properties: [
          link, Property(name: "rs", type: .list(.object("Reading"), optional: false)),
          Property(name: "readings", type: .linkingObjects(objectType: "Reading", property: "device")),
        ]),
      ObjectType(
        name: "Reading", kind: .asymmetric,
        properties: [Property(name: "device", type: .one(.object("Device"), optional: true))]),
    ])
    let expected = ["r", "rs"].map {
      SchemaProblem(objectType: "Device", property: $0, .linkToAsymmetric("Reading"))
    }
    #expect(throws: SchemaError(expected)) { try schema.validate() }
  }

  @Test func `an embedded class may see who holds it, and hold its own kind`() {
    let found = Schema([
      ObjectType(
        name: "Tree", properties: [Property(name: "root", type: .one(.object("Node"), optional: true))]),
      ObjectType(
        name: "Node", kind: .embedded,
        properties: [
          Property(name: "children", type: .list(.object("Node"), optional: false)),
          Property(name: "trees", type: .linkingObjects(objectType: "Tree", property: "root")),
        ]),
    ])
    #expect(throws: Never.self) { try found.validate() }
  }

  @Test func `names are used once`() {
    let found = problems([
      Property(name: "a", storedName: "x", type: .one(.int, optional: false)),
      Property(name: "a", type: .one(.int, optional: false)),
      Property(name: "x", type: .one(.int, optional: false)),
    ])
    #expect(
      found == [
        SchemaProblem(objectType: "C", property: "a", .duplicateProperty),
        SchemaProblem(objectType: "C", property: "x", .duplicateStoredName("x")),
      ])
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", .duplicateClass)])) {
      try Schema(validating: [ObjectType(name: "C", properties: []), ObjectType(name: "C", properties: [])])
    }
  }

  @Test func `a thousand properties are enough`() {
    let properties = (0...1000).map { Property(name: "p\($0)", type: .one(.int, optional: false)) }
    #expect(problems(Array(properties.dropLast())) == [])
    #expect(problems(properties) == [SchemaProblem(objectType: "C", .tooManyProperties(limit: 1000))])
  }

  @Test func `every problem is named, in the order of the schema`() {
    let notation: Plain = [
      ["name": "A.B", "primaryKey": "id", "properties": ["id": "bool", "x": "Nowhere?[]"]],
      ["name": "B", "properties": ["_key": ["type": "double", "indexed": true]]],
    ]
    let problems = [
      SchemaProblem(objectType: "A.B", .illegalName(.illegalCharacter)),
      SchemaProblem(objectType: "A.B", property: "id", .illegalPrimaryKeyType),
      SchemaProblem(objectType: "A.B", property: "x", .unknownObjectType("Nowhere")),
      SchemaProblem(objectType: "A.B", property: "x", .objectsInCollectionOptional),
      SchemaProblem(objectType: "B", property: "_key", .illegalName(.reserved)),
      SchemaProblem(objectType: "B", property: "_key", .notIndexable),
    ]
    #expect(throws: SchemaError(problems)) { try Schema(notation: notation.value) }
  }
}
