import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct SchemaNotationTests {
  static let geonames: Plain = [
    [
      "name": "Continent", "primaryKey": "code",
      "properties": [
        "code": "string", "name": "string", "population": "int?", "bounds": "double{}",
        "countries": ["type": "linkingObjects", "objectType": "Country", "property": "continent"],
      ],
    ],
    [
      "name": "Country", "primaryKey": "iso",
      "properties": [
        "iso": "string", "name": ["type": "string", "indexed": true], "continent": "Continent?",
        "population": ["type": "int", "indexed": true], "languages": "string[]", "neighbours": "Country[]",
        "cities": ["type": "linkingObjects", "objectType": "City", "property": "country"],
      ],
    ],
    [
      "name": "City", "primaryKey": "_id",
      "properties": [
        "_id": "int", "country": "Country?", "location": "Location?", "alternateNames": "string<>",
      ],
    ],
    ["name": "Location", "embedded": true, "properties": ["type": "string", "coordinates": "double[]"]],
  ]

  @Test func `a schema is read as it stands`() throws {
    let schema = try Schema(notation: Self.geonames.value)
    #expect(
      schema
        == Schema([
          ObjectType(
            name: "Continent",
            properties: [
              Property(name: "code", type: .one(.string, optional: false)),
              Property(name: "name", type: .one(.string, optional: false)),
              Property(name: "population", type: .one(.int, optional: true)),
              Property(name: "bounds", type: .map(.double, optional: false)),
              Property(
                name: "countries", type: .linkingObjects(objectType: "Country", property: "continent")),
            ], primaryKey: "code"),
          ObjectType(
            name: "Country",
            properties: [
              Property(name: "iso", type: .one(.string, optional: false)),
              Property(name: "name", type: .one(.string, optional: false), index: .general),
              Property(name: "continent", type: .one(.object("Continent"), optional: true)),
              Property(name: "population", type: .one(.int, optional: false), index: .general),
              Property(name: "languages", type: .list(.string, optional: false)),
              Property(name: "neighbours", type: .list(.object("Country"), optional: false)),
              Property(name: "cities", type: .linkingObjects(objectType: "City", property: "country")),
            ], primaryKey: "iso"),
          ObjectType(
            name: "City",
            properties: [
              Property(name: "_id", type: .one(.int, optional: false)),
              Property(name: "country", type: .one(.object("Country"), optional: true)),
              Property(name: "location", type: .one(.object("Location"), optional: true)),
              Property(name: "alternateNames", type: .set(.string, optional: false)),
            ], primaryKey: "_id"),
          ObjectType(
            name: "Location", kind: .embedded,
            properties: [
              Property(name: "type", type: .one(.string, optional: false)),
              Property(name: "coordinates", type: .list(.double, optional: false)),
            ]),
        ]))
    #expect(schema.notation == Self.geonames.value)
  }

  @Test func `the schema of Geonames comes back as it was written`() throws {
    let text = """
      [
        {
          "name": "Continent",
          "primaryKey": "code",
          "properties": {
            "code": "string",
            "name": "string",
            "population": "int?",
            "bounds": "double{}",
            "countries": { "type": "linkingObjects", "objectType": "Country", "property": "continent" }
          }
        },
        {
          "name": "Country",
          "primaryKey": "iso",
          "properties": {
            "iso": "string",
            "name": { "type": "string", "indexed": true },
            "iso3": "string",
            "numeric": "int?",
            "capital": "string?",
            "continent": "Continent?",
            "areaKm2": "double",
            "population": { "type": "int", "indexed": true },
            "currency": "string?",
            "languages": "string[]",
            "neighbours": "Country[]",
            "phone": "string?",
            "names": "string{}",
            "cities": { "type": "linkingObjects", "objectType": "City", "property": "country" }
          }
        },
        {
          "name": "City",
          "primaryKey": "_id",
          "properties": {
            "_id": "int",
            "name": { "type": "string", "indexed": true },
            "country": "Country?",
            "admin1": "string?",
            "population": { "type": "int", "indexed": true },
            "timezone": "string",
            "location": "Location?",
            "alternateNames": "string<>"
          }
        },
        {
          "name": "Location",
          "embedded": true,
          "properties": {
            "type": "string",
            "coordinates": "double[]"
          }
        }
      ]
      """
    let notation = try Value(json: text)
    let schema = try Schema(notation: notation)
    #expect(schema.objectTypes.map(\.name) == ["Continent", "Country", "City", "Location"])
    #expect(schema.notation == notation)
    #expect(try Schema(notation: schema.notation) == schema)
  }

  struct Form: Sendable, CustomTestStringConvertible {
    let notation: Plain
    let property: Property
    /// The notation as written; nil if it is the one that was read.
    var canonical: Plain?

    var testDescription: String { "\(notation.value)" }

    init(
      _ notation: Plain, _ type: PropertyType, index: Property.Index = .none, default: Value? = nil,
      mapTo: String? = nil, canonical: Plain? = nil
    ) {
      self.notation = notation
      self.canonical = canonical
      property = Property(name: "p", storedName: mapTo, type: type, index: index, defaultValue: `default`)
    }
  }

  @Test(arguments: [
    Form("bool", .one(.bool, optional: false)),
    Form("int", .one(.int, optional: false)),
    Form("float", .one(.float, optional: false)),
    Form("double", .one(.double, optional: false)),
    Form("decimal128", .one(.decimal128, optional: false)),
    Form("string", .one(.string, optional: false)),
    Form("data", .one(.data, optional: false)),
    Form("date", .one(.date, optional: false)),
    Form("objectId", .one(.objectID, optional: false)),
    Form("uuid", .one(.uuid, optional: false)),
    Form("mixed", .one(.mixed, optional: true)),
    Form("mixed?", .one(.mixed, optional: true), canonical: "mixed"),
    Form("int?", .one(.int, optional: true)),
    Form("string[]", .list(.string, optional: false)),
    Form("string?[]", .list(.string, optional: true)),
    Form("mixed[]", .list(.mixed, optional: true)),
    Form("string<>", .set(.string, optional: false)),
    Form("mixed<>", .set(.mixed, optional: true)),
    Form("double{}", .map(.double, optional: false)),
    Form("double?{}", .map(.double, optional: true)),
    Form("{}", .map(.mixed, optional: true), canonical: "mixed{}"),
    Form("dictionary", .map(.mixed, optional: true), canonical: "mixed{}"),
    Form("C", .one(.object("C"), optional: true), canonical: "C?"),
    Form("C?", .one(.object("C"), optional: true)),
    Form("C[]", .list(.object("C"), optional: false)),
    Form("C<>", .set(.object("C"), optional: false)),
    Form("C{}", .map(.object("C"), optional: true)),
    Form("C?{}", .map(.object("C"), optional: true), canonical: "C{}"),
    Form(["type": "int"], .one(.int, optional: false), canonical: "int"),
    Form(["type": "int?"], .one(.int, optional: true), canonical: "int?"),
    Form(["type": "int?", "optional": true], .one(.int, optional: true), canonical: "int?"),
    Form(["type": "int", "optional": true], .one(.int, optional: true), canonical: "int?"),
    Form(["type": "object", "objectType": "C"], .one(.object("C"), optional: true), canonical: "C?"),
    Form(
      ["type": "list", "objectType": "string", "optional": true], .list(.string, optional: true),
      canonical: "string?[]"),
    Form(["type": "set", "objectType": "uuid"], .set(.uuid, optional: false), canonical: "uuid<>"),
    Form(["type": "dictionary", "objectType": "C"], .map(.object("C"), optional: true), canonical: "C{}"),
    Form(
      ["type": "string", "optional": true, "indexed": true, "default": "x", "mapTo": "q"],
      .one(.string, optional: true), index: .general, default: .string("x"), mapTo: "q"),
    Form(["type": "string", "indexed": "full-text"], .one(.string, optional: false), index: .fullText),
    Form(["type": "int", "indexed": false], .one(.int, optional: false), canonical: "int"),
    Form(["type": "int?", "default": nil], .one(.int, optional: true), canonical: "int?"),
    Form(
      ["type": "int?", "default": 3], .one(.int, optional: true), default: .int64(3),
      canonical: ["type": "int", "optional": true, "default": 3]),
    Form(
      ["type": "list", "objectType": "string", "indexed": true], .list(.string, optional: false),
      index: .general),
    Form(
      ["type": "object", "objectType": "C", "mapTo": "q"], .one(.object("C"), optional: true), mapTo: "q"),
    Form(
      ["type": "linkingObjects", "objectType": "C", "property": "c"],
      .linkingObjects(objectType: "C", property: "c")),
    Form(
      ["type": "linkingObjects", "objectType": "C", "property": "c", "mapTo": "q"],
      .linkingObjects(objectType: "C", property: "c"), mapTo: "q"),
    // Illegal, which is for the schema to say; but no less readable.
    Form("C?[]", .list(.object("C"), optional: true)),
    Form(
      ["type": "object", "objectType": "C", "optional": false], .one(.object("C"), optional: false),
      canonical: "C"),
  ])
  func `a property has every form of realm-js`(form: Form) throws {
    let notation: Plain = ["name": "C", "properties": ["p": form.notation]]
    let objectType = try ObjectType(notation: notation.value)
    #expect(objectType == ObjectType(name: "C", properties: [form.property]))
    #expect(objectType["p"]?.notation == (form.canonical ?? form.notation).value)
  }

  struct RefusedNotation<Reason: Sendable>: Sendable {
    let notation: Plain
    let reason: Reason

    init(_ notation: Plain, _ reason: Reason) {
      self.notation = notation
      self.reason = reason
    }
  }

  @Test(
    arguments: [
      RefusedNotation("", .malformedType("")),
      RefusedNotation("?", .malformedType("?")),
      RefusedNotation("int??", .malformedType("int??")),
      RefusedNotation("[]", .malformedType("[]")),
      RefusedNotation("<>", .malformedType("<>")),
      RefusedNotation("int[]?", .malformedType("int[]?")),
      RefusedNotation("int[][]", .malformedType("int[][]")),
      RefusedNotation("int[", .malformedType("int[")),
      RefusedNotation("list", .memberMissing("objectType")),
      RefusedNotation("list[]", .malformedType("list[]")),
      RefusedNotation("object", .memberMissing("objectType")),
      RefusedNotation("object?", .malformedType("object?")),
      RefusedNotation(3, .malformedProperty),
      RefusedNotation(nil, .malformedProperty),
      RefusedNotation(["string"], .malformedProperty),
      RefusedNotation([:], .memberMissing("type")),
      RefusedNotation(["type": 3], .memberOfWrongType("type")),
      RefusedNotation(["type": "int", "indexes": true], .memberUnknown("indexes")),
      RefusedNotation(["type": "int", "type": "string"], .memberRepeated("type")),
      RefusedNotation(["type": "int", "optional": "yes"], .memberOfWrongType("optional")),
      RefusedNotation(["type": "int", "indexed": 1], .memberOfWrongType("indexed")),
      RefusedNotation(["type": "int", "indexed": "fulltext"], .memberOfWrongType("indexed")),
      RefusedNotation(["type": "int", "mapTo": nil], .memberOfWrongType("mapTo")),
      RefusedNotation(["type": "int?", "optional": false], .contradictoryOptional),
      RefusedNotation(["type": "int", "objectType": "C"], .memberNotAllowed("objectType")),
      RefusedNotation(["type": "int", "property": "c"], .memberNotAllowed("property")),
      RefusedNotation(["type": "object"], .memberMissing("objectType")),
      RefusedNotation(["type": "object", "objectType": "int"], .malformedType("int")),
      RefusedNotation(["type": "object", "objectType": "C[]"], .malformedType("C[]")),
      RefusedNotation(["type": "list", "objectType": "set"], .malformedType("set")),
      RefusedNotation(["type": "list", "objectType": "C", "property": "c"], .memberNotAllowed("property")),
      RefusedNotation(["type": "linkingObjects", "objectType": "C"], .memberMissing("property")),
      RefusedNotation(["type": "linkingObjects", "property": "c"], .memberMissing("objectType")),
      RefusedNotation(
        ["type": "linkingObjects", "objectType": "C", "property": "c", "optional": true],
        .memberNotAllowed("optional")
      ),
    ] as [RefusedNotation<SchemaRule>])
  func `a property in no form is refused`(refused: RefusedNotation<SchemaRule>) {
    let notation: Plain = ["name": "C", "properties": ["p": refused.notation]]
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", property: "p", refused.reason)])) {
      try ObjectType(notation: notation.value)
    }
  }

  @Test(
    arguments: [
      RefusedNotation(nil, SchemaProblem(objectType: nil, .notAnArray)),
      RefusedNotation(["name": "C", "properties": [:]], SchemaProblem(objectType: nil, .notAnArray)),
      RefusedNotation(["C"], SchemaProblem(objectType: nil, .notADocument(position: 0))),
      RefusedNotation(
        [["name": "C", "properties": [:]], ["properties": [:]]],
        SchemaProblem(objectType: nil, .nameMissing(position: 1))
      ),
      RefusedNotation(
        [["name": 1, "properties": [:]]], SchemaProblem(objectType: nil, .nameMissing(position: 0))),
      RefusedNotation([["name": "C"]], SchemaProblem(objectType: "C", .memberMissing("properties"))),
      RefusedNotation(
        [["name": "C", "properties": []]], SchemaProblem(objectType: "C", .memberOfWrongType("properties"))),
      RefusedNotation(
        [["name": "C", "properties": [:], "abstract": true]],
        SchemaProblem(objectType: "C", .memberUnknown("abstract"))
      ),
      RefusedNotation(
        [["name": "C", "properties": [:], "asymmetric": true, "embedded": true]],
        SchemaProblem(objectType: "C", .asymmetricEmbedded)
      ),
      RefusedNotation(
        [["name": "C", "embedded": 1, "properties": [:]]],
        SchemaProblem(objectType: "C", .memberOfWrongType("embedded"))
      ),
      RefusedNotation(
        [["name": "C", "primaryKey": "id", "properties": ["x": "int"]]],
        SchemaProblem(objectType: "C", .primaryKeyMissing("id"))
      ),
    ] as [RefusedNotation<SchemaProblem>])
  func `a schema in no form is refused`(refused: RefusedNotation<SchemaProblem>) {
    #expect(throws: SchemaError([refused.reason])) { try Schema(notation: refused.notation.value) }
  }

  @Test func `all problems of the notation are named at once`() {
    let notation: Plain = [
      ["name": "A", "colour": 1, "properties": ["x": "int??", "y": ["type": "list"]]], 3,
      ["name": "B", "properties": ["z": 1]],
    ]
    let problems = [
      SchemaProblem(objectType: "A", .memberUnknown("colour")),
      SchemaProblem(objectType: "A", property: "x", .malformedType("int??")),
      SchemaProblem(objectType: "A", property: "y", .memberMissing("objectType")),
      SchemaProblem(objectType: nil, .notADocument(position: 1)),
      SchemaProblem(objectType: "B", property: "z", .malformedProperty),
    ]
    #expect(throws: SchemaError(problems)) { try Schema(notation: notation.value) }
  }
}
