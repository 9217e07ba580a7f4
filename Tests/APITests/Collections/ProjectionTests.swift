import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

@Suite struct ProjectionTests {
  @Test(arguments: [
    // A path shows objects in objects; one with a name shows the value at its end, as Realm's projections do.
    (
      "fields=name,home.city",
      #"{"name":"Ann","home":{"city":"Rome"}} {"name":"Bob","home":null} {"name":"Cat","home":{"city":null}}"#
    ),
    (
      "fields=who:name,city:home.city",
      #"{"who":"Ann","city":"Rome"} {"who":"Bob","city":null} {"who":"Cat","city":null}"#
    ),
    (
      "fields=friends.name",
      #"{"friends":[{"name":"Bob"},{"name":"Cat"}]} {"friends":[]} {"friends":[{"name":"Ann"}]}"#
    ),
    (
      "fields=name,friends:friends.name",
      #"{"name":"Ann","friends":["Bob","Cat"]} {"name":"Bob","friends":[]} {"name":"Cat","friends":["Ann"]}"#
    ),
    (
      "fields=boss:boss.boss.name,tags",
      #"{"boss":null,"tags":["x"]} {"boss":null,"tags":[]} {"boss":"Ann","tags":[]}"#
    ),
    ("fields=of:liked.name", #"{"of":["Cat"]} {"of":["Ann"]} {"of":["Ann"]}"#),
    ("fields=byRole:team.name", #"{"byRole":{"a":"Cat","b":"Bob"}} {"byRole":{}} {"byRole":{}}"#),
    (
      "fields=nested:friends.friends.name",
      #"{"nested":[[],["Ann"]]} {"nested":[]} {"nested":[["Bob","Cat"]]}"#
    ),
    (
      "projection=PersonCard",
      #"{"name":"Ann","city":"Rome","friendNames":["Bob","Cat"]} {"name":"Bob","city":null,"friendNames":[]} "#
        + #"{"name":"Cat","city":null,"friendNames":["Ann"]}"#
    ),
  ])
  func `fields and projections show what they name`(query: String, expected: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      try await Self.populate(fixture)
      let answer = try await fixture.send(.get, "/v1/collections/Person?sort=id&\(query)")
      #expect(answer.text == "[\(expected.replacing("} {", with: "},{"))]")
      let one = try await fixture.send(.get, "/v1/collections/Person/1?\(query)")
      let first = try #require(expected.firstRange(of: "} {"))
      #expect(one.text == expected[..<first.lowerBound] + "}")
    }
  }

  @Test(arguments: [
    ("fields=:name", "empty_name"), ("fields=a b:name", "empty_name"), ("fields=x:", "unexpected_token"),
    ("fields=x:name,x:tags", "repeated_name"), ("fields=name,name:tags", "repeated_name"),
    ("fields=tags:name,tags", "repeated_name"), ("fields=x:nope", "unknown_property"),
    ("fields=x:name.y", "not_expandable"), ("projection=PersonCart", "unknown_projection"),
    ("fields=a.b.c.d.e.f.g.h.i", "too_deep"),
  ])
  func `what is wrong with fields has a code`(query: String, code: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/Person?\(query.queryEncoded)")
      #expect(answer.status == 400)
      #expect(answer.text.contains("\"code\":\"\(code)\""), "\(answer.text)")
    }
  }

