import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct ObjectTests {
  @Test func `an object comes as plain JSON with its version`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/City/1")
      #expect(answer.status == 200)
      #expect(
        answer.text == """
          {"_id":1,"name":"Tokyo","population":8336599,"country":"JP",\
          "location":{"latitude":35.5,"longitude":139.5},"tags":[]}
          """)
      #expect(
        answer.fields == ["content-type": "application/json", "etag": "\"3\"", "vary": "accept"])
    }
  }

  @Test func `each representation has a tag of its own`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let extended = try await fixture.send(.get, "/v1/collections/City/3", ["accept": "application/ejson"])
      #expect(
        extended.text == """
          {"_id":{"$numberLong":"3"},"name":"Paris","population":{"$numberLong":"2138551"},"country":"FR",\
          "location":null,"tags":[]}
          """)
      #expect(extended.fields["etag"] == "\"3-ejson\"")
      let binary = try await fixture.send(.get, "/v1/collections/City/3", ["accept": "application/bson"])
      #expect(
        try Document(bson: binary.content) == [
          "_id": .int64(3), "name": "Paris", "population": .int64(2_138_551), "country": "FR",
          "location": .null,
          "tags": [],
        ])
      #expect(binary.fields["etag"] == "\"3-bson\"")
      #expect(binary.fields["content-type"] == "application/bson")
    }
  }

  @Test func `HEAD has the fields of GET`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let head = try await fixture.send(.head, "/v1/collections/City/1")
      let get = try await fixture.send(.get, "/v1/collections/City/1")
      #expect(head.status == 200)
      #expect(head.fields == get.fields)
      #expect(try await fixture.send(.head, "/v1/collections/City/77").status == 404)
    }
  }

  @Test(arguments: [
    ("fields=name", #"{"name":"Tokyo"}"#, true),
    ("fields=name,country.name", #"{"name":"Tokyo","country":{"name":"Japan"}}"#, false),
    (
      "fields=country&expand=country",
      #"{"country":{"code":"JP","name":"Japan","population":126529100,"neighbours":[],"#
        + #""names":{"de":"Japan","fr":"Japon"}}}"#, false
    ),
  ])
  func `fields and expand choose what is shown`(query: String, text: String, hasTag: Bool) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/City/1?\(query)")
      #expect(answer.status == 200)
      #expect(answer.text == text)
      // The values of other objects in the answer change without this object's version.
      #expect((answer.fields["etag"] != nil) == hasTag)
    }
  }

  @Test func `linking objects are shown on request, without a tag`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/Country/JP?fields=name,cities")
      #expect(answer.text == #"{"name":"Japan","cities":[1,4]}"#)
      #expect(answer.fields["etag"] == nil)
    }
  }

  @Test(
    arguments: [
      ("if-none-match", "\"3\"", 304), ("if-none-match", "W/\"3\"", 304), ("if-none-match", "*", 304),
      ("if-none-match", "\"2\", \"3\"", 304), ("if-none-match", "\"2\"", 200),
      ("if-none-match", "\"3-bson\"", 200),
      ("if-match", "\"3\"", 200), ("if-match", "*", 200), ("if-match", "\"3-bson\"", 200),
      ("if-match", "\"4\"", 412), ("if-match", "W/\"3\"", 412), ("if-match", "\"x\"", 412),
      ("if-match", "3", 400), ("if-none-match", "\"3", 400),
    ] as [(String, String, UInt16)])
  func `a read may depend on the version`(field: String, value: String, status: UInt16) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, "/v1/collections/City/1", [field: value])
      #expect(answer.status == status)
      if status == 304 { #expect(answer.fields == ["etag": "\"3\"", "vary": "accept"]) }
      if status == 304 { #expect(answer.content.isEmpty) }
      if status == 412 { #expect(answer.code == "precondition_failed") }
      if status == 400 { #expect(answer.code == "invalid_precondition") }
    }
  }

  @Test func `PUT creates and replaces`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let created = try await fixture.send(
        .put, "/v1/collections/City/9", json: #"{"_id":9,"name":"Kyoto","population":5,"country":"JP"}"#)
      #expect(created.status == 201)
      #expect(
        created.text
          == #"{"_id":9,"name":"Kyoto","population":5,"country":"JP","location":null,"tags":[]}"#)
      #expect(
        created.fields == [
          "content-type": "application/json", "etag": "\"4\"", "realm-version": "4", "vary": "accept",
        ])
      // A property that is left out goes back to its default.
      let replaced = try await fixture.send(.put, "/v1/collections/City/9", json: #"{"name":"Kobe"}"#)
      #expect(replaced.status == 200)
      #expect(
        replaced.text == #"{"_id":9,"name":"Kobe","population":0,"country":null,"location":null,"tags":[]}"#)
      #expect(replaced.fields["etag"] == "\"5\"")
    }
  }

  @Test func `PATCH merges`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(
        .patch, "/v1/collections/Country/JP", ["content-type": "application/merge-patch+json"],
        Array(#"{"population":null,"names":{"de":null,"it":"Giappone"}}"#.utf8))
      #expect(answer.status == 200)
      #expect(
        answer.text == """
          {"code":"JP","name":"Japan","population":null,"neighbours":[],"names":{"fr":"Japon","it":"Giappone"}}
          """)
      let embedded = try await fixture.send(
        .patch, "/v1/collections/City/1", json: #"{"location":{"latitude":36.0}}"#)
      #expect(
        try embedded.document["location"] == ["latitude": .double(36), "longitude": .double(139.5)])
    }
  }

  @Test func `DELETE deletes once`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let deleted = try await fixture.send(.delete, "/v1/collections/City/1")
      #expect(deleted.status == 204)
      #expect(deleted.content.isEmpty)
      #expect(deleted.fields == ["realm-version": "4"])
      #expect(try await fixture.send(.get, "/v1/collections/City/1").code == "object_not_found")
      #expect(try await fixture.send(.delete, "/v1/collections/City/1").code == "object_not_found")
    }
  }

  @Test(
    arguments: [
      (.put, "if-match", "\"3\"", 200), (.put, "if-match", "\"2\"", 412), (.put, "if-none-match", "*", 412),
      (.patch, "if-match", "\"3-ejson\"", 200), (.patch, "if-match", "\"2\", \"3\"", 200),
      (.patch, "if-match", "\"99\"", 412), (.patch, "if-match", "W/\"3\"", 412),
      (.delete, "if-match", "*", 204), (.delete, "if-match", "\"99\"", 412),
      (.put, "if-none-match", "\"3\"", 400), (.delete, "if-match", "3", 400),
    ] as [(GatehouseHTTP.Method, String, String, UInt16)])
  func `a write may depend on the version`(
    method: GatehouseHTTP.Method, field: String, value: String, status: UInt16
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        method, "/v1/collections/City/2", [field: value], json: #"{"name":"Bonn"}"#)
      #expect(answer.status == status)
      if status >= 400 { #expect(try await fixture.everything() == before) }
    }
  }

  @Test func `If-None-Match star creates only`() async throws {
    try await Fixture.with { fixture in
      let path = "/v1/collections/Country/XX"
      let first = try await fixture.send(.put, path, ["if-none-match": "*"], json: #"{"name":"X"}"#)
      let second = try await fixture.send(.put, path, ["if-none-match": "*"], json: #"{"name":"Y"}"#)
      #expect((first.status, second.status) == (201, 412))
      #expect(try await fixture.send(.get, path).document["name"] == "X")
    }
  }

  @Test func `a write without content in its answer`() async throws {
    try await Fixture.with { fixture in
      let minimal = ["prefer": "return=minimal"]
      let created = try await fixture.send(.put, "/v1/collections/City/5", minimal, json: #"{"name":"a"}"#)
      #expect(created.status == 201)
      #expect(created.content.isEmpty)
      #expect(
        created.fields == ["etag": "\"2\"", "preference-applied": "return=minimal", "realm-version": "2"])
      let patched = try await fixture.send(.patch, "/v1/collections/City/5", minimal, json: #"{"name":"b"}"#)
      #expect(patched.status == 204)
      #expect(patched.content.isEmpty)
    }
  }

  @Test func `objects are found by every kind of identifier`() async throws {
    try await Fixture.with { fixture in
      _ = try await fixture.send(.put, "/v1/collections/Country/a%2Fb%20%C3%A9", json: #"{"name":"odd"}"#)
      #expect(
        try await fixture.send(.get, "/v1/collections/Country/a%2Fb%20%C3%A9").document["code"] == "a/b é")
      let uuid = "00112233-4455-6677-8899-aabbccddeeff"
      _ = try await fixture.send(.put, "/v1/collections/Device/\(uuid)", json: "{}")
      #expect(
        try await fixture.send(.get, "/v1/collections/Device/\(uuid)").text
          == #"{"id":"\#(uuid)","seen":null}"#)
      _ = try await fixture.send(.put, "/v1/collections/Note/7", json: #"{"text":"t"}"#)
      #expect(try await fixture.send(.get, "/v1/collections/Note/7").text == #"{"_key":7,"text":"t"}"#)
    }
  }

  @Test func `BSON and Extended JSON are read as well`() async throws {
    try await Fixture.with { fixture in
      let document: Document = ["name": "B", "population": .int64(1 << 40)]
      let binary = try await fixture.send(
        .put, "/v1/collections/Country/B", ["content-type": "application/bson"], document.bson())
      #expect(try binary.document["population"] == .int64(1 << 40))
      let extended = try await fixture.send(
        .put, "/v1/collections/Country/E", ["content-type": "application/ejson"],
        Array(#"{"name":"E","population":{"$numberLong":"7"}}"#.utf8))
      #expect(try extended.document["population"] == .int32(7))
    }
  }
}
