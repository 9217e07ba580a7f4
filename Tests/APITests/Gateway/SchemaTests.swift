import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct SchemaTests {
  private static let note = #"{"name":"Note","properties":{"text":"string?"}}"#

  @Test func `the schema comes back as it was put`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/schema")
      #expect(answer.status == 200)
      #expect(answer.text == Fixture.schema)
      #expect(try await fixture.send(.get, "/v1/schema/Note").text == Self.note)
      #expect(try await fixture.send(.get, "/v1/schema/Location").status == 200)
    }
  }

  @Test func `a schema is put as a whole`() async throws {
    try await Fixture.with(nil) { fixture in
      #expect(try await fixture.send(.get, "/v1/schema").text == "[]")
      let answer = try await fixture.send(.put, "/v1/schema", json: "[\(Self.note)]")
      #expect(answer.status == 200)
      #expect(answer.text == "[\(Self.note)]")
      #expect(answer.fields == ["content-type": "application/json", "realm-version": "1", "vary": "accept"])
      // Once more changes nothing.
      let again = try await fixture.send(
        .put, "/v1/schema", ["prefer": "return=minimal"], json: "[\(Self.note)]")
      #expect((again.status, again.fields["realm-version"]) == (204, "1"))
    }
  }

  @Test func `a class is put alone, its name taken from the path`() async throws {
    try await Fixture.with("[\(Self.note)]") { fixture in
      let created = try await fixture.send(.put, "/v1/schema/Tag", json: #"{"properties":{"note":"Note?"}}"#)
      #expect(created.status == 201)
      #expect(created.text == #"{"name":"Tag","properties":{"note":"Note?"}}"#)
      let changed = try await fixture.send(
        .put, "/v1/schema/Note", json: #"{"name":"Note","properties":{"text":"string?","stars":"int?"}}"#)
      #expect(changed.status == 200)
      #expect(try await fixture.send(.post, "/v1/collections/Note", json: #"{"stars":5}"#).status == 201)
      #expect(try await fixture.send(.get, "/v1/collections").text.contains(#"{"class":"Tag","count":0}"#))
    }
  }

  @Test func `BSON carries a schema as documents`() async throws {
    try await Fixture.with("[\(Self.note)]") { fixture in
      let read = try await fixture.send(.get, "/v1/schema", ["accept": "application/bson"])
      #expect(try Document(bson: read.content) == ["name": "Note", "properties": ["text": "string?"]])
      let written = try await fixture.send(
        .put, "/v1/schema", ["content-type": "application/bson"], read.content)
      #expect((written.status, written.fields["realm-version"]) == (200, "1"))
    }
  }

  @Test func `what would lose data needs leave`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let schema = "[\(Self.note)]"
      let refused = try await fixture.send(.put, "/v1/schema", json: schema)
      #expect((refused.status, refused.code) == (409, "destructive_change"))
      #expect(
        refused.errors?.hasPrefix(
          #"[{"class":"Country","code":"class_removed","detail":"This change needs “destructive=true”."},"#)
          == true)
      let retyped = try await fixture.send(
        .put, "/v1/schema/Note?destructive=false", json: #"{"properties":{"text":"data?"}}"#)
      #expect(
        retyped.errors
          == #"[{"class":"Note","property":"text","code":"property_retyped","#
          + #""detail":"This change needs “destructive=true”."}]"#)
      #expect(try await fixture.everything() == before)
      let forced = try await fixture.send(.put, "/v1/schema?destructive=true", json: schema)
      #expect(forced.status == 200)
      #expect(try await fixture.send(.get, "/v1/collections").text == #"[{"class":"Note","count":0}]"#)
      #expect(try await fixture.send(.get, "/v1/collections/City").code == "unknown_class")
    }
  }

  @Test(
    arguments: [
      (
        "/v1/schema", "{}", 422, "invalid_schema",
        #"[{"code":"not_an_array","detail":"A schema is an array of classes."}]"#
      ),
      (
        "/v1/schema", #"[{"name":"A","properties":{"b":"B?","c":"string??"}}]"#, 422, "invalid_schema",
        #"[{"class":"A","property":"c","code":"malformed_type","#
          + #""detail":"The type is spelt in none of the known ways."}]"#
      ),
      (
        "/v1/schema", #"[{"name":"A","properties":{"b":"B?"}}]"#, 422, "invalid_schema",
        #"[{"class":"A","property":"b","code":"unknown_object_type","detail":"There is no class “B”."}]"#
      ),
      (
        "/v1/schema", "[", 400, "malformed_json",
        #"[{"offset":1,"code":"unexpected_end","detail":"The text ends too early."}]"#
      ),
      ("/v1/schema/A", #"{"name":"B","properties":{}}"#, 422, "class_name_mismatch", nil),
      ("/v1/schema/A", #"{"properties":{"x":"B?"}}"#, 422, "invalid_schema", nil),
      ("/v1/schema?destructive=yes", "[]", 400, "invalid_parameter", nil),
    ] as [(String, String, UInt16, String, String?)])
  func `a schema that is none changes nothing`(
    target: String, content: String, status: UInt16, code: String, errors: String?
  ) async throws {
    try await Fixture.with { fixture in
      let before = try await fixture.everything()
      let answer = try await fixture.send(.put, target, json: content)
      #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
      if let errors { #expect(answer.errors == errors) }
      #expect(try await fixture.everything() == before)
    }
  }
}
