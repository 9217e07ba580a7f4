import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Collections that come into being with their first document, in development.
@Suite struct FirstDocumentTests {
  @Test(arguments: [
    ("insertOne", #""document":{"_id":1,"name":"a","tags":["x"]}"#, #"{"insertedId":1}"#),
    ("insertMany", #""documents":[{"_id":1,"name":"a","tags":["x"]}]"#, #"{"insertedIds":[1]}"#),
    (
      "updateOne", #""filter":{"_id":1},"update":{"$set":{"name":"a","tags":["x"]}},"upsert":true"#,
      #"{"matchedCount":0,"modifiedCount":0,"upsertedId":1}"#
    ),
  ])
  func `a document makes its class`(action: String, members: String, result: String) async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target(action), json: DataAPITests.content("Thing", members))
      #expect((answer.status, answer.text) == (201, result))
      let things = try await fixture.send(.get, "/v1/collections/Thing")
      #expect(things.text == #"[{"_id":1,"name":"a","tags":["x"]}]"#)
    }
  }

  @Test func `an identifier is made where there is none`() async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target("insertOne"),
        json: DataAPITests.content("Thing", #""document":{"id":"a"}"#))
      #expect(answer.status == 201 && answer.text.contains("$oid"), "\(answer.text)")
      let count = try await fixture.send(
        .post, DataAPITests.target("count"), json: DataAPITests.content("Thing", #""filter":{"id":"a"}"#))
      #expect(count.text == #"{"count":1}"#)
    }
  }
}
