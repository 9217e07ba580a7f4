import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseApp

/// The parts of exported apps that become something else.
@Suite struct ConversionTests {
  private static func document(_ json: String) throws -> Document {
    guard case .document(let document) = try Value(json: json) else { return [:] }
    return document
  }

  /// Classes for the conditions below.
  private static func schema() throws -> Schema {
    try Schema(
      notation: Value(
        json: """
          [{"name":"Inner","embedded":true,"properties":{"b":"int?","d":"bool?"}},
           {"name":"C","primaryKey":"_id","properties":{"_id":"objectId","owner":"string?","n":"int?","a":"int?","b":"int?","c":"Inner?",
            "s":"string?","t":"string[]","items":"Inner[]","team":"string?","open":"bool?","shared":"bool?","locked":"bool?","deleted":"bool?",
            "d":"int?","secret":"string?","m":"int{}"}},
           {"name":"F","schemaless":true}]
          """))
  }

  static func filter(
    _ json: String, _ bound: RuleBound = .inner, on name: String = "C"
  ) throws -> String? {
    let schema = try schema()
    return try ExpressionConversion(on: schema[name], in: schema).filter(try Value(json: json), bound, at: [])
  }

  private static func rules(_ rules: Document) throws -> RuleConversion {
    let schema = try schema()
    return RuleConversion(rules, on: schema["C"], in: schema)
  }

  @Test func `a schema of documents becomes classes`() throws {
    let schema = """
      {"title":"Task","bsonType":"object","required":["_id","name","tags"],"properties":{
        "_id":{"bsonType":"objectId"},"name":{"bsonType":"string","maxLength":80},"done":{"bsonType":"bool"},
        "count":{"bsonType":"long","minimum":0},"price":{"bsonType":"decimal"},"tags":{"bsonType":"array","items":{"bsonType":"string"}},
        "unique":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"int"}},
        "extra":{"bsonType":"object","additionalProperties":{"bsonType":"mixed"}},
        "place":{"title":"Place","bsonType":"object","required":["city"],"properties":{"city":{"bsonType":"string"},"zip":{"bsonType":"string"}}},
        "steps":{"bsonType":"array","items":{"bsonType":"object","properties":{"text":{"bsonType":"string"}}}},
        "owner":{"bsonType":"objectId"},"helpers":{"bsonType":"array","items":{"bsonType":"objectId"}},"when":{"bsonType":"date"}}}
      """
    let conversion = ClassConversion(
      try Self.document(schema), of: "tasks",
      relationships: [
        "owner": .init(collection: "people", foreignKey: "_id", isList: false),
        "helpers": .init(collection: "people", foreignKey: "_id", isList: true),
      ])
    #expect(conversion.faults.isEmpty)
    let text = String(decoding: Value.array(conversion.classes).plainJSON, as: UTF8.self)
    #expect(
      text == """
        [{"name":"Place","embedded":true,"properties":{"city":"string","zip":"string?"}},\
        {"name":"tasks_steps","embedded":true,"properties":{"text":"string?"}},\
        {"name":"tasks","primaryKey":"_id","properties":{"_id":"objectId","name":{"type":"string","maxLength":80},"done":"bool?",\
        "count":{"type":"int?","minimum":0},"price":"decimal128?","tags":"string[]","unique":"int<>","extra":"mixed{}",\
        "place":"Place?","steps":"tasks_steps[]","owner":"people?","helpers":"people[]","when":"date?"}}]
        """)
    let people = try Value(json: #"{"name":"people","primaryKey":"_id","properties":{"_id":"objectId"}}"#)
    _ = try Schema(notation: .array(conversion.classes + [people]))
  }

