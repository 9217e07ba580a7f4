import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// The Data API: actions on documents by HTTP.
@Suite struct DataAPITests {
  static func target(_ action: String) -> String { "/app/any-abcde/endpoint/data/v1/action/\(action)" }

  /// The members that every action has, and others.
  static func content(_ collection: String, _ members: String) -> String {
    #"{"dataSource":"mongodb-atlas","database":"d","collection":"\#(collection)""#
      + (members.isEmpty ? "}" : ",\(members)}")
  }

  @Test(
    arguments: [
      (
        "findOne", #""filter":{"_id":2}"#, 200,
        #"{"document":{"_id":2,"name":"Berlin","population":3426354,"country":"DE","location":null,"tags":["capital"]}}"#
      ),
      ("findOne", #""filter":{"_id":9}"#, 200, #"{"document":null}"#),
      ("findOne", #""filter":{"_id":"2"}"#, 200, #"{"document":null}"#),
      (
        "findOne", #""filter":{"$and":[{"_id":{"$eq":2.0}}]},"projection":{"name":1,"_id":0}"#, 200,
        #"{"document":{"name":"Berlin"}}"#
      ),
      ("find", #""filter":{"_id":2},"sort":{"name":1},"skip":1"#, 200, #"{"documents":[]}"#),
      (
        "find", #""filter":{"country":"JP"},"projection":{"name":1,"_id":0},"sort":{"population":1}"#, 200,
        #"{"documents":[{"name":"Osaka"},{"name":"Tokyo"}]}"#
      ),
      (
        "find", #""sort":{"name":-1},"skip":1,"limit":2,"projection":{"_id":1}"#, 200,
        #"{"documents":[{"_id":3},{"_id":4}]}"#
      ),
      (
        "find", #""filter":{"name":{"$regex":"o$"}},"projection":{"_id":1}"#, 200,
        #"{"documents":[{"_id":1}]}"#
      ),
      (
        "find", #""filter":{"location.latitude":{"$gt":30}},"projection":{"_id":1}"#, 200,
        #"{"documents":[{"_id":1}]}"#
      ),
      ("find", #""filter":{"tags":"capital"},"projection":{"_id":1}"#, 200, #"{"documents":[{"_id":2}]}"#),
      ("count", #""filter":{"population":{"$gt":2500000}}"#, 200, #"{"count":3}"#),
      ("count", #""filter":{"name":{"$regex":"a"}},"limit":1"#, 200, #"{"count":1}"#),
      ("distinct", #""key":"country""#, 200, #"{"values":["JP","DE","FR"]}"#),
      (
        "aggregate",
        #""pipeline":[{"$match":{"_id":{"$gt":0}}},{"$group":{"_id":"$country","n":{"$sum":1}}},{"$sort":{"_id":1}}]"#,
        200,
        #"{"documents":[{"_id":"DE","n":1},{"_id":"FR","n":1},{"_id":"JP","n":2}]}"#
      ),
      (
        "aggregate",
        #""pipeline":[{"$match":{"_id":2}},{"$lookup":{"from":"Country","localField":"country","foreignField":"_id","as":"c"}},{"$project":{"c.name":1}}]"#,
        200, #"{"documents":[{"_id":2,"c":[{"name":"Germany"}]}]}"#
      ),
      ("insertOne", #""document":{"_id":9,"name":"Bonn","country":"DE"}"#, 201, #"{"insertedId":9}"#),
      (
        "insertMany", #""documents":[{"_id":8,"name":"Nara"},{"_id":9,"name":"Bonn"}]"#, 201,
        #"{"insertedIds":[8,9]}"#
      ),
      (
        "updateOne", #""filter":{"_id":1},"update":{"$inc":{"population":1}}"#, 200,
        #"{"matchedCount":1,"modifiedCount":1}"#
      ),
      (
        "updateMany", #""filter":{"country":"JP"},"update":{"$set":{"population":2592413}}"#, 200,
        #"{"matchedCount":2,"modifiedCount":1}"#
      ),
      (
        "updateOne", #""filter":{"_id":7},"update":{"$set":{"name":"Kyoto"}},"upsert":true"#, 201,
        #"{"matchedCount":0,"modifiedCount":0,"upsertedId":7}"#
      ),
      (
        "updateOne", #""filter":{"_id":7},"update":{"$set":{"name":"Kyoto"}}"#, 200,
        #"{"matchedCount":0,"modifiedCount":0}"#
      ),
      (
        "replaceOne", #""filter":{"_id":1},"replacement":{"name":"Edo"}"#, 200,
        #"{"matchedCount":1,"modifiedCount":1}"#
      ),
      ("deleteOne", #""filter":{"country":"JP"}"#, 200, #"{"deletedCount":1}"#),
      ("deleteMany", #""filter":{"country":"JP"}"#, 200, #"{"deletedCount":2}"#),
      ("deleteMany", #""filter":{"name":{"$regex":"i"}}"#, 200, #"{"deletedCount":2}"#),
    ] as [(String, String, UInt16, String)])
  func `an action answers as App Services'`(action: String, members: String, status: UInt16, answer: String)
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let sent = try await fixture.send(.post, Self.target(action), json: Self.content("City", members))
      #expect((sent.status, sent.text) == (status, answer))
      #expect(sent.fields["content-type"] == "application/json")
    }
  }

  @Test func `the Data API can be switched off for clients`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let endpoints = fixture.gateway.context.users.endpoints
      endpoints.use(try DataAPIConfiguration(notation: ["disabled": .bool(true)]))
      let content = Self.content("City", #""filter":{"_id":2},"projection":{"name":1}"#)
      let refused = try await fixture.send(.post, Self.target("findOne"), json: content)
      #expect(refused.status == 404, "\(refused.text)")
      endpoints.use(DataAPIConfiguration())
      let answered = try await fixture.send(.post, Self.target("findOne"), json: content)
      #expect(answered.text == #"{"document":{"_id":2,"name":"Berlin"}}"#)
    }
  }

  @Test func `an answer is canonical where that is asked for`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let sent = try await fixture.send(
        .post, Self.target("updateOne"), ["accept": "application/ejson"],
        json: Self.content("City", #""filter":{"_id":{"$numberInt":"1"}},"update":{"$set":{"name":"Edo"}}"#))
      #expect(sent.text == #"{"matchedCount":{"$numberInt":"1"},"modifiedCount":{"$numberInt":"1"}}"#)
      let found = try await fixture.send(
        .post, Self.target("findOne"), ["accept": "application/ejson"],
        json: Self.content("City", #""filter":{"_id":1},"projection":{"population":1,"location":1}"#))
      #expect(
        found.text
          == #"{"document":{"_id":{"$numberLong":"1"},"population":{"$numberLong":"8336599"},"location":{"latitude":{"$numberDouble":"35.5"},"longitude":{"$numberDouble":"139.5"}}}}"#
      )
      #expect(found.fields["content-type"] == "application/ejson")
    }
  }

  @Test(
    arguments: [
      (
        "findOne", #"{"database":"d","collection":"City"}"#, 400, "missing required parameter 'dataSource'",
        "MissingParameter"
      ),
      (
        "findOne", #"{"dataSource":"x","database":"d","collection":"City"}"#, 404, "service not found: 'x'",
        "ServiceNotFound"
      ),
      ("fly", content("City", ""), 404, "command not found: 'fly'", "ServiceCommandNotFound"),
      ("deleteMany", content("City", ""), 400, "missing required parameter 'filter'", "MissingParameter"),
      ("deleteOne", content("City", ""), 400, "missing required parameter 'filter'", "MissingParameter"),
      (
        "deleteMany", content("City", #""filter":null"#), 400, "missing required parameter 'filter'",
        "MissingParameter"
      ),
      (
        "updateMany", content("City", #""update":{"$set":{"name":"x"}}"#), 400,
        "missing required parameter 'filter'", "MissingParameter"
      ),
      (
        "replaceOne", content("City", #""replacement":{"name":"x"}"#), 400,
        "missing required parameter 'filter'", "MissingParameter"
      ),
      (
        "find", content("City", #""filter":[]"#), 400,
        "The member “filter” of the command has to be a document.", "InvalidParameter"
      ),
      (
        "find", content("City", #""hint":1"#), 400, "unknown member of the command: 'hint'",
        "InvalidParameter"
      ),
      (
        "find", content("City", #""filter":{"$who":1}"#), 400,
        "(BadValue) unknown top level operator: $who. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
        "MongoDBError"
      ),
      (
        "find", content("City", #""filter":{"a":{"$wat":1}}"#), 400, "(BadValue) unknown operator: $wat",
        "MongoDBError"
      ),
      (
        "aggregate", content("City", #""pipeline":[{"name":1}]"#), 400,
        "(Location40324) Unrecognized pipeline stage name: 'name'", "MongoDBError"
      ),
      (
        "aggregate", content("City", #""pipeline":[{"$out":"x"}]"#), 403,
        "no rule exists for namespace 'd.x'", "NoMatchingRuleFound"
      ),
      (
        "updateOne", content("City", #""filter":{},"update":{"$fly":{"a":1}}"#), 400,
        "(FailedToParse) Unknown modifier: $fly. Expected a valid update modifier or pipeline-style update specified as an array",
        "MongoDBError"
      ),
      (
        "insertMany", content("City", #""documents":[]"#), 400, "must provide at least one element",
        "InvalidParameter"
      ),
      (
        "insertOne", content("City", #""document":{"_id":1,"name":"x"}"#), 409,
        "Duplicate key error: E11000 duplicate key error collection: d.City", "MongoDBError"
      ),
      (
        "insertOne", content("Nothing", #""document":{"_id":1}"#), 403,
        "no rule exists for namespace 'd.Nothing'", "NoMatchingRuleFound"
      ),
      (
        "insertOne", content("City", #""document":{"_id":9,"name":5}"#), 422,
        "The content is no object of the class. /name: A value of type string is expected, not int: text in quotes.",
        "SchemaValidationFailedWrite"
      ),
      (
        "updateOne", content("City", #""filter":{"_id":1},"update":{"$set":{"colour":"red"}}"#), 422,
        "The content is no object of the class. /colour: The class has no property of that name.",
        "SchemaValidationFailedWrite"
      ),
      (
        "updateOne", content("City", #""filter":{"_id":1},"update":{"$set":{"_id":2}}"#), 400,
        "(ImmutableField) Performing an update on the path '_id' would modify the immutable field '_id'",
        "MongoDBError"
      ),
      (
        "insertOne", content("City", #""document":{"_id":9,"name":"x","country":"XX"}"#), 409,
        "A link leads to an object of class “Country” that does not exist.", "BadRequest"
      ),
    ] as [(String, String, UInt16, String, String)])
  func `an error has App Services' text and code`(
    action: String, content: String, status: UInt16, text: String, code: String
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let sent = try await fixture.send(.post, Self.target(action), json: content)
      let body = try sent.document
      #expect((sent.status, sent.fields["content-type"]) == (status, "application/json"))
      #expect(body["error"] == .string(text) && body["error_code"] == .string(code), "\(sent.text)")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `there is nothing in a collection that no class stands for`() async throws {
    try await Fixture.with { fixture in
      for (action, members, answer) in [
        ("find", "", #"{"documents":[]}"#), ("findOne", "", #"{"document":null}"#),
        ("count", "", #"{"count":0}"#), ("deleteMany", #""filter":{}"#, #"{"deletedCount":0}"#),
        ("updateMany", #""filter":{},"update":{"$set":{"a":1}}"#, #"{"matchedCount":0,"modifiedCount":0}"#),
        ("aggregate", #""pipeline":[{"$count":"n"}]"#, #"{"documents":[]}"#),
      ] {
        let sent = try await fixture.send(
          .post, Self.target(action), json: Self.content("Nothing", members))
        #expect((sent.status, sent.text) == (200, answer))
      }
    }
  }

  @Test func `a primary key of another name is the identifier`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      func send(_ action: String, _ members: String) async throws -> String {
        try await fixture.send(.post, Self.target(action), json: Self.content("Country", members)).text
      }
      #expect(
        try await send("find", #""filter":{"_id":{"$gte":"FR"}},"sort":{"_id":-1},"projection":{"name":1}"#)
          == #"{"documents":[{"_id":"JP","name":"Japan"},{"_id":"FR","name":"France"}]}"#)
      #expect(try await send("count", #""filter":{"code":"JP"}"#) == #"{"count":0}"#)
      #expect(try await send("count", #""filter":{"code":null}"#) == #"{"count":3}"#)
      #expect(
        try await send("insertOne", #""document":{"_id":"IT","name":"Italy"}"#) == #"{"insertedId":"IT"}"#)
      #expect(try await send("insertOne", #""document":{"code":"ES","name":"Spain"}"#).contains("/code"))
      #expect(
        try await send(
          "updateOne",
          #""filter":{"_id":"DE"},"update":{"$set":{"names.en":"Germany"},"$addToSet":{"neighbours":"IT"}}"#)
          == #"{"matchedCount":1,"modifiedCount":1}"#)
      #expect(
        try await fixture.send(.get, "/v1/collections/Country/DE").text
          == #"{"code":"DE","name":"Germany","population":82927922,"neighbours":["FR","IT"],"names":{"en":"Germany"}}"#
      )
    }
  }

  @Test func `a class without a primary key has keys for identifiers`() async throws {
    try await Fixture.with { fixture in
      func send(_ action: String, _ members: String) async throws -> String {
        try await fixture.send(.post, Self.target(action), json: Self.content("Note", members)).text
      }
      let inserted = try await send("insertMany", #""documents":[{"text":"a"},{"text":"b"}]"#)
      #expect(inserted == #"{"insertedIds":[0,1]}"#)
      #expect(try await send("findOne", #""filter":{"_id":1}"#) == #"{"document":{"_id":1,"text":"b"}}"#)
      #expect(
        try await send("updateOne", #""filter":{"_id":1},"update":{"$set":{"text":"c"}}"#)
          == #"{"matchedCount":1,"modifiedCount":1}"#)
      #expect(try await send("deleteOne", #""filter":{"_id":0}"#) == #"{"deletedCount":1}"#)
      #expect(try await send("find", "") == #"{"documents":[{"_id":1,"text":"c"}]}"#)
    }
  }
}
