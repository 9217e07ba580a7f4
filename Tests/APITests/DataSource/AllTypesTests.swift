import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Documents of schemaless classes with values of each of BSON's types, as fields and as identifiers.
@Suite struct AllTypesTests {
  private static let schema = #"[{"name":"Log","schemaless":true,"indexes":["a"]}]"#
  private static let path = "/v1/collections/Log"

  /// Values whose types no property has, in canonical Extended JSON.
  static let foreign = [
    #"{"$timestamp":{"t":4294967295,"i":1}}"#, #"{"$regularExpression":{"pattern":"^a/\"","options":"im"}}"#,
    #"{"$minKey":1}"#, #"{"$maxKey":1}"#, #"{"$undefined":true}"#, #"{"$symbol":"s"}"#, #"{"$code":"f()"}"#,
    #"{"$code":"f()","$scope":{"z":{"$numberInt":"1"},"a":[]}}"#,
    #"{"$dbPointer":{"$ref":"d.c","$id":{"$oid":"00000000000000000000000a"}}}"#,
    #"{"$binary":{"base64":"AQI=","subType":"02"}}"#, #"{"$binary":{"base64":"AQI=","subType":"80"}}"#,
    #"{"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"03"}}"#,
  ]

  /// Other identifiers than those of `SchemalessTests`.
  private static let identifiers =
    foreign + [
      "null", #"{"$binary":{"base64":"AQI=","subType":"00"}}"#, #"{"a":[{"$numberLong":"1"},[]],"b":null}"#,
      #"{"$date":{"$numberLong":"1"}}"#, #"{"$numberDecimal":"1.5"}"#, #"{"$numberDouble":"NaN"}"#,
      #"{"a":{"$timestamp":{"t":1,"i":2}}}"#, "{}",
    ]

  private func data(
    _ action: String, _ members: String, in fixture: Fixture
  ) async throws -> Value {
    let answer = try await fixture.send(
      .post, DataAPITests.target(action),
      ["accept": "application/ejson", "content-type": "application/ejson"],
      Array(DataAPITests.content("Log", members).utf8))
    try #require(answer.status == 200 || answer.status == 201, "\(answer.text)")
    return try Value(json: answer.text)
  }