  @Test(
    arguments: [
      (#"{"bsonType":["string","null"],"maxLength":3}"#, #"{"type":"string?","maxLength":3}"#, nil),
      (#"{"bsonType":["object","null"],"title":"T","properties":{"b":{"bsonType":"int"}}}"#, #""T?""#, nil),
      (#"{"bsonType":["string","int"]}"#, #""mixed""#, "a: values of several types are of any type"),
      (
        #"{"enum":["x"]}"#, #""mixed""#,
        "a: without a type, values are of any type, a.enum: “enum” is not asked of values of any type"
      ),
      (
        #"{"bsonType":"timestamp"}"#, #""mixed""#,
        "a: a “timestamp” is a value of any type, but timestamps themselves are taken by collections without a schema only"
      ),
      (
        #"{"bsonType":"array","items":{"bsonType":"timestamp"}}"#, #""mixed[]""#,
        "a.items: a “timestamp” is a value of any type, but timestamps themselves are taken by collections without a schema only"
      ),
      (#"{"bsonType":"object"}"#, #""mixed""#, "a: an object without “properties” is a value of any type"),
      (
        #"{"bsonType":"object","additionalProperties":true}"#, #""mixed""#,
        "a: an object without “properties” is a value of any type"
      ),
      (
        #"{"bsonType":"array","minItems":1}"#, #"{"type":"mixed[]","minItems":1}"#,
        "a: elements of a list without “items” are of any type"
      ),
      (
        #"{"bsonType":"array","items":{"bsonType":"array"}}"#, #""mixed[]""#,
        "a.items: lists of lists are “mixed”"
      ),
      (
        #"{"bsonType":"array","items":{"bsonType":["int","null"]}}"#, #""mixed[]""#,
        "a.items: elements that may be null are of any type"
      ),
      (
        #"{"bsonType":"object","title":"T","additionalProperties":true,"properties":{"b":{"bsonType":"int"}}}"#,
        #""T?""#,
        "a.additionalProperties: “T” has no fields but its properties"
      ),
    ] as [(String, String, String?)])
  func `what a class holds as any value is told`(property: String, notation: String, note: String?) throws {
    let json = #"{"properties":{"_id":{"bsonType":"int"},"a":\#(property)}}"#
    let conversion = ClassConversion(try Self.document(json), of: "C", relationships: [:])
    #expect(conversion.faults.isEmpty)
    let text = conversion.notes.map { "\($0.place): \($0.text)".dropFirst("properties.".count) }.joined(
      separator: ", ")
    #expect(text == note ?? "")
    _ = try Schema(notation: .array(conversion.classes))
    guard case .document(let type)? = conversion.classes.last,
      case .document(let properties)? = type["properties"]
    else { return }
    let taken = try #require(properties["a"])
    #expect(String(decoding: taken.plainJSON, as: UTF8.self) == notation)
  }

  @Test(arguments: [
    (
      #"{"properties":{"_id":{"bsonType":"int"},"a":{"bsonType":"regex"}}}"#,
      "properties.a: there is no type “regex”"
    ),
    (
      #"{"properties":{"_id":{"bsonType":"int"},"a":{"bsonType":"string","pattern":"x"}}}"#,
      "properties.a.pattern: “pattern” has no counterpart in a class"
    ),
    (#"{"properties":{"a":{"bsonType":"int"}}}"#, ": a class of documents needs “_id”"),
    (
      #"{"minProperties":2,"properties":{"_id":{"bsonType":"int"}}}"#,
      "minProperties: “minProperties” has no counterpart in a class"
    ),
    (
      #"{"properties":{"_id":{"bsonType":"int"},"a":{"bsonType":["javascript"]}}}"#,
      "properties.a: there is no type “javascript”"
    ),
    (
      #"{"properties":{"_id":{"bsonType":["int","string"]},"a":{"bsonType":"int"}}}"#,
      "properties._id: “_id” has one “bsonType”, : a class of documents needs “_id”"
    ),
  ])
  func `what no class can say is told`(json: String, fault: String) throws {
    let conversion = ClassConversion(try Self.document(json), of: "C", relationships: [:])
    #expect(conversion.faults.map { "\($0.place): \($0.text)" }.joined(separator: ", ") == fault)
  }

  @Test(
    arguments: [
      ("true", nil), ("{}", nil), ("false", "FALSEPREDICATE"),
      (#"{"owner":"%%user.id"}"#, "owner == %%user.id"),
      (#"{"%%root.owner":"%%user.id","n":{"$gt":5,"$lte":9}}"#, "owner == %%user.id AND (n > 5 AND n <= 9)"),
      (#"{"$or":[{"a":1},{"s":{"$in":["x","it's"]}}]}"#, #"((a == 1) OR (s IN {'x', 'it\'s'}))"#),
      (#"{"team":{"$in":"%%user.custom_data.teams"}}"#, "team IN %%user.custom_data.teams"),
      (#"{"$and":[{"c.b":null},{"c":{"%exists":true}}]}"#, "(c.b == NULL) AND (c != NULL)"),
      (#"{"_id":{"%stringToOid":"%%user.id"}}"#, "_id == oid(%%user.id)"),
      (#"{"%%user.id":{"%in":"%%root.t"}}"#, "t == %%user.id"),
      // No element of a list is equal.
      (#"{"t":{"$ne":"x"}}"#, "NOT t == 'x'"), (#"{"items.b":{"$nin":[1,2]}}"#, "NOT ANY items.b IN {1, 2}"),
      (#"{"a":{"$ne":1}}"#, "a != 1"), (#"{"a":{"$not":{"$gt":1}}}"#, "NOT (a > 1)"),
      (#"{"m.k":1,"m.j":null}"#, "m['k'] == 1 AND NOT m['j'] != NULL"),
      (#"{"open":"%%true","locked":"%%false"}"#, "open == true AND locked == false"),
      (#"{"%or":[{"a":1},{}]}"#, "TRUEPREDICATE"), (#"{"$nor":[{"open":true}]}"#, "NOT ((open == true))"),
    ] as [(String, String?)])
  func `expressions become filters`(json: String, filter: String?) throws {
    #expect(try Self.filter(json) == filter)
  }

  @Test(arguments: [
    (#"{"%%prevRoot.a":1}"#, "%%prevRoot.a"), (#"{"a":{"$regex":"x"}}"#, "a"),
    (#"{"a":"%%request.ip"}"#, "a"),
    (#"{"a":{"%function":{"name":"f"}}}"#, "a.%function"), (#"{"a":{"b":1}}"#, "a"), ("5", ""),
    (#"{"a b":1}"#, "a b"), (#"{"a":"%%user.identities"}"#, "a"), (#"{"x":1}"#, "x"),
    (#"{"s.length":1}"#, "s.length"),
    (#"{"t":{"$ne":null}}"#, "t.$ne"), (#"{"t":{"$exists":true}}"#, "t.$exists"), (#"{"m":1}"#, "m"),
    (#"{"a":{"$gte":null}}"#, "a.$gte"), (#"{"$or":[]}"#, "$or"),
  ])
  func `what RQL cannot say is told with its place`(json: String, place: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try Self.filter(json) }
    #expect(error.place == place)
  }

  @Test(
    arguments: [
      (#"{"a":1}"#, "(a == 1 OR a.@type == 'array' AND a[*] == 1)", nil),
      (#"{"a":{"$ne":1}}"#, "NOT (a == 1 OR a.@type == 'array' AND a[*] == 1)", nil),
      (#"{"a":null}"#, "(NOT a != NULL OR a.@type == 'array' AND a[*] == NULL)", nil),
      (
        #"{"a.b":1}"#,
        "(a.b == 1 OR a.@type == 'array' AND a[*].b == 1 OR a.b.@type == 'array' AND a.b[*] == 1)",
        "(a.b == 1 OR a.@type == 'array' AND a[*].b == 1 OR a.b.@type == 'array' AND a.b[*] == 1 OR a[*].b[*] == 1)"
      ),
      (#"{"a":{"$exists":true}}"#, "a != NULL", "a.$exists"),
      (#"{"a":{"$exists":false}}"#, "a.$exists", "NOT a != NULL"), (#"{"_id":1}"#, "_id == 1", nil),
    ] as [(String, String, String?)])
  func `fields of documents may be lists`(json: String, inner: String, outer: String?) throws {
    for (bound, filter) in [(RuleBound.inner, inner), (.outer, outer ?? inner)] {
      do {
        #expect(try Self.filter(json, bound, on: "F") == filter)
      } catch let error as ConfigurationError {
        #expect(error.place == filter)
      }
    }
  }

  @Test(
    arguments: [
      // The first role that applies decides.
      (
        #"[{"name":"owner","apply_when":{"owner":"%%user.id"},"read":true,"write":true},{"name":"all","apply_when":{},"read":true,"write":false}]"#,
        #"{"read":"((owner == %%user.id)) OR (NOT (owner == %%user.id))","write":"(owner == %%user.id)"}"#
      ),
      (
        #"[{"name":"all","apply_when":{},"document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id","open":true}},"read":true,"write":true,"insert":true,"delete":true,"search":true}]"#,
        #"{"read":"(owner == %%user.id)","write":"(owner == %%user.id AND open == true)"}"#
      ),
      (
        #"[{"name":"all","apply_when":{},"read":true,"fields":{"secret":{"read":false,"write":false},"open":{"read":true}}}]"#,
        #"{"read":true,"write":false,"fields":{"secret":{"read":false,"write":false}}}"#
      ),
      (#"[{"name":"none","apply_when":{},"read":false,"write":false}]"#, nil), ("[]", nil),
      // Nobody is let in by a role behind one that cannot be said.
      (
        #"[{"name":"x","apply_when":{"a":{"$regex":"x"}},"read":false},{"name":"all","apply_when":{},"read":true}]"#,
        nil
      ),
      // A permission that a property's rule does not give is none; who writes a property reads it.
      (
        #"[{"name":"all","apply_when":{},"insert":true,"delete":true,"fields":{"a":{"read":true},"b":{},"n":{"write":true},"d":{"read":true,"write":true}},"additional_fields":{"read":true,"write":true}}]"#,
        #"{"read":true,"write":true,"fields":{"a":{"write":false},"b":{"read":false,"write":false}}}"#
      ),
      // Who writes reads.
      (#"[{"name":"all","apply_when":{},"write":true}]"#, #"{"read":true,"write":true}"#),
    ] as [(String, String?)])
  func `rules become rights`(json: String, rights: String?) throws {
    let conversion = try Self.rules(["roles": try Value(json: json)])
    #expect(conversion.rights.map { String(decoding: Value.document($0).plainJSON, as: UTF8.self) } == rights)
  }

  @Test func `a condition on the user becomes a role that an operator gives`() throws {
    let json = #"""
      [{"name":"boss","apply_when":{"%%user.custom_data.boss":true},"read":true,"write":true},
       {"name":"all","apply_when":{},"read":{"shared":true}}]
      """#
    let conversion = try Self.rules(["roles": try Value(json: json)])
    #expect(
      conversion.named.map(\.name) == ["boss"]
        && conversion.named[0].rights == ["read": .bool(true), "write": .bool(true)])
    #expect(conversion.rights == ["read": .string("(shared == true)"), "write": .bool(false)])
    #expect(conversion.faults.isEmpty)
  }

  @Test(
    arguments: [
      // Whom the first role keeps out is not known here.
      (
        #"""
        "roles":[{"name":"isBanned","apply_when":{"%%user.custom_data.banned":true},"read":false,"write":false},{"name":"rest","apply_when":{},"read":true,"write":true}]
        """#,
        nil, ["roles.1", "isBanned false"]
      ),
      (
        #"""
        "roles":[{"name":"some","apply_when":{"%%user.custom_data.some":true},"read":true,"fields":{"a":{"read":false}}},{"name":"rest","apply_when":{},"read":true}]
        """#,
        nil, ["roles.1", "some true"]
      ),
      (
        #"""
        "roles":[{"name":"boss","apply_when":{"%%user.custom_data.boss":true},"read":true,"write":true},{"name":"rest","apply_when":{},"read":{"shared":true}}]
        """#,
        #"{"read":"(shared == true)","write":false}"#, ["boss true"]
      ),
      // Who has our role is known.
      (
        #"""
        "roles":[{"name":"guest","apply_when":{"%%user.roles":"guest"},"read":false},{"name":"rest","apply_when":{},"read":true}]
        """#,
        #"{"read":true,"write":false}"#, ["guest false"]
      ),
      // The documents of roles before a user's are theirs.
      (
        #"""
        "roles":[{"name":"locked","apply_when":{"locked":true},"read":true},{"name":"boss","apply_when":{"%%user.custom_data.boss":true},"read":true,"write":true}]
        """#,
        #"{"read":"(locked == true)","write":false}"#, ["boss ((locked == true)) OR (NOT (locked == true))"]
      ),
      // A condition that names the document is not one on the user.
      (
        #""roles":[{"name":"own","apply_when":{"%%user.id":"%%root.owner"},"read":true}]"#,
        #"{"read":"(owner == %%user.id)","write":false}"#, []
      ),
      (
        #""roles":[{"name":"own","apply_when":{"%%user.id":"%%root.t"},"read":true,"write":true}]"#, nil,
        ["roles.0.apply_when.%%user.id"]
      ),
      (
        #"""
        "filters":[{"name":"f","apply_when":{},"query":{"deleted":{"$ne":true}},"projection":{"secret":0}}],"roles":[{"name":"all","apply_when":{},"read":true,"write":true}]
        """#,
        #"{"read":"(deleted != true)","write":"(deleted != true)","fields":{"secret":{"read":false,"write":false}}}"#,
        []
      ),
      // The filter of some users holds for all.
      (
        #"""
        "filters":[{"name":"f","apply_when":{"%%user.custom_data.a":1},"query":{"b":1}}],"roles":[{"name":"all","apply_when":{},"read":true}]
        """#,
        #"{"read":"(b == 1)","write":false}"#, ["filters.0.apply_when"]
      ),
      (
        #"""
        "filters":[{"name":"f","apply_when":{},"query":{"b":{"$regex":"x"}}}],"roles":[{"name":"all","apply_when":{},"read":true}]
        """#,
        nil, ["filters.0.query.b", "filters.0.query.b"]
      ),
      (
        #"""
        "filters":[{"name":"f","apply_when":{},"projection":{"a":1}}],"roles":[{"name":"all","apply_when":{},"read":true}]
        """#,
        nil, ["filters.0.projection.a", "filters.0.projection.a"]
      ),
      (
        #"""
        "roles":[{"name":"all","apply_when":{},"read":true,"document_filters":{"reed":false}}]
        """#,
        nil, ["roles.0.document_filters.reed"]
      ),
      (
        #"""
        "roles":[{"name":"all","apply_when":{},"read":true,"additional_fields":{"raed":false}}]
        """#,
        nil, ["roles.0.additional_fields.raed"]
      ),
      (
        #"""
        "roles":[{"name":"all","apply_when":{},"read":true,"fields":{"text":{"write":true}},"additional_fields":{"write":false}}]
        """#,
        nil, ["roles.0.fields.text.write"]
      ),
      (
        #"""
        "roles":[{"name":"all","apply_when":{},"fields":{"text":{"read":true}}}]
        """#,
        nil, ["roles.0.fields.text.read"]
      ),
      (
        #""filtres":[],"roles":[{"name":"all","apply_when":{},"read":true}]"#, nil, ["filtres", "filtres"]
      ),
      // A property that one of two roles hides is hidden.
      (
        #"""
        "roles":[{"name":"a","apply_when":{"a":1},"read":true,"fields":{"s":{"read":true,"write":false}}},{"name":"b","apply_when":{},"read":true,"fields":{"s":{"read":false}}}]
        """#,
        #"{"read":"((a == 1)) OR (NOT (a == 1))","write":false,"fields":{"s":{"write":false,"read":false}}}"#,
        ["roles.1"]
      ),
    ] as [(String, String?, [String])])
  func `nobody gets more rights than the rules gave`(json: String, rights: String?, told: [String]) throws {
    let conversion = try Self.rules(try Self.document("{\(json)}"))
    #expect(conversion.rights.map { String(decoding: Value.document($0).plainJSON, as: UTF8.self) } == rights)
    let named = conversion.named.map { role in
      let read =
        if case .string(let filter)? = role.rights["read"] { filter } else {
          role.rights["read"] == .bool(true) ? "true" : "false"
        }
      return "\(role.name) \(read)"
    }
    #expect(conversion.faults.map(\.place) + named == told)
  }

  @Test(
    arguments: [
      // Writing is making and deleting here.
      (
        #""read":true,"write":true,"delete":false"#, #"{"read":true,"write":false}"#,
        ["roles.0.delete: “delete” cannot be taken from who may write: the role writes nothing"]
      ),
      (
        #""read":true,"write":{"a":1},"insert":true"#, #"{"read":true,"write":false}"#,
        ["roles.0: “delete” is missing: the role writes nothing"]
      ),
      (#""read":true,"write":{"a":1},"insert":true,"delete":true"#, #"{"read":true,"write":"(a == 1)"}"#, []),
      (
        #""read":false,"write":true"#, #"{"read":true,"write":true}"#,
        ["roles.0.read: “read” is false, and the role reads what it may write"]
      ),
      (
        #""document_filters":{"read":false,"write":true},"read":false,"write":true"#, nil,
        ["roles.0.document_filters.read: who reads no documents cannot write them here"]
      ),
      (
        #""read":true,"write":true,"fields":{"a":{"read":false,"write":true}}"#,
        #"{"read":true,"write":true,"fields":{"a":{"read":false,"write":false}}}"#,
        ["roles.0.fields.a.read: “read” is false, and the property is not written either"]
      ),
    ] as [(String, String?, [String])])
  func `permissions that contradict each other are told`(
    members: String, rights: String?, told: [String]
  ) throws {
    let role = try Value(json: "{\"name\":\"all\",\"apply_when\":{},\(members)}")
    let conversion = try Self.rules(["roles": .array([role])])
    #expect(conversion.rights.map { String(decoding: Value.document($0).plainJSON, as: UTF8.self) } == rights)
    #expect((conversion.faults + conversion.notes).map { "\($0.place): \($0.text)" } == told)
  }

  @Test(arguments: [
    #"{"owner":"%%user.id"}"#, #"{"a":1,"b":{"$gte":-2.5},"c.d":true}"#,
    #"{"$or":[{"a":1},{"s":"it's\n\\"}]}"#,
    #"{"$and":[{"a":{"$in":[1,"x",null]}},{"a":{"$ne":5}}]}"#, #"{"$nor":[{"a":{"$exists":true}}]}"#,
    #"{"t":{"$ne":"x"}}"#, #"{"t":{"$nin":["x","y"]},"items.b":1}"#, #"{"a":{"$not":{"$gt":1}}}"#,
    #"{"m.k":5}"#,
    #"{"_id":{"%stringToOid":"%%user.id"}}"#,
    #"{"team":{"$in":"%%user.custom_data.teams"}}"#, #"{"_id":{"$oid":"5f0000000000000000000021"}}"#,
    #"{"$or":[{"$and":[{"a":1},{"b":2}]},{"$nor":[{"$or":[{"n":3},{"d":{"$lt":4}}]}]}]}"#,
  ])
  func `an expression is said again as it was`(text: String) throws {
    try Self.expectSame(text, on: "C")
  }

  @Test(arguments: [
    #"{"owner":"%%user.id"}"#, #"{"a":1,"b.c":{"$gt":2}}"#, #"{"a":{"$ne":1}}"#, #"{"a":null}"#,
    #"{"a":{"$ne":null}}"#,
    #"{"a":{"$in":[1,2]}}"#, #"{"a.b":{"$nin":["x"]}}"#,
    #"{"$or":[{"a":1},{"owner":{"%stringToOid":"%%user.id"}}]}"#,
    #"{"a":{"$exists":true}}"#,
  ])
  func `so is one about fields of documents`(text: String) throws {
    try Self.expectSame(text, on: "F")
  }

  private static func expectSame(_ text: String, on name: String) throws {
    let expression = try Value(json: text)
    let schema = try schema()
    let type = try #require(schema[name])
    let filter = try #require(try filter(text, on: name))
    let said = RuleExpression.document(for: "(\(filter))", on: type, in: schema)
    #expect(said.map { .document($0) } == expression, "\(filter)")
  }

  @Test(arguments: [
    "a CONTAINS 'x'", "a == $0", "a ==", "(a == 1", "a == 1 SORT(a ASC)", "a == '%%user.id'", "ANY a == 1",
    "a.@count == 1",
    "a == 1 AND", "FALSEPREDICATE", "t != 'x'",
  ])
  func `a filter that expressions have no words for is none`(filter: String) throws {
    let schema = try Self.schema()
    #expect(RuleExpression.document(for: filter, on: try #require(schema["C"]), in: schema) == nil)
  }

  @Test func `roles become rules, and what cannot be said is told`() throws {
    let notation = try Value(
      json: """
        {"user":{"classes":{"Note":{"read":true,"write":"owner == %%user.id","fields":{"stars":{"read":true,"write":false}}},"*":{"read":true}}},
         "editor":{"classes":{"Note":{"read":true,"write":true,"quota":{"objects":5}},"Log":{"read":"a CONTAINS 'x'","write":true}},
          "recordsEvents":true},"guest":{"classes":{"Log":{"read":"a == 'x'","write":true}}},"anyone":{"classes":{"*":{"read":true}}}}
        """)
    let schema = try Schema(
      notation: Value(
        json: """
          [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","owner":"string","stars":"int"}},
           {"name":"Log","primaryKey":"_id","properties":{"_id":"int","a":"string"}}]
          """))
    let export = RuleExport(try Policy(notation: notation), in: schema, database: "app")
    let all = #""read":true,"write":true,"insert":true,"delete":true,"search":true"#
    let read = #""read":true,"write":false,"insert":false,"delete":false,"search":true"#
    let none = #""read":false,"write":false,"insert":false,"delete":false,"search":false"#
    let editor = #""name":"editor","apply_when":{"%%user.roles":"editor"}"#
    let guest = #""name":"guest","apply_when":{"%%user.roles":"guest"}"#
    let user = #""name":"user","apply_when":{}"#
    let expected = [
      // The rights on other classes of a role that has none of its own here, too.
      "Note":
        #"{"database":"app","collection":"Note","roles":[{\#(editor),\#(all)},{\#(guest),\#(none)},{\#(user),"document_filters":{"write":{"owner":"%%user.id"}},\#(all),"fields":{"stars":{"read":true,"write":false}}}],"filters":[]}"#,
      "Log":
        #"{"database":"app","collection":"Log","roles":[{\#(editor),\#(none)},{\#(guest),"document_filters":{"read":{"a":"x"},"write":{"a":"x"}},\#(all)},{\#(user),\#(read)}],"filters":[]}"#,
      "*": #"{"roles":[{\#(editor),\#(none)},{\#(guest),\#(none)},{\#(user),\#(read)}],"filters":[]}"#,
    ]
    #expect(export.rules.keys.sorted() == expected.keys.sorted())
    for (name, json) in expected {
      #expect(try export.rules[name].map { .document($0) } == Value(json: json), "\(name)")
    }
    #expect(
      export.omissions == [
        "the rights of callers without a login", "role “editor” may record events",
        "role “editor”: the condition on read of Log cannot be said", "role “editor”: the quota of Note",
      ])
  }
}
