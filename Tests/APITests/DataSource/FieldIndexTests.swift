import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Indexes of schemaless classes, by paths to fields.
@Suite struct FieldIndexTests {
  private static let schema = #"[{"name":"Log","schemaless":true,"indexes":["level","user.name"]}]"#
  private static let path = "/v1/collections/Log"

  private static func objects(_ count: Int) -> String {
    let objects = (0..<count).map { id in
      #"{"_id":\#(id),"level":\#(id % 50),"user":{"name":"u\#(id % 40)","age":\#(id)}}"#
    }
    return "[\(objects.joined(separator: ","))]"
  }

  private func explain(_ query: String, in fixture: Fixture) async throws -> String {
    try await fixture.send(.get, "\(Self.path)?explain=true&filter=\(query.percentEncoded)").text
  }

  @Test func `the schema shows the paths`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let schema = try await fixture.send(.get, "/v1/schema").text
      #expect(
        schema
          == #"[{"name":"Log","primaryKey":"_id","schemaless":true,"properties":{"_id":"mixed"},"indexes":["level","user.name"]}]"#
      )
    }
  }

  @Test(arguments: [
    ("level == 3", "level"), ("level == 3.5", "level"), ("level > 40 AND level <= 42", "level"),
    ("level IN {1, 2}", "level"), (#"user.name == "u1""#, "user.name"),
    (#"user.name BEGINSWITH "u39""#, "user.name"), (#"level == 1 OR level == 2"#, "level"),
    (#"user.age == 5 AND user.name == "u5""#, "user.name"),
  ])
  func `a query is answered by the index of its path`(query: String, index: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, Self.path, json: Self.objects(200))
      let plan = try await explain(query, in: fixture)
      #expect(plan.contains("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
      #expect(plan.contains(".(\(index)) (<expr>"), "\(plan)")
    }
  }

  @Test(arguments: [
    "level != 3", "user.age == 3", "NOT level == 3", "level == nil", #"user["name"] CONTAINS "1""#,
  ])
  func `a query that an index does not find looks at all objects`(query: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, Self.path, json: Self.objects(20))
      let plan = try await explain(query, in: fixture)
      #expect(plan.contains("SCAN t") && !plan.contains("(<expr>"), "\(plan)")
    }
  }

  @Test(
    arguments: [
      ("a == NULL", [1, 2, 8, 9, 10, 11]), ("a != NULL", [3, 4, 5, 6, 7]),
      ("NOT a == NULL", [3, 4, 5, 6, 7]),
      ("NOT a != NULL", [1, 2, 8, 9, 10, 11]), ("a IN {NULL}", [1, 2, 8, 9, 10, 11]),
      ("a IN {NULL, 1}", [1, 2, 3, 8, 9, 10, 11]), ("a == 1 OR a == NULL", [1, 2, 3, 8, 9, 10, 11]),
      ("a != 1", [1, 2, 4, 5, 6, 7, 8, 9, 10, 11]), ("a == NULL AND a != 1", [1, 2, 8, 9, 10, 11]),
      ("b.c == NULL", [1, 2, 3, 4, 5, 6, 8, 9, 10]), ("b.c != NULL", [7]),
      ("b.c IN {NULL}", [1, 2, 3, 4, 5, 6, 8, 9, 10]), ("b.c == NULL AND a == NULL", [1, 2, 8, 9, 10]),
      ("NOT b.c == 1", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11]), ("a > 0", [3]),
      ("a <= NULL", [1, 2, 8, 9, 10, 11]),
    ], [true, false])
  func `a field that is not there is null`(query: (text: String, ids: [Int]), isIndexed: Bool) async throws {
    let documents = #"""
      [{"_id":1},{"_id":2,"a":null},{"_id":3,"a":1},{"_id":4,"a":[null]},{"_id":5,"a":[]},{"_id":6,"a":{"x":1}},
       {"_id":7,"a":"x","b":{"c":1}},{"_id":8,"b":{"c":null}},{"_id":9,"b":{}},{"_id":10,"b":3},{"_id":11,"b":[{"c":1}]}]
      """#
    let indexes = isIndexed ? #","indexes":["a","b.c"]"# : ""
    try await Fixture.with(#"[{"name":"Log","schemaless":true\#(indexes)}]"#) { fixture in
      _ = try await fixture.send(.post, Self.path, json: documents)
      let found = try await fixture.send(.get, "\(Self.path)?fields=_id&filter=\(query.text.percentEncoded)")
      #expect(found.text == "[\(query.ids.map { #"{"_id":\#($0)}"# }.joined(separator: ","))]")
    }
  }

  @Test func `indexes are made and dropped by changes of the schema`() async throws {
    try await Fixture.with(#"[{"name":"Log","schemaless":true}]"#) { fixture in
      _ = try await fixture.send(.post, Self.path, json: Self.objects(100))
      #expect(!(try await explain("level == 3", in: fixture)).contains("(<expr>"))
      let made = try await fixture.send(.put, "/v1/schema", json: Self.schema)
      #expect(made.status == 200, "\(made.text)")
      #expect(try await explain("level == 3", in: fixture).contains(".(level) (<expr>"))
      let found = try await fixture.send(.get, "\(Self.path)?fields=_id&filter=level%20==%203")
      #expect(found.text == #"[{"_id":3},{"_id":53}]"#)
      let dropped = try await fixture.send(
        .put, "/v1/schema", json: #"[{"name":"Log","schemaless":true,"indexes":["user.name"]}]"#)
      #expect(dropped.status == 200, "\(dropped.text)")
      #expect(!(try await explain("level == 3", in: fixture)).contains("(<expr>"))
      #expect(try await explain(#"user.name == "u3""#, in: fixture).contains(".(user.name) (<expr>"))
    }
  }

  @Test(arguments: [
    #"[1]"#, #""level""#, #"[{"properties":["level"]}]"#, #"[""]"#, #"["a..b"]"#, #"["_id"]"#, #"["_id.x"]"#,
    #"["$a"]"#, #"["level","level"]"#, #"["a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q"]"#,
  ])
  func `what is no path is refused`(indexes: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let answer = try await fixture.send(
        .put, "/v1/schema", json: #"[{"name":"Log","schemaless":true,"indexes":\#(indexes)}]"#)
      #expect((answer.status, answer.code) == (422, "invalid_schema"), "\(answer.text)")
    }
  }

  /// Two classes with the same documents, one with indexes, answer alike.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `results are those without indexes`(seed: UInt64) async throws {
    let schema = """
      [{"name":"Plain","schemaless":true},\
      {"name":"Fast","schemaless":true,"indexes":["a","a.b","n","it's.\\"x"]}]
      """
    var random = SeededGenerator(seed: seed)
    try await Fixture.with(schema) { fixture in
      var documents: [String] = []
      for id in 0..<120 { documents.append(Self.document(id, &random)) }
      for name in ["Plain", "Fast"] {
        let made = try await fixture.send(
          .post, "/v1/collections/\(name)", json: "[\(documents.joined(separator: ","))]")
        try #require(made.status == 201, "\(made.text)")
      }
      for _ in 0..<150 {
        let query = Self.query(&random)
        var answers: [String] = []
        for name in ["Plain", "Fast"] {
          answers.append(
            try await fixture.send(
              .get, "/v1/collections/\(name)?fields=_id&filter=\(query.percentEncoded)"
            ).text)
        }
        #expect(answers[0] == answers[1] && answers[0].hasPrefix("["), "\(query): \(answers)")
        let filter = Self.filter(&random)
        answers = []
        for name in ["Plain", "Fast"] {
          answers.append(
            try await fixture.send(
              .post, DataAPITests.target("find"),
              json: DataAPITests.content(name, #""filter":\#(filter),"projection":{"_id":1}"#)
            ).text)
        }
        #expect(answers[0] == answers[1] && answers[0].contains("documents"), "\(filter): \(answers)")
      }
    }
  }

  /// Values of one type, among them some that are equal, or whose beginnings are.
  private static let values: [[String]] = [
    ["0", "1", "2", "1.0", "-3", "7", "-3", "1000000"],
    [
      "0.1", #"{"$numberDecimal":"0.1"}"#, #"{"$numberDecimal":"0.1000000000000000055511151231257827"}"#,
      "2.5",
      #"{"$numberDouble":"NaN"}"#, #"{"$numberDouble":"-Infinity"}"#, #"{"$numberDecimal":"Infinity"}"#,
      #"{"$numberDecimal":"9E+6144"}"#, #"{"$numberDecimal":"-9E+6144"}"#, #"{"$numberDouble":"Infinity"}"#,
      "-0.0", "0",
      #"{"$numberLong":"9007199254740993"}"#, "9007199254740992.0", "1e300", #"{"$numberDecimal":"1E+300"}"#,
      "-1e-300",
    ],
    [#""""#, #""a""#, #""ab""#, #""b""#, #""é""#, #""a\u0001""#]
      + ["x", "y", "", "z"].map { #""\#(String(repeating: "long", count: 70))\#($0)""# },
    ["true", "false"],
    [
      #"{"$date":"2026-01-02T03:04:05.006Z"}"#, #"{"$date":"2026-01-02T03:04:05.007Z"}"#,
      #"{"$date":"1960-01-01T00:00:00Z"}"#,
    ],
    [#"{"$oid":"00000000000000000000000a"}"#, #"{"$oid":"f0000000000000000000000a"}"#],
    [
      #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
      #"{"$uuid":"f0112233-4455-6677-8899-aabbccddeeff"}"#,
    ],
    // No order is proved of these: types, lists, documents, and binary data by its length.
    ["1", #""a""#], ["[1,5]", "3"], ["{}", #"{"x":1}"#], [#"{"$binary":{"base64":"AQI=","subType":"00"}}"#],
    [#"{"$timestamp":{"t":1,"i":2}}"#, "1"], ["null"],
  ]

  /// One class with indexes, and one without, have the same documents in the same order: equal ones stay as they are.
  @Test(arguments: values.indices, [0, 0.2, 1])
  func `documents come in the order of an index as they are sorted`(kind: Int, missing: Double) async throws {
    let schema = """
      [{"name":"Plain","schemaless":true},{"name":"Fast","schemaless":true,"indexes":["n","a.b"]}]
      """
    var random = SeededGenerator(seed: UInt64(kind))
    try await Fixture.with(schema) { fixture in
      let documents = (0..<90).map { id in
        let value = Self.values[kind].randomElement(using: &random) ?? "0"
        let others = ["", #","n":null,"a":[]"#, #","a":{"b":null}"#, #","a":5"#]
        return Double.random(in: 0..<1, using: &random) < missing
          ? #"{"_id":\#(id)\#(others.randomElement(using: &random) ?? "")}"#
          : #"{"_id":\#(id),"n":\#(value),"a":{"b":\#(value)},"x":\#(id % 7)}"#
      }
      for name in ["Plain", "Fast"] {
        for part in [documents.prefix(60), documents.suffix(30)] {
          let made = try await fixture.send(
            .post, "/v1/collections/\(name)", json: "[\(part.joined(separator: ","))]")
          try #require(made.status == 201, "\(made.text)")
        }
      }
      for sort in [#"{"n":1}"#, #"{"n":-1}"#, #"{"a.b":1}"#, #"{"a.b":-1}"#] {
        for rest in [
          #""limit":1"#, #""limit":7,"skip":5"#, #""limit":200"#,
          #""limit":10,"filter":{"x":{"$mod":[3,1]}}"#,
        ] {
          var answers: [String] = []
          for name in ["Plain", "Fast"] {
            answers.append(
              try await fixture.send(
                .post, DataAPITests.target("find"),
                json: DataAPITests.content(name, #""sort":\#(sort),\#(rest)"#)
              ).text)
          }
          #expect(answers[0] == answers[1] && answers[0].contains("documents"), "\(sort) \(rest)")
        }
      }
    }
  }

  private static func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
    // Half of the choices are among few, so that shapes and values come again.
    let most = Bool.random(using: &random) ? min(3, choices.count) : choices.count
    return choices[Int.random(in: 0..<most, using: &random)]
  }

  private static let scalars = [
    "0", "1", "2", "-3", "0.1", "2.5", "-1.5", #"{"$numberDecimal":"0.1"}"#, #"{"$numberDecimal":"2.50"}"#,
    #"{"$numberDecimal":"1E+400"}"#, #"{"$numberDouble":"NaN"}"#, #"{"$numberDouble":"-Infinity"}"#,
    #"{"$numberDouble":"Infinity"}"#, #"{"$numberDecimal":"Infinity"}"#,
    #"{"$numberDecimal":"1.000000000931322574615478515625"}"#, "1.0000000009313226",
    #""""#, #""a""#, #""ab""#, #""b""#, "true", "false", "null", #"{"$date":"2026-01-02T03:04:05.006Z"}"#,
    #"{"$date":"2026-01-02T03:04:05.007Z"}"#, #"{"$oid":"00000000000000000000000a"}"#,
    #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
    #"{"$numberLong":"9007199254740993"}"#, "9007199254740992.0",
  ]

  private static func value(_ random: inout SeededGenerator, _ depth: Int = 0) -> String {
    switch Int.random(in: 0..<(depth > 2 ? 6 : 10), using: &random) {
    case 6, 7: return "[\((0..<2).map { _ in value(&random, depth + 1) }.joined(separator: ","))]"
    case 8, 9: return #"{"b":\#(value(&random, depth + 1)),"c":\#(value(&random, depth + 1))}"#
    default: return pick(scalars, &random)
    }
  }

  private static func document(_ id: Int, _ random: inout SeededGenerator) -> String {
    var members = [#""_id":\#(id)"#]
    if Int.random(in: 0..<5, using: &random) > 0 { members.append(#""a":\#(value(&random))"#) }
    if Int.random(in: 0..<3, using: &random) > 0 { members.append(#""n":\#(pick(scalars, &random))"#) }
    if Int.random(in: 0..<3, using: &random) > 0 { members.append(#""it's":{"\"x":\#(value(&random))}"#) }
    return "{\(members.joined(separator: ","))}"
  }

  private static func comparison(_ random: inout SeededGenerator) -> String {
    let path = pick(["a", "a.b", "n", "a.c", "a[0]", "a[*]", #"a["b"]"#], &random)
    let constant = pick(
      [
        "0", "1", "2", "-3", "0.1", "2.5", #""""#, #""a""#, #""b""#, "true", "1.0000000009313226",
        "2026-01-02@03:04:05:6000000", "oid(00000000000000000000000a)", "9007199254740993",
        "uuid(00112233-4455-6677-8899-aabbccddeeff)",
      ], &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "\(path) IN {\(constant), 1, \"ab\"}"
    case 1: return "\(path) BEGINSWITH \"a\""
    case 2: return "\(path) != \(constant)"
    case 3: return "\(path).@type == 'array'"
    default: return "\(path) \(pick(["==", "<", "<=", ">", ">=", "=="], &random)) \(constant)"
    }
  }

  private static func query(_ random: inout SeededGenerator) -> String {
    let first = comparison(&random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return "\(first) AND \(comparison(&random))"
    case 1: return "\(first) OR \(comparison(&random))"
    case 2: return "NOT (\(first)) AND \(comparison(&random))"
    case 3: return "\(first) AND (\(comparison(&random)) OR \(comparison(&random)))"
    default: return first
    }
  }

  private static func condition(_ random: inout SeededGenerator) -> String {
    let path = pick(["a", "a.b", "n", "n", "a.c", "a.0", "a.b.c"], &random)
    let constant = pick(scalars, &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return #""\#(path)":{"$in":[\#(constant),\#(pick(scalars, &random))]}"#
    case 1: return #""\#(path)":{"$regex":"^a"}"#
    case 2: return #""\#(path)":{"$ne":\#(constant)}"#
    case 3: return #""\#(path)":{"$gte":\#(constant),"$lt":\#(pick(scalars, &random))}"#
    case 4: return #""\#(path)":{"$not":{"$gt":\#(constant)}}"#
    case 5: return #""\#(path)":{"\#(pick(["$gt", "$gte", "$lt", "$lte"], &random))":\#(constant)}"#
    default: return #""\#(path)":\#(constant)"#
    }
  }

  private static func filter(_ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "{\"$or\":[{\(condition(&random))},{\(condition(&random))}]}"
    case 1: return "{\"$and\":[{\(condition(&random))},{\(condition(&random))}]}"
    default: return "{\(condition(&random))}"
    }
  }
}
