import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// `$text` in the data source, by the full-text indexes of classes.
@Suite struct TextSearchTests {
  private static let schema = """
    [{"name":"Article","primaryKey":"_id","properties":{"_id":"int","subject":{"type":"string","indexed":"full-text"},\
    "body":{"type":"string?","indexed":"full-text"},"views":"int"}},{"name":"Plain","primaryKey":"_id","properties":{"_id":"int"}}]
    """
  // The documents of the manual's page on $text.
  private static let articles = """
    [{"_id":1,"subject":"coffee","views":50},{"_id":2,"subject":"Coffee Shopping","views":5},{"_id":3,"subject":"Baking a cake","views":90},\
    {"_id":4,"subject":"baking","views":100},{"_id":5,"subject":"Café Con Leche","views":200},\
    {"_id":6,"subject":"nothing","body":"coffee and cake","views":10}]
    """

  @Test(arguments: [
    (#"{"$search":"coffee"}"#, "", "[1,2,6]"), (#"{"$search":"baking coffee shop"}"#, "", "[1,2,3,4,6]"),
    (#"{"$search":"\"coffee shopping\""}"#, "", "[2]"), (#"{"$search":"coffee -shopping"}"#, "", "[1,6]"),
    (#"{"$search":"CAFÉ"}"#, "", "[5]"), (#"{"$search":"cake coffee","$language":"en"}"#, "", "[1,2,3,6]"),
    (#"{"$search":"coffee"}"#, #","views":{"$gt":20}"#, "[1]"), (#"{"$search":"-coffee"}"#, "", "[]"),
    (#"{"$search":""}"#, "", "[]"), (#"{"$search":"coffee -\"and cake\""}"#, "", "[1,2]"),
  ])
  func `words are looked for in the texts that are indexed`(search: String, others: String, ids: String)
    async throws
  {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/Article", json: Self.articles)
      let filter = #"{"$text":\#(search)\#(others)}"#
      let found = try await fixture.send(
        .post, DataAPITests.target("distinct"),
        json: DataAPITests.content("Article", #""key":"_id","filter":\#(filter)"#))
      #expect(found.text == #"{"values":\#(ids)}"#, "\(search)")
      let stages = #"[{"$match":\#(filter)},{"$group":{"_id":null,"ids":{"$push":"$_id"}}}]"#
      let grouped = try await fixture.send(
        .post, DataAPITests.target("aggregate"),
        json: DataAPITests.content("Article", #""pipeline":\#(stages)"#))
      #expect(grouped.text.contains(#""ids":\#(ids)"#) || ids == "[]", "\(search): \(grouped.text)")
    }
  }

  @Test(arguments: [
    ("Plain", #"{"$text":{"$search":"x"}}"#, "(IndexNotFound)"),
    ("Article", #"{"$text":{}}"#, "(TypeMismatch)"),
    ("Article", #"{"$or":[{"$text":{"$search":"x"}}]}"#, "(BadValue)"),
    ("Article", #"{"$text":{"$search":"x","$caseSensitive":true}}"#, "(CommandNotSupported)"),
    ("Article", #"{"$text":{"$search":"x","$fuzzy":1}}"#, "(BadValue)"),
  ])
  func `a search that cannot be is refused`(collection: String, filter: String, text: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let plain = #"[{"_id":1}]"#
      _ = try await fixture.send(.post, "/v1/collections/Plain", json: plain)
      let found = try await fixture.send(
        .post, DataAPITests.target("find"), json: DataAPITests.content(collection, #""filter":\#(filter)"#))
      #expect(found.status == 400 && found.text.contains(text), "\(found.text)")
    }
  }
}
