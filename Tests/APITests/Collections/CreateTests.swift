import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct CreateTests {
  @Test func `one object is created and shown`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/Country", json: #"{"code":"a/b","name":"N","names":{"z":"1","a":"2"}}"#)
      #expect(answer.status == 201)
      #expect(
        answer.text
          == #"{"code":"a/b","name":"N","population":null,"neighbours":[],"names":{"a":"2","z":"1"}}"#)
      #expect(
        answer.fields == [
          "content-type": "application/json", "etag": "\"2\"", "location": "/v1/collections/Country/a%2Fb",
          "realm-version": "2", "vary": "accept",
        ])
      #expect(try await fixture.send(.get, "/v1/collections/Country/a%2Fb").text == answer.text)
    }
  }

  @Test func `objects without primary key are numbered from 0, unless they name a number`() async throws {
    try await Fixture.with { fixture in
      let path = "/v1/collections/Note"
      let first = try await fixture.send(.post, path, json: #"{"text":"a"}"#)
      #expect(first.text == #"{"_key":0,"text":"a"}"#)
      let named = try await fixture.send(.post, path, json: #"{"_key":10,"text":"b"}"#)
      #expect(named.fields["location"] == "/v1/collections/Note/10")
      #expect(try await fixture.send(.post, path, json: "{}").text == #"{"_key":11,"text":null}"#)
    }
  }

  @Test func `an array is one commit`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/Country",
        json: #"[{"code":"A","name":"a","neighbours":["B"]},{"code":"B","name":"b","neighbours":["A"]}]"#)
      #expect(answer.status == 201)
      #expect(answer.text == #"{"count":2,"ids":["A","B"]}"#)
      #expect(answer.fields == ["content-type": "application/json", "realm-version": "2", "vary": "accept"])
      #expect(try await fixture.send(.get, "/v1/collections/Country/A").document["neighbours"] == ["B"])
    }
  }

  @Test func `NDJSON and BSON documents are several objects`() async throws {
    try await Fixture.with { fixture in
      let lines = try await fixture.send(
        .post, "/v1/collections/Note", ["content-type": "application/x-ndjson; charset=utf-8"],
        Array("{\"text\":\"a\"}\n\n{\"text\":\"b\"}\r\n".utf8))
      #expect(lines.text == #"{"count":2,"ids":[0,1]}"#)
      let documents = try (["text": "c"] as Document).bson() + (["text": "d"] as Document).bson()
      let binary = try await fixture.send(
        .post, "/v1/collections/Note", ["content-type": "application/bson"], documents)
      #expect(binary.text == #"{"count":2,"ids":[2,3]}"#)
      let one = try await fixture.send(
        .post, "/v1/collections/Note", ["content-type": "application/bson", "accept": "application/bson"],
        (["text": "e"] as Document).bson())
      #expect(try Document(bson: one.content) == ["_key": .int64(4), "text": "e"])
    }
  }

  @Test func `no objects are no commit`() async throws {
    try await Fixture.with { fixture in
      let array = try await fixture.send(.post, "/v1/collections/Note", json: "[]")
      #expect(array.status == 200)
      #expect(array.text == #"{"count":0,"ids":[]}"#)
      #expect(array.fields["realm-version"] == "1")
      let lines = try await fixture.send(
        .post, "/v1/collections/Note", ["content-type": "application/x-ndjson"], [])
      #expect(lines.text == #"{"count":0,"ids":[]}"#)
    }
  }

  @Test func `the mode says what happens to an object that exists`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let path = "/v1/collections/City"
      let before = try await fixture.everything()
      for mode in ["", "?mode=error"] {
        let refused = try await fixture.send(.post, path + mode, json: #"{"_id":1,"name":"T"}"#)
        #expect((refused.status, refused.code) == (409, "object_exists"))
      }
      #expect(try await fixture.everything() == before)
      let updated = try await fixture.send(.post, path + "?mode=modified", json: #"{"_id":1,"name":"T"}"#)
      #expect(updated.status == 200)
      #expect(updated.fields["content-location"] == "/v1/collections/City/1")
      #expect(try updated.document["population"] == .int32(8_336_599))
      #expect(try updated.document["name"] == "T")
      let all = try await fixture.send(
        .post, path + "?mode=all", json: #"[{"_id":1,"name":"U"},{"_id":8,"name":"V"}]"#)
      #expect((all.status, all.text) == (201, #"{"count":2,"ids":[1,8]}"#))
    }
  }

  @Test func `return=minimal leaves out the content`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/Note", ["prefer": "return=minimal"], json: #"{"text":"a"}"#)
      #expect(answer.status == 201)
      #expect(answer.content.isEmpty)
      #expect(
        answer.fields == [
          "etag": "\"2\"", "location": "/v1/collections/Note/0", "preference-applied": "return=minimal",
          "realm-version": "2",
        ])
    }
  }

  @Test(
    arguments: [
      // One object: the pointer begins at its members.
      (
        "application/json", #"{"_id":5,"nme":"x"}"#, 422, "invalid_object",
        #"[{"pointer":"/nme","code":"unknown_property","detail":"The class has no property of that name."},"#
          + #"{"pointer":"/name","code":"missing_property","detail":"The property is required."}]"#
      ),
      // Several: the position comes first.
      (
        "application/json", #"[{"_id":5,"name":"x"},{"_id":"6","name":"y"}]"#, 422, "invalid_object",
        #"[{"pointer":"/1/_id","code":"wrong_type","detail":"A value of type int is expected, not string: a whole number without point, exponent and quotes, such as 5."}]"#
      ),
      (
        "application/x-ndjson", "{\"_id\":5,\"name\":\"x\"}\n\n{\"_id\":6,\"name\":7}\n", 422,
        "invalid_object",
        #"[{"pointer":"/1/name","line":3,"code":"wrong_type","#
          + #""detail":"A value of type string is expected, not int: text in quotes."}]"#
      ),
      (
        "application/x-ndjson", "{\"_id\":5,\"name\":\"x\"}\n{\"_id\":6,\"name\":}\n", 400, "malformed_json",
        #"[{"offset":16,"line":2,"code":"expected_value","detail":"Here a value should begin."}]"#
      ),
      (
        "application/json", #"[{"_id":5,"name":"x"},{"_id":5,"name":"y"}]"#, 409, "object_exists",
        #"[{"pointer":"/1","code":"object_exists","#
          + #""detail":"Class “City” has an object with that primary key already."}]"#
      ),
      (
        "application/x-ndjson", "{\"_id\":5,\"name\":\"x\"}\n\n{\"_id\":6,\"name\":\"y\",\"country\":\"ZZ\"}",
        409,
        "link_target_not_found", nil
      ),
      ("application/json", #"{"_id":6,"name":"y","country":"ZZ"}"#, 409, "link_target_not_found", nil),
      (
        "application/json", #"[1]"#, 422, "invalid_object",
        #"[{"pointer":"/0","code":"not_a_document","#
          + #""detail":"An object is expected, not a value of type int."}]"#
      ),
      (
        "application/bson", "\u{5}\0\0\0\u{1}", 400, "malformed_bson",
        #"[{"offset":4,"code":"missing_terminator","detail":"A zero byte is missing at an end."}]"#
      ),
    ] as [(String, String, UInt16, String, String?)])
  func `nothing is written where something is wrong`(
    type: String, content: String, status: UInt16, code: String, errors: String?
  ) async throws {
    try await Fixture.with { fixture in
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        .post, "/v1/collections/City", ["content-type": type], Array(content.utf8))
      #expect((answer.status, answer.code) == (status, code))
      if let errors { #expect(answer.errors == errors) }
      #expect(answer.fields["content-type"] == "application/problem+json")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `an update that turns out to be a creation must be complete`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/collections/City?mode=modified", json: #"[{"_id":1,"name":"a"},{"_id":2}]"#)
      #expect((answer.status, answer.code) == (422, "invalid_object"))
      #expect(
        answer.errors
          == #"[{"pointer":"/1/name","code":"missing_property","detail":"The property is required."}]"#)
    }
  }
}