  @Test(arguments: identifiers)
  func `an object has an identifier of any type, and one address by it`(id: String) async throws {
    let id = try Value(json: id)
    let segment = "~" + Base64.encode(id.extendedJSON, as: .urlSafe)
    try await Fixture.with(Self.schema) { fixture in
      let object = Value.document(["_id": id, "a": .int64(1)])
      let made = try await fixture.send(
        .post, Self.path, ["content-type": "application/ejson", "accept": "application/ejson"],
        object.extendedJSON)
      try #require(made.status == 201, "\(made.text)")
      #expect(made.fields["location"] == "\(Self.path)/\(segment)")
      func read() async throws -> Value {
        let answer = try await fixture.send(.get, "\(Self.path)/\(segment)", ["accept": "application/ejson"])
        return try Value(json: answer.text)
      }
      #expect(try await read() == object)
      let again = try await fixture.send(
        .post, Self.path, ["content-type": "application/ejson"], object.extendedJSON)
      #expect((again.status, again.code) == (409, "object_exists"), "\(again.text)")
      let patched = try await fixture.send(.patch, "\(Self.path)/\(segment)", json: #"{"a":2}"#)
      #expect(patched.status == 200, "\(patched.text)")
      #expect(try await read() == .document(["_id": id, "a": .int64(2)]))
      let put = try await fixture.send(.put, "\(Self.path)/\(segment)", json: #"{"b":3}"#)
      #expect(put.status == 200, "\(put.text)")
      #expect(try await read() == .document(["_id": id, "b": .int64(3)]))
      #expect(try await fixture.send(.delete, "\(Self.path)/\(segment)").status == 204)
      #expect(try await fixture.send(.get, Self.path).text == "[]")
    }
  }

  @Test(arguments: identifiers)
  func `the data source finds, changes and deletes a document by an identifier of any type`(
    id: String
  ) async throws {
    // MongoDB compares nothing with undefined.
    let filter =
      id == #"{"$undefined":true}"# ? #"{"_id":{"$type":"undefined"}}"# : #"{"_id":{"$eq":\#(id)}}"#
    let value = try Value(json: id)
    try await Fixture.with(Self.schema) { fixture in
      let inserted = try await data("insertOne", #""document":{"_id":\#(id),"a":1}"#, in: fixture)
      #expect(inserted == .document(["insertedId": value]))
      _ = try await data("insertOne", #""document":{"_id":"other","a":1}"#, in: fixture)
      let found = try await data("find", #""filter":\#(filter)"#, in: fixture)
      #expect(found == .document(["documents": .array([.document(["_id": value, "a": .int64(1)])])]))
      let updated = try await data(
        "updateOne", #""filter":\#(filter),"update":{"$inc":{"a":1}}"#, in: fixture)
      #expect(updated == .document(["matchedCount": .int32(1), "modifiedCount": .int32(1)]))
      let replaced = try await data("replaceOne", #""filter":\#(filter),"replacement":{"b":1}"#, in: fixture)
      #expect(replaced == .document(["matchedCount": .int32(1), "modifiedCount": .int32(1)]))
      let one = try await data("findOne", #""filter":\#(filter)"#, in: fixture)
      #expect(one == .document(["document": .document(["_id": value, "b": .int64(1)])]))
      let deleted = try await data("deleteMany", #""filter":\#(filter)"#, in: fixture)
      #expect(deleted == .document(["deletedCount": .int32(1)]))
    }
  }

  @Test(arguments: foreign)
  func `fields, members and elements have values of all types`(text: String) async throws {
    let value = try Value(json: text)
    try await Fixture.with(Self.schema) { fixture in
      let document = Value.document([
        "_id": .int64(1), "a": value, "b": .document(["c": value]), "l": .array([value, .int64(1)]),
      ])
      let made = try await fixture.send(
        .post, Self.path, ["content-type": "application/ejson"], document.extendedJSON)
      try #require(made.status == 201, "\(made.text)")
      func read() async throws -> Value {
        try Value(
          json: try await fixture.send(.get, "\(Self.path)/1", ["accept": "application/ejson"]).text)
      }
      #expect(try await read() == document)
      _ = try await data(
        "updateOne", #""filter":{"_id":1},"update":{"$set":{"b.d":\#(text)},"$push":{"l":\#(text)}}"#,
        in: fixture)
      let patched = try await fixture.send(
        .patch, "\(Self.path)/1", ["content-type": "application/json-patch+json"],
        Array(#"[{"op":"add","path":"/n","value":\#(text)}]"#.utf8))
      #expect(patched.status == 200, "\(patched.text)")
      let merged = try await fixture.send(.patch, "\(Self.path)/1", json: #"{"m":{"x":\#(text)},"a":null}"#)
      #expect(merged.status == 200, "\(merged.text)")
      #expect(
        try await read()
          == .document([
            "_id": .int64(1), "b": .document(["c": value, "d": value]),
            "l": .array([value, .int64(1), value]), "m": .document(["x": value]), "n": value,
          ]))
      let changes = try await fixture.send(.get, "/v1/changes?since=1", ["accept": "application/ejson"])
      let before = String(decoding: value.extendedJSON, as: UTF8.self)
      #expect(changes.text.contains(#""after":{"_id":{"$numberLong":"1"},"a":\#(before)"#), "\(changes.text)")
    }
  }

  @Test func `a change stream tells values of all types`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let watcher = try await fixture.watch("\(Self.path)?values=true")
      _ = await watcher.events(through: "ready")
      _ = try await data(
        "insertOne", #""document":{"_id":null,"a":{"$timestamp":{"t":1,"i":2}}}"#, in: fixture)
      await fixture.settle()
      let data = StreamEvent.all(in: watcher.text).last?.data ?? ""
      #expect(
        data.contains(#""id":null"#)
          && data.contains(#""object":{"_id":null,"a":{"$timestamp":{"t":1,"i":2}}}"#),
        "\(data)")
    }
  }

  @Test func `a class with properties takes none of them`() async throws {
    try await Fixture.with(#"[{"name":"Log","properties":{"any":"mixed"}}]"#) { fixture in
      for value in Self.foreign {
        let answer = try await fixture.send(
          .post, Self.path, ["content-type": "application/ejson"], Array(#"{"any":\#(value)}"#.utf8))
        #expect(answer.status == 422, "\(value): \(answer.text)")
      }
    }
  }

  @Test(
    arguments: [
      ("_id == NULL", "", [true, false, false]), ("_id == $0", "&args=%5Bnull%5D", [true, false, false]),
      ("NULL == _id", "", [true, false, false]), ("_id != NULL", "", [false, true, true]),
      ("NOT _id == NULL", "", [false, true, true]), ("_id IN {NULL, 1}", "", [true, true, false]),
      ("_id IN $0", "&args=%5B%5Bnull,1%5D%5D", [true, true, false]), ("_id == 1", "", [false, true, false]),
    ] as [(String, String, [Bool])])
  func `a query finds the document whose identifier is null`(query: String, arguments: String, found: [Bool])
    async throws
  {
    try await Fixture.with(Self.schema) { fixture in
      let documents = [#"{"_id":null}"#, #"{"_id":1,"a":2}"#, #"{"_id":"null"}"#]
      for json in documents {
        let made = try await fixture.send(.post, Self.path, json: json)
        try #require(made.status == 201, "\(made.text)")
      }
      let expected = "[\(zip(documents, found).filter(\.1).map(\.0).joined(separator: ","))]"
      let target = "\(Self.path)?filter=\(query.percentEncoded)\(arguments)"
      #expect(try await fixture.send(.get, target).text == expected)
      let count = try await fixture.send(.delete, target)
      #expect(count.text == #"{"count":\#(found.filter { $0 }.count)}"#, "\(count.text)")
    }
  }

  @Test func `documents are sorted by identifiers of all types in BSON's order`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let ordered = [
        #"{"$minKey":1}"#, "null", "1", #""a""#, #"{"a":[1]}"#,
        #"{"$binary":{"base64":"AQI=","subType":"00"}}"#,
        #"{"$binary":{"base64":"AQI=","subType":"05"}}"#, #"{"$oid":"00000000000000000000000a"}"#, "true",
        #"{"$date":{"$numberLong":"1"}}"#, #"{"$timestamp":{"t":1,"i":2}}"#,
        #"{"$regularExpression":{"pattern":"a","options":""}}"#, #"{"$maxKey":1}"#,
      ]
      let documents = ordered.reversed().map { #"{"_id":\#($0)}"# }.joined(separator: ",")
      _ = try await data("insertMany", #""documents":[\#(documents)]"#, in: fixture)
      let found = try await data("find", #""filter":{},"sort":{"_id":1}"#, in: fixture)
      #expect(
        found.inLongs
          == .document([
            "documents": .array(try ordered.map { .document(["_id": try Value(json: $0).inLongs]) })
          ]))
    }
  }
}

extension Value {
  /// With integers of 64 bits, which are all that is stored.
  fileprivate var inLongs: Value {
    switch self {
    case .int32(let value): .int64(Int64(value))
    case .array(let values): .array(values.map(\.inLongs))
    case .document(let document):
      .document(Document(document.elements.map { Document.Element(key: $0.key, value: $0.value.inLongs) }))
    default: self
    }
  }
}
