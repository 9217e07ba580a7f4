import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Commands of the data source as Realm's clients send them: the numbers have the types on which realm-core relies.
@Suite struct ServiceCommandTests {
  private static let target = "/api/client/v2.0/app/any-abcde/functions/call"

  private static func content(_ name: String, _ members: String, in collection: String) -> String {
    let place = #"{"database":"d","collection":"\#(collection)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    return #"{"name":"\#(name)","service":"mongodb-atlas","arguments":[\#(place)]}"#
  }

  /// Documents of which one cannot be inserted, its place, and the names of the cities that are there afterwards.
  private static let insertions: [(documents: String, code: String, index: Int, names: [String])] = [
    (#"{"_id":8,"name":"a"},{"_id":1,"name":"b"},{"_id":9,"name":"c"}"#, "MongoDBError", 1, ["a"]),
    (#"{"_id":8,"name":"a"},{"_id":9,"name":"b"},{"_id":8,"name":"c"}"#, "MongoDBError", 2, ["a", "b"]),
    (#"{"_id":1,"name":"a"},{"_id":9,"name":"b"}"#, "MongoDBError", 0, []),
    (#"{"_id":8,"name":"a"},{"_id":9},{"_id":1,"name":"c"}"#, "SchemaValidationFailedWrite", 1, ["a"]),
    (#"{"_id":8,"name":"a"},{"_id":9,"name":"b","country":"XX"},{"_id":10}"#, "BadRequest", 1, ["a"]),
  ]

  @Test(arguments: insertions, [true, false])
  func `of several documents, those before the first one that cannot be are inserted`(
    insertion: (documents: String, code: String, index: Int, names: [String]), isByDataAPI: Bool
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let members = #""documents":[\#(insertion.documents)]"#
      let answer =
        isByDataAPI
        ? try await fixture.send(
          .post, DataAPITests.target("insertMany"), json: DataAPITests.content("City", members))
        : try await fixture.send(
          .post, Self.target, json: Self.content("insertMany", members, in: "City"))
      let ids = insertion.names.indices.map { #"{"$numberInt":"\#($0 + 8)"}"# }.joined(separator: ",")
      #expect(answer.status >= 400 && answer.status < 500, "\(answer.text)")
      #expect(
        answer.text.hasSuffix(
          #" at documents[\#(insertion.index)]","error_code":"\#(insertion.code)","index":{"$numberInt":"\#(insertion.index)"},"insertedIds":[\#(ids)]"#
            + (insertion.code == "MongoDBError" ? #","code":{"$numberInt":"11000"}}"# : "}")
        ),
        "\(answer.text)")
      let names = insertion.names.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
      let found = try await fixture.send(
        .get, "/v1/collections/City?fields=name&filter=_id%20%3E%204")
      #expect(found.text == "[\(names)]")
    }
  }

  @Test func `documents that link to later ones are inserted together, or without these`() async throws {
    try await Fixture.with(#"[{"name":"Node","primaryKey":"_id","properties":{"_id":"int","next":"Node?"}}]"#)
    {
      fixture in
      let insert = { (documents: String) in
        try await fixture.send(
          .post, DataAPITests.target("insertMany"),
          json: DataAPITests.content("Node", #""documents":[\#(documents)]"#))
      }
      #expect(try await insert(#"{"_id":1,"next":2},{"_id":2}"#).status == 201)
      let refused = try await insert(#"{"_id":3},{"_id":4,"next":5},{"_id":5,"next":6},{"_id":6},{"_id":1}"#)
      #expect(refused.text.contains("at documents["), "\(refused.text)")
      let none = try await insert(#"{"_id":7,"next":8},{"_id":1},{"_id":8}"#)
      #expect(none.text.contains(#""index":{"$numberInt":"0"},"insertedIds":[]}"#), "\(none.text)")
      let all = try await fixture.send(.get, "/v1/collections/Node?fields=_id")
      #expect(all.text == #"[{"_id":1},{"_id":2},{"_id":3},{"_id":4},{"_id":5},{"_id":6}]"#, "\(all.text)")
    }
  }

  private static let paris = #"{"_id":{"$numberLong":"3"},"name":"Paris"}"#

  @Test(arguments: [
    ("find", #""query":{"name":"Paris"},"project":{"name":{"$numberInt":"1"}}"#, "[\(paris)]"),
    (
      "find",
      #""query":{},"sort":{"_id":{"$numberInt":"-1"}},"limit":{"$numberLong":"0"},"project":{"_id":1}"#,
      #"[{"_id":{"$numberLong":"4"}},{"_id":{"$numberLong":"3"}},{"_id":{"$numberLong":"2"}},{"_id":{"$numberLong":"1"}}]"#
    ),
    ("findOne", #""query":{"name":"Paris"},"project":{"name":1},"limit":{"$numberLong":"1"}"#, paris),
    ("findOne", #""query":{"name":"Atlantis"}"#, "null"),
    ("count", #""query":{}"#, #"{"$numberLong":"4"}"#),
    ("count", #""query":{},"limit":{"$numberLong":"2"}"#, #"{"$numberLong":"2"}"#),
    ("aggregate", #""pipeline":[{"$count":"n"}]"#, #"[{"n":{"$numberInt":"4"}}]"#),
    (
      "insertOne", #""document":{"_id":{"$numberInt":"9"},"name":"Bonn"}"#,
      #"{"insertedId":{"$numberInt":"9"}}"#
    ),
    ("insertMany", #""documents":[{"_id":9,"name":"Bonn"}]"#, #"{"insertedIds":[{"$numberInt":"9"}]}"#),
    (
      "updateOne", #""query":{"_id":3},"update":{"$set":{"name":"Lyon"}},"upsert":false"#,
      #"{"matchedCount":{"$numberInt":"1"},"modifiedCount":{"$numberInt":"1"}}"#
    ),
    (
      "updateMany", #""query":{"_id":9},"update":{"$set":{"name":"Lyon"}},"upsert":true"#,
      #"{"matchedCount":{"$numberInt":"0"},"modifiedCount":{"$numberInt":"0"},"upsertedId":{"$numberInt":"9"}}"#
    ),
    ("deleteOne", #""query":{}"#, #"{"deletedCount":{"$numberInt":"1"}}"#),
    ("deleteMany", #""query":{"name":{"$in":["Paris","Osaka"]}}"#, #"{"deletedCount":{"$numberInt":"2"}}"#),
    (
      "findOneAndUpdate", #""filter":{"_id":3},"update":{"$set":{"name":"Lyon"}},"projection":{"name":1}"#,
      paris
    ),
    (
      "findOneAndUpdate",
      #""filter":{"_id":3},"update":{"$set":{"name":"Lyon"}},"projection":{"name":1},"returnNewDocument":true"#,
      paris.replacing("Paris", with: "Lyon")
    ),
    (
      "findOneAndUpdate",
      #""filter":{},"sort":{"name":-1},"update":{"$set":{"name":"Edo"}},"projection":{"name":1,"_id":0}"#,
      #"{"name":"Tokyo"}"#
    ),
    ("findOneAndUpdate", #""filter":{"_id":9},"update":{"$set":{"name":"x"}}"#, "null"),
    (
      "findOneAndUpdate",
      #""filter":{"_id":9},"update":{"name":"x"},"upsert":true,"returnNewDocument":true,"projection":{"name":1}"#,
      #"{"_id":{"$numberLong":"9"},"name":"x"}"#
    ),
    (
      "findOneAndReplace",
      #""filter":{"_id":3},"update":{"name":"Lyon"},"returnNewDocument":true,"projection":{"name":1,"population":1}"#,
      #"{"_id":{"$numberLong":"3"},"name":"Lyon","population":{"$numberLong":"0"}}"#
    ),
    // realm-web's findOneAndDelete.
    ("findOneAndReplace", #""filter":{"_id":3},"projection":{"name":1}"#, paris),
    ("findOneAndDelete", #""filter":{"_id":3},"projection":{"name":1}"#, paris),
  ])
  func `a command answers with the types that clients rely on`(name: String, members: String, result: String)
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let fields = ["accept": "application/json", "content-type": "application/json;charset=utf-8"]
      let content = Self.content(name, members, in: "City")
      let answer = try await fixture.send(.post, Self.target, fields, Array(content.utf8))
      #expect((answer.status, answer.text) == (200, result))
      #expect(answer.fields["content-type"] == "application/json")
      let isGone = name == "findOneAndDelete" || name == "findOneAndReplace" && !members.contains("update")
      #expect(try await fixture.send(.get, "/v1/collections/City/3").status == 404 || !isGone)
    }
  }

  @Test func `an update without operators replaces each document`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let content = Self.content(
        "updateMany", #""query":{"country":"JP"},"update":{"name":"Edo","tags":["old"]}"#, in: "City")
      let answer = try await fixture.send(.post, Self.target, json: content)
      #expect(answer.text == #"{"matchedCount":{"$numberInt":"2"},"modifiedCount":{"$numberInt":"2"}}"#)
      let cities = try await fixture.send(
        .get, "/v1/collections/City?filter=name=='Edo'&fields=_id,population,country,tags")
      #expect(
        cities.text
          == #"[{"_id":1,"population":0,"country":null,"tags":["old"]},{"_id":4,"population":0,"country":null,"tags":["old"]}]"#
      )
    }
  }

  @Test func `an identifier that is left out is made`() async throws {
    try await Fixture.with(
      #"[{"name":"Item","primaryKey":"_id","properties":{"_id":"objectId","at":"date?","price":"decimal128?","id":"uuid?","any":"mixed"}}]"#
    ) { fixture in
      let document =
        #"{"at":{"$date":{"$numberLong":"5"}},"price":{"$numberDecimal":"2.50"},"id":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"},"any":[{"$oid":"0123456789abcdef01234567"}]}"#
      let answer = try await fixture.send(
        .post, Self.target, json: Self.content("insertOne", #""document":\#(document)"#, in: "Item"))
      guard case .objectID(let id)? = try answer.document["insertedId"] else {
        Issue.record("\(answer.text)")
        return
      }
      let found = try await fixture.send(
        .post, Self.target, json: Self.content("findOne", #""query":{"_id":{"$oid":"\#(id)"}}"#, in: "Item"))
      let shown = document.replacing(
        #""id":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
        with: #""id":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#)
      #expect(found.text == #"{"_id":{"$oid":"\#(id)"},"# + shown.dropFirst())
      for filter in [
        #"{"at":{"$date":{"$numberLong":"5"}}}"#, #"{"price":{"$gt":2.4}}"#,
        #"{"any":{"$oid":"0123456789abcdef01234567"}}"#,
      ] {
        let count = try await fixture.send(
          .post, Self.target, json: Self.content("count", #""query":\#(filter)"#, in: "Item"))
        #expect(count.text == #"{"$numberLong":"1"}"#, "\(filter)")
      }
    }
  }

  @Test(
    arguments: [
      (
        #"{"name":"find","service":"other","arguments":[{"database":"d","collection":"City"}]}"#, 404,
        "service not found: 'other'", "ServiceNotFound"
      ),
      (
        #"{"name":"find","service":"mongodb-atlas","arguments":[]}"#, 400,
        "A command of a data source has one argument, which is a document.", "InvalidParameter"
      ),
      (
        #"{"name":"find","service":"mongodb-atlas","arguments":[{"database":"d"}]}"#, 400,
        "missing required parameter 'collection'", "MissingParameter"
      ),
      (
        #"{"name":"watch","service":"mongodb-atlas","arguments":[{"database":"d","collection":"City"}]}"#,
        404, "command not found: 'watch'", "ServiceCommandNotFound"
      ),
      (
        content("insertOne", #""document":{"_id":1,"name":"x"}"#, in: "City"), 409,
        "Duplicate key error: E11000 duplicate key error collection: d.City", "MongoDBError"
      ),
    ] as [(String, UInt16, String, String)])
  func `an error is one of App Services'`(content: String, status: UInt16, text: String, code: String)
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.post, Self.target, json: content)
      let body = try answer.document
      #expect(
        answer.status == status && body["error"] == .string(text) && body["error_code"] == .string(code),
        "\(answer.text)")
    }
  }
}
