import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Documents that a filter finds by their identifiers alone, as callers with rights see them and change them.
@Suite struct DocumentLookupTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","owner":"string","secret":"string?"}},\
    {"name":"Log","schemaless":true}]
    """
  private static let roles = """
    {"member":{"classes":{"Note":{"read":"owner != 'you'","write":"owner == 'me'","fields":{"secret":{"read":false}}},\
    "Log":{"read":"owner != 'you'","write":"owner == 'me'","fields":{"secret":{"read":false}}}}}}
    """
  private static let objects = [
    #"{"_id":1,"owner":"me","secret":"S"}"#, #"{"_id":2,"owner":"you","secret":"S"}"#,
    #"{"_id":3,"owner":"all","secret":"S"}"#,
  ]

  @Test(
    arguments: ["Note", "Log"],
    [
      ("findOne", 1, "", #"{"document":{"_id":1,"owner":"me"}}"#),
      ("findOne", 2, "", #"{"document":null}"#),
      ("findOne", 3, #","projection":{"secret":1}"#, #"{"document":{"_id":3}}"#),
      ("find", 1, "", #"{"documents":[{"_id":1,"owner":"me"}]}"#),
      (
        "updateOne", 1, #","update":{"$set":{"owner":"me"}}"#, #"{"matchedCount":1,"modifiedCount":0}"#
      ),
      ("updateOne", 2, #","update":{"$set":{"owner":"me"}}"#, #"{"matchedCount":0,"modifiedCount":0}"#),
      ("updateOne", 3, #","update":{"$set":{"owner":"me"}}"#, #"{"matchedCount":0,"modifiedCount":0}"#),
      ("deleteOne", 3, "", #"{"deletedCount":0}"#),
    ] as [(String, Int, String, String)])
  func `an identifier finds what the caller may see, and change`(
    name: String, command: (action: String, id: Int, members: String, answer: String)
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      for json in Self.objects {
        let made = try await fixture.send(.post, "/v1/collections/\(name)", json: json)
        try #require(made.status == 201, "\(made.text)")
      }
      let (administrator, member) = try await fixture.callers(under: Self.roles)
      let content = DataAPITests.content(name, #""filter":{"_id":\#(command.id)}\#(command.members)"#)
      let sent = try await fixture.send(.post, DataAPITests.target(command.action), member, json: content)
      #expect(sent.text == command.answer)
      let all = try await fixture.send(.get, "/v1/collections/\(name)", administrator)
      #expect(all.text == "[\(Self.objects.joined(separator: ","))]")
    }
  }
}

/// Answers that are the object's own JSON.
@Suite struct StoredAnswerTests {
  private static let schema = """
    [{"name":"Plain","primaryKey":"_id","properties":{"_id":"int","b":"bool?","x":"double?","s":"string?","list":"int[]",\
    "map":"double{}"}},\
    {"name":"Other","primaryKey":"_id","properties":{"_id":"int","d":"date?","o":"objectId?","m":"mixed"}}]
    """
  private static let objects = [
    (
      "Plain",
      #"{"_id":1,"b":true,"x":1.0,"s":"a\"\u0001\/é\n","list":[1,2],"map":{"k":{"$numberDouble":"NaN"}}}"#
    ),
    ("Plain", #"{"_id":2,"x":{"$numberDouble":"-Infinity"}}"#),
    ("Plain", #"{"_id":9007199254740993,"x":1e300}"#),
    (
      "Other",
      #"{"_id":1,"d":"2026-01-02T03:04:05.006007Z","o":"00000000000000000000000a","m":{"$oid":"00000000000000000000000a"}}"#
    ),
  ]

  @Test func `one document is answered as several are`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      for (name, json) in Self.objects {
        let made = try await fixture.send(.post, "/v1/collections/\(name)", json: json)
        try #require(made.status == 201, "\(made.text)")
      }
      for name in ["Plain", "Other"] {
        for id in ["1", "2", "9007199254740993", "7"] {
          // From the row first, then from the cache.
          for _ in 0..<2 {
            let one = try await fixture.send(
              .post, DataAPITests.target("findOne"),
              json: DataAPITests.content(name, #""filter":{"_id":\#(id)}"#))
            let all = try await fixture.send(
              .post, DataAPITests.target("find"),
              json: DataAPITests.content(name, #""filter":{"_id":\#(id)}"#))
            let document = all.text.dropFirst(#"{"documents":["#.utf8.count).dropLast(2)
            #expect(one.text == #"{"document":\#(document.isEmpty ? "null" : document)}"#)
          }
        }
      }
    }
  }
}