  @Test func `an unknown projection suggests the nearest, and none goes with fields`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let unknown = try await fixture.send(.get, "/v1/collections/Person/1?projection=PersonCart")
      #expect(
        unknown.errors == """
          [{"parameter":"projection","found":"a name","expected":["a projection"],"nearest":"PersonCard",\
          "code":"unknown_projection",\
          "detail":"Class “Person” has no such projection; did you mean “PersonCard”?"}]
          """)
      let both = try await fixture.send(
        .get, "/v1/collections/Person?projection=PersonCard&fields=name")
      #expect((both.status, both.code) == (400, "contradictory_parameters"))
    }
  }

  @Test func `projections are kept with the schema, and follow it`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let shown = try await fixture.send(.get, "/v1/schema/Person")
      #expect(
        shown.text.hasSuffix(
          #""projections":{"PersonCard":{"name":"name","city":"home.city","friendNames":"friends.name"}}}"#))
      let version = fixture.store.version
      let changed = shown.text.replacing(#""name":"name","city""#, with: #""label":"name","city""#)
      #expect(try await fixture.send(.put, "/v1/schema/Person", json: changed).status == 200)
      #expect(fixture.store.version > version)
      let card = try await fixture.send(.get, "/v1/schema/Person")
      #expect(card.text.contains(#""label":"name""#))
      // A property that a projection shows cannot be removed.
      let broken = shown.text.replacing(#","home":"Home?""#, with: "")
      let refused = try await fixture.send(.put, "/v1/schema/Person?destructive=true", json: broken)
      #expect((refused.status, refused.code) == (422, "invalid_schema"), "\(refused.text)")
      #expect(refused.text.contains("broken_projection_path"))
    }
  }

  @Test(arguments: [
    (#"{"P":{"a":"nope"}}"#, "broken_projection_path"), (#"{"P":{"a":"name.x"}}"#, "broken_projection_path"),
    (#"{"P":{"a":""}}"#, "broken_projection_path"),
    (#"{"P":{"a":"boss.boss.boss.boss.boss.boss.boss.boss.name"}}"#, "broken_projection_path"),
    (#"{"P":{}}"#, "empty_projection"), (#"{"P":{"a.b":"name"}}"#, "illegal_projection_field"),
    (#"{"":{"a":"name"}}"#, "illegal_projection_name"),
    (#"{"P":1}"#, "member_of_wrong_type"), (#"{"P":""}"#, "empty_projection"),
    (#"{"P":{"a":1}}"#, "member_of_wrong_type"),
    (#"[]"#, "member_of_wrong_type"),
  ])
  func `a projection that cannot be is refused`(projections: String, code: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let shown = try await fixture.send(.get, "/v1/schema/Person")
      let start = try #require(shown.text.firstRange(of: #""projections":"#))
      let changed = shown.text[..<start.upperBound] + projections + "}"
      let refused = try await fixture.send(.put, "/v1/schema/Person", json: String(changed))
      #expect(refused.status == 422)
      #expect(refused.text.contains("\"code\":\"\(code)\""), "\(refused.text)")
    }
  }

  @Test func `what is shown again and again is the same each time`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      try await Self.populate(fixture)
      // Alone, each object is written anew.
      for query in [
        "expand=boss,friends,friends.friends,team", "fields=id,a:boss.name,b:friends.friends.tags,liked.name",
      ] {
        let all = try await fixture.send(.get, "/v1/collections/Person?sort=id&\(query)")
        var alone: [String] = []
        for id in 1...3 {
          alone.append(try await fixture.send(.get, "/v1/collections/Person/\(id)?\(query)").text)
        }
        #expect(all.text == "[\(alone.joined(separator: ","))]")
        let extended = try await fixture.send(
          .get, "/v1/collections/Person?sort=id&\(query)", ["accept": "application/ejson"])
        let binary = try await fixture.send(
          .get, "/v1/collections/Person?sort=id&\(query)", ["accept": "application/bson"])
        guard case .array(let documents) = try Value(json: extended.content) else { continue }
        #expect(try binary.content == documents.flatMap { try $0.document.bson() })
      }
    }
  }

  private static let schema = """
    [{"name":"Person","primaryKey":"id","properties":{"id":"int","name":"string?","tags":"string[]",\
    "home":"Home?","boss":"Person?","friends":"Person[]","team":"Person{}",\
    "liked":{"type":"linkingObjects","objectType":"Person","property":"friends"}},\
    "projections":{"PersonCard":{"name":"name","city":"home.city","friendNames":"friends.name"}}},\
    {"name":"Home","embedded":true,"properties":{"city":"string?"}}]
    """

  private static func populate(_ fixture: Fixture) async throws {
    let operations = [
      #"{"id":1,"name":"Ann","tags":["x"],"home":{"city":"Rome"},"friends":[2,3],"team":{"a":3,"b":2}}"#,
      #"{"id":2,"name":"Bob","boss":1}"#, #"{"id":3,"name":"Cat","home":{},"boss":2,"friends":[1]}"#,
    ].map { #"{"op":"create","class":"Person","value":\#($0)}"# }
    let answer = try await fixture.send(
      .post, "/v1/transactions", json: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
    try #require(answer.status == 200, "\(answer.text)")
  }
}

extension Value {
  fileprivate var document: Document {
    if case .document(let document) = self { document } else { Document() }
  }
}
