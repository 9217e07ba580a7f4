import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Commands on documents with any fields.
@Suite struct SchemalessCommandTests {
  private static let schema = #"[{"name":"Log","schemaless":true}]"#

  private static func send(_ action: String, _ members: String, _ fixture: Fixture) async throws -> Answer {
    try await fixture.send(
      .post, DataAPITests.target(action), ["accept": "application/ejson"],
      json: DataAPITests.content("Log", members))
  }

  /// Each with the result and the documents that are there afterwards.
  @Test(arguments: [
    (
      "insertOne", #""document":{"_id":"x","z":1,"a":{"c":1,"b":2.5}}"#, #"{"insertedId":"x"}"#,
      #"{"_id":"x","a":{"b":2.5,"c":1},"z":1}"#
    ),
    (
      "updateOne", #""filter":{"_id":1},"update":{"$set":{"n.m":[1,null],"a":null},"$unset":{"b":""}}"#,
      #"{"matchedCount":1,"modifiedCount":1}"#, #"{"_id":1,"a":null,"n":{"m":[1,null]}}"#
    ),
    (
      "updateOne", #""filter":{"_id":1},"update":{"$set":{"a":1}}"#, #"{"matchedCount":1,"modifiedCount":0}"#,
      #"{"_id":1,"a":1,"b":{"c":2}}"#
    ),
    (
      "updateMany", #""filter":{"b.c":2},"update":{"$rename":{"a":"z"}}"#,
      #"{"matchedCount":1,"modifiedCount":1}"#, #"{"_id":1,"b":{"c":2},"z":1}"#
    ),
    (
      "replaceOne", #""filter":{"a":1},"replacement":{"q":[]}"#, #"{"matchedCount":1,"modifiedCount":1}"#,
      #"{"_id":1,"q":[]}"#
    ),
    (
      "updateOne", #""filter":{"k":"v"},"update":{"$set":{"_id":7}},"upsert":true"#,
      #"{"matchedCount":0,"modifiedCount":0,"upsertedId":7}"#, #"{"_id":7,"k":"v"}"#
    ),
    (
      "updateOne", #""filter":{"z":{"b":1,"a":2}},"update":{"$set":{"z":{"b":3,"a":4}}},"upsert":true"#, "",
      #""z":{"a":4,"b":3}}"#
    ),
    (
      "updateOne",
      #""filter":{"_id":2},"update":{"$addToSet":{"l":{"z":1,"a":2}},"$pullAll":{"m":[{"q":1,"c":2}]}}"#,
      #"{"matchedCount":1,"modifiedCount":1}"#, #"{"_id":2,"l":[{"a":2,"z":1}],"m":[]}"#
    ),
    ("deleteOne", #""filter":{"b":{"c":2}}"#, #"{"deletedCount":1}"#, ""),
    ("deleteMany", #""filter":{"_id":1}"#, #"{"deletedCount":1}"#, ""),
  ])
  func `a command changes documents`(action: String, members: String, result: String, left: String)
    async throws
  {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/Log", json: #"{"_id":1,"a":1,"b":{"c":2}}"#)
      _ = try await fixture.send(
        .post, "/v1/collections/Log", json: #"{"_id":2,"l":[{"z":1,"a":2}],"m":[{"c":2,"q":1}]}"#)
      let answer = try await fixture.send(
        .post, DataAPITests.target(action), json: DataAPITests.content("Log", members))
      if !result.isEmpty { #expect(answer.text == result) }
      let all = try await fixture.send(.get, "/v1/collections/Log").text
      #expect(left.isEmpty ? !all.contains(#""_id":1,"#) : all.contains(left), "\(all)")
    }
  }

  @Test func `a collection has documents with identifiers of many types`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let ids = [
        #"{"$numberLong":"1"}"#, #""1""#, #"{"$oid":"00000000000000000000000a"}"#, "true",
        #"{"$numberDouble":"1.5"}"#, #"{"$date":{"$numberLong":"5"}}"#, #"{"$numberDecimal":"2.5"}"#,
        #"{"$binary":{"base64":"AQ==","subType":"00"}}"#,
        #"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#,
        #"{"day":{"$numberLong":"5"},"year":{"$numberLong":"2026"}}"#,
      ]
      let documents = ids.map { #"{"_id":\#($0)}"# }
      let inserted = try await Self.send(
        "insertMany", #""documents":[\#(documents.joined(separator: ","))]"#, fixture)
      #expect(inserted.text == #"{"insertedIds":[\#(ids.joined(separator: ","))]}"#)
      for (id, document) in zip(ids, documents) {
        let found = try await Self.send("find", #""filter":{"_id":\#(id)}"#, fixture)
        #expect(found.text == #"{"documents":[\#(document)]}"#)
        let among = try await Self.send("count", #""filter":{"_id":{"$in":[\#(id),"none"]}}"#, fixture)
        #expect(among.text == #"{"count":{"$numberLong":"1"}}"#)
        let again = try await Self.send("insertOne", #""document":\#(document)"#, fixture)
        #expect(again.status == 409)
      }
      let changed = try await Self.send(
        "updateMany", #""filter":{},"update":{"$set":{"seen":true}}"#, fixture)
      #expect(changed.text == ##"{"matchedCount":{"$numberInt":"10"},"modifiedCount":{"$numberInt":"10"}}"##)
    }
  }

  @Test func `documents are compared whatever the order of their members`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await Self.send(
        "insertOne", #""document":{"_id":{"y":1,"a":2},"part":{"z":1,"b":[{"q":1,"c":2}]}}"#, fixture)
      for filter in [
        #"{"_id":{"y":1,"a":2}}"#, #"{"part":{"z":1,"b":[{"q":1,"c":2}]}}"#, #"{"part.b":{"q":1,"c":2}}"#,
        #"{"part.b":{"$in":[{"q":1,"c":2}]}}"#, #"{"$or":[{"part.b":{"$elemMatch":{"$eq":{"q":1,"c":2}}}}]}"#,
      ] {
        let count = try await Self.send("count", #""filter":\#(filter)"#, fixture)
        #expect(count.text == #"{"count":{"$numberLong":"1"}}"#, "\(filter): \(count.text)")
        let matched = try await Self.send(
          "aggregate", #""pipeline":[{"$match":\#(filter)},{"$count":"n"}]"#, fixture)
        #expect(matched.text != #"{"documents":[]}"#, "\(filter): \(matched.text)")
        let values = try await Self.send("distinct", #""key":"part.z","filter":\#(filter)"#, fixture)
        #expect(values.text == #"{"values":[{"$numberLong":"1"}]}"#, "\(filter): \(values.text)")
      }
    }
  }

  @Test func `a document by its identifier is found by the index`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/Log", json: #"{"_id":"k","a":1}"#)
      for filter in [#"_id == "k""#, "_id == 5", #"_id IN {"k", "l"}"#] {
        let plan = try await fixture.send(
          .get, "/v1/collections/Log?explain=true&filter=\(filter.percentEncoded)")
        #expect(plan.text.contains("SEARCH"), "\(filter): \(plan.text)")
      }
    }
  }
}
