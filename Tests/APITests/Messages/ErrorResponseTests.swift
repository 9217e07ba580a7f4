import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct ErrorResponseTests {
  @Test(
    arguments: [
      (.get, "/", 404, "route_not_found"), (.get, "/v1", 404, "route_not_found"),
      (.get, "/v1/schema/", 404, "unknown_class"),
      (.get, "/v1/collections/City/1/nam", 404, "unknown_property"),
      (.options, "/v2", 404, "route_not_found"),
      (.post, "/livez", 405, "method_not_allowed"),
      (.put, "/v1/collections/City", 405, "method_not_allowed"),
      (.get, "/v1/schema/Nope", 404, "unknown_class"), (.get, "/v1/collections/Nope", 404, "unknown_class"),
      (.get, "/v1/collections/Nope/1", 404, "unknown_class"),
      (.post, "/v1/collections/Nope", 404, "unknown_class"),
      (.get, "/v1/collections/Location", 404, "embedded_class"),
      (.get, "/v1/collections/Location/1", 404, "embedded_class"),
      (.get, "/v1/collections/City/x", 400, "invalid_identifier"),
      (.get, "/v1/collections/City/01", 400, "invalid_identifier"),
      (.get, "/v1/collections/City/", 400, "invalid_identifier"),
      (.delete, "/v1/collections/Device/1234", 400, "invalid_identifier"),
      (.get, "/v1/collections/Note/-1", 400, "invalid_identifier"),
      (.get, "/v1/collections/City/77", 404, "object_not_found"),
      (.patch, "/v1/collections/City/77", 404, "object_not_found"),
      (.delete, "/v1/collections/City/77", 404, "object_not_found"),
      (.get, "/livez?x=1", 400, "unknown_parameter"),
      (.get, "/v1/collections/City/1?limit=1", 400, "unknown_parameter"),
      (.get, "/v1/collections/%C0", 400, "malformed_target"),
      (.post, "/v1/collections/City?mode=maybe", 400, "invalid_parameter"),
    ] as [(GatehouseHTTP.Method, String, UInt16, String)])
  func `what is not there has a code`(
    method: GatehouseHTTP.Method, target: String, status: UInt16, code: String
  ) async throws {
    try await Fixture.with { fixture in
      let before = try await fixture.everything()
      let answer = try await fixture.send(method, target, json: #"{"name":"x"}"#)
      #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
      #expect(answer.fields["content-type"] == "application/problem+json")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `OPTIONS * is answered for the server as a whole`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.options, "*")
      #expect(answer.status == 204)
      #expect(answer.fields["allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY")
    }
  }

  @Test func `a wrong method is told the right ones, and so is OPTIONS`() async throws {
    try await Fixture.with { fixture in
      let allow = "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
      let wrong = try await fixture.send(.post, "/v1/collections/City/1", json: "{}")
      #expect((wrong.status, wrong.fields["allow"]) == (405, allow))
      let options = try await fixture.send(.options, "/v1/collections/City/1")
      #expect((options.status, options.fields) == (204, ["allow": allow]))
    }
  }

  @Test(
    arguments: [
      (
        .post, "/v1/collections/City", nil, "accept-post",
        "application/json, application/ejson, application/bson, application/x-ndjson, text/csv"
      ),
      (
        .post, "/v1/collections/City", "text/plain", "accept-post",
        "application/json, application/ejson, application/bson, application/x-ndjson, text/csv"
      ),
      (
        .post, "/v1/collections/City", "application/json; charset=latin1", "accept-post",
        "application/json, application/ejson, application/bson, application/x-ndjson, text/csv"
      ),
      (
        .patch, "/v1/collections/City/1", "application/x-ndjson, text/csv", "accept-patch",
        "application/merge-patch+json, application/json-patch+json, application/json, application/ejson, "
          + "application/bson"
      ),
      (.put, "/v1/collections/City/1", "application/x-ndjson, text/csv", nil, ""),
      (.put, "/v1/schema", nil, nil, ""),
    ] as [(GatehouseHTTP.Method, String, String?, String?, String)])
  func `content of the wrong type is refused with the right ones`(
    method: GatehouseHTTP.Method, target: String, type: String?, field: String?, value: String
  ) async throws {
    try await Fixture.with { fixture in
      let fields = type.map { ["content-type": $0] } ?? [:]
      let answer = try await fixture.send(method, target, fields, Array("{}".utf8))
      #expect((answer.status, answer.code) == (415, "unsupported_media_type"))
      if let field { #expect(answer.fields[field] == value) }
    }
  }

  @Test(arguments: [
    ("gzip", 415), ("identity, br", 415), ("x-unknown", 415), ("Identity", 201), ("identity, identity", 201),
  ])
  func `content is taken uncompressed only`(coding: String, status: UInt16) async throws {
    try await Fixture.with { fixture in
      let fields = ["content-encoding": coding]
      let answer = try await fixture.send(
        .post, "/v1/collections/City", fields, json: #"{"_id":1,"name":"a"}"#)
      #expect(answer.status == status)
      guard status == 415 else { return }
      #expect(answer.code == "unsupported_content_coding")
      #expect(answer.fields["accept-encoding"] == "identity")
      // A request without content is answered all the same.
      #expect(try await fixture.send(.get, "/v1/collections/City", fields).text == "[]")
    }
  }

  @Test(
    arguments: [
      ("/v1/collections/City/1", "text/html", 406),
      ("/v1/collections/City/1", "application/x-ndjson, text/csv", 406),
      ("/v1/collections/City/1", "application/json;q=0", 406), ("/v1/collections/City", "image/*", 406),
      ("/v1/collections/City/1", "text/html, */*;q=0.1", 200), ("/livez", "image/png", 200),
      ("/v1/schema", "text/event-stream", 406),
    ] as [(String, String, UInt16)])
  func `what cannot be made is not acceptable`(target: String, accept: String, status: UInt16) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.get, target, ["accept": accept])
      #expect(answer.status == status)
      if status == 406 { #expect(answer.code == "not_acceptable") }
    }
  }

  @Test func `too much content is refused`() async throws {
    try await Fixture.with("[]", limits: RequestLimits(contentSize: 10)) { fixture in
      let answer = try await fixture.send(.put, "/v1/schema", json: String(repeating: " ", count: 11))
      #expect((answer.status, answer.code) == (413, "content_too_large"))
    }
  }

  @Test func `content that breaks off is refused`() async throws {
    try await Fixture.with { fixture in
      final class Broken: BodyReader {
        func read() async throws -> [UInt8]? { throw BodyError.incomplete }
      }
      let request = Request(
        method: .put, target: Target(path: "/v1/schema"),
        fields: Fields([Fields.Line(name: "content-type", value: "application/json")]),
        body: .stream(Broken()))
      let answer = try await Answer(fixture.gateway.respond(to: request))
      #expect((answer.status, answer.code) == (400, "incomplete_content"))
    }
  }

  @Test(arguments: [
    ("/v1/collections/City", GatehouseHTTP.Method.post), ("/v1/schema", .put), ("/v1/schema/City", .put),
  ])
  func `what has no version cannot depend on one`(target: String, method: GatehouseHTTP.Method) async throws {
    try await Fixture.with { fixture in
      let before = try await fixture.everything()
      for field in ["if-match", "if-none-match"] {
        let answer = try await fixture.send(
          method, target, [field: "*"],
          json: target == "/v1/schema" ? "[]" : #"{"_id":1,"name":"x","properties":{}}"#)
        #expect(answer.status >= 400)
      }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test(
    arguments: [
      (#"{"_id":8,"name":"x"}"#, 422, "primary_key_changed"), (#"{"name":null}"#, 422, "invalid_object"),
      (#"{"name":"x","location":{"latitude":1}}"#, 422, "invalid_object"), ("7", 422, "invalid_object"),
      (#"[{"name":"x"}]"#, 422, "invalid_object"), ("", 400, "malformed_json"),
    ] as [(String, UInt16, String)])
  func `an object that is none is not put`(content: String, status: UInt16, code: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(.put, "/v1/collections/City/1", json: content)
      #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `a problem carries the id of its request`() async throws {
    try await Fixture.with { fixture in
      var request = Request(method: .get, target: Target(path: "/nope"))
      request.id = try #require(RequestID(given: "abc-1"))
      let answer = try await Answer(fixture.gateway.respond(to: request))
      #expect(try answer.document["requestId"] == "abc-1")
    }
  }

  @Test func `probes answer with a word`() async throws {
    try await Fixture.with { fixture in
      for (path, word) in [("/livez", "live\n"), ("/readyz", "ready\n")] {
        let answer = try await fixture.send(.get, path)
        #expect((answer.status, answer.text) == (200, word))
        #expect(
          answer.fields == ["cache-control": "no-store", "content-type": "text/plain; charset=utf-8"])
      }
    }
  }
}
