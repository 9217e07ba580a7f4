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

  @Test(arguments: [
    ("insertOne", #""document":{"a":{"$b":1}}"#, 400), ("insertOne", #""document":{"_id":[1]}"#, 400),
    ("insertMany", #""documents":[{"_id":[1]},{"_id":1}]"#, 400),
    ("updateOne", #""filter":{"a":1},"update":{"$set":{"_id":[1]}},"upsert":true"#, 400),
    ("updateOne", #""filter":{"a":1},"update":{"$inc":{"a":"x"}},"upsert":true"#, 400),
  ])
  func `a document that is refused makes no class`(action: String, members: String, status: Int) async throws
  {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target(action), json: DataAPITests.content("Thing", members))
      #expect(answer.status >= status && answer.status < 500, "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/schema").text == "[]")
    }
  }

  @Test func `documents before one that is refused make their class`() async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target("insertMany"),
        json: DataAPITests.content("Thing", #""documents":[{"_id":1},{"_id":1.0},{"_id":2}]"#))
      #expect(answer.status == 409, "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/collections/Thing").text == #"[{"_id":1}]"#)
    }
  }

  @Test(arguments: ["a.b", "_x", "int", "a/b", #"\u0000"#, String(repeating: "a", count: 58)])
  func `a collection whose name no class can have is told so`(name: String) async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target("insertOne"), json: DataAPITests.content(name, #""document":{"a":1}"#))
      #expect(answer.status == 400 && answer.text.contains("(InvalidNamespace)"), "\(answer.text)")
      #expect(answer.text.contains("MongoDBError"), "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/schema").text == "[]")
    }
  }

  @Test func `documents make 256 classes at most`() async throws {
    let classes = (0..<255).map { #"{"name":"C\#($0)","schemaless":true}"# }.joined(separator: ",")
    try await Fixture.with(infersClasses: true) { fixture in
      try #require(try await fixture.send(.put, "/v1/schema", json: "[\(classes)]").status == 200)
      for (name, isMade) in [("Last", true), ("More", false)] {
        let answer = try await fixture.send(
          .post, DataAPITests.target("insertOne"), json: DataAPITests.content(name, #""document":{"a":1}"#))
        #expect((answer.status == 201) == isMade, "\(answer.text)")
        if !isMade { #expect(answer.text.contains("There are 256 classes"), "\(answer.text)") }
      }
      let other = try await fixture.send(.post, "/v1/collections/Other", json: #"{"id":1}"#)
      #expect((other.status, other.code) == (422, "invalid_schema"), "\(other.text)")
    }
  }
}
