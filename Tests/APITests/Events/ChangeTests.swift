import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// PATCH and DELETE of a collection by filter.
@Suite struct ChangeTests {
  private static let path = "/v1/collections/City"

  @Test(
    arguments: [
      (
        "filter=country.code%20%3D%3D%20%22JP%22", "application/merge-patch+json", #"{"population":1}"#, 2,
        [1, 3_426_354, 2_138_551, 1]
      ),
      (
        "filter=population%20%3E%20%240&args=%5B3000000%5D", "application/json",
        #"{"$inc":{"population":1}}"#, 2,
        [8_336_600, 3_426_355, 2_138_551, 2_592_413]
      ),
      (
        "filter=TRUEPREDICATE%20SORT(population%20ASC)%20LIMIT(1)", "application/json-patch+json",
        #"[{"op":"replace","path":"/population","value":0}]"#, 1, [8_336_599, 3_426_354, 0, 2_592_413]
      ),
      (
        "filter=name%20%3D%3D%20%22nowhere%22", "application/json", #"{"population":1}"#, 0,
        [8_336_599, 3_426_354, 2_138_551, 2_592_413]
      ),
    ] as [(String, String, String, Int, [Int64])])
  func `PATCH changes all that match`(
    query: String, type: String, content: String, count: Int, populations: [Int64]
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(
        .patch, "\(ChangeTests.path)?\(query)", ["content-type": type], Array(content.utf8))
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer.text == #"{"count":\#(count)}"#)
      #expect(answer.fields["realm-version"] == (count == 0 ? "3" : "4"))
      let list = try await fixture.send(.get, "\(ChangeTests.path)?fields=population&sort=_id").text
      #expect(list == "[" + populations.map { #"{"population":\#($0)}"# }.joined(separator: ",") + "]")
    }
  }

  @Test func `DELETE deletes all that match, and links to them become null`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.delete, "/v1/collections/Country?filter=code%20!%3D%20%22DE%22")
      #expect(answer.status == 200)
      #expect(answer.text == #"{"count":2}"#)
      #expect(answer.fields["realm-version"] == "4")
      #expect(
        try await fixture.send(.get, "\(ChangeTests.path)?fields=country&sort=_id").text
          == #"[{"country":null},{"country":"DE"},{"country":null},{"country":null}]"#)
      #expect(try await fixture.send(.get, "/v1/collections/Country/DE").document["neighbours"] == [])
    }
  }

  /// The owner's own key is that of the dog: the one must not be taken for the other.
  @Test(arguments: [#"pets[0] == obj("Dog","astro")"#, #"byName.p == obj("Dog","astro")"#])
  func `DELETE by an element of a list of links, or of a map, deletes those that have it there`(
    filter: String
  ) async throws {
    let schema = """
      [{"name":"Dog","primaryKey":"name","properties":{"name":"string"}},
       {"name":"Owner","properties":{"pets":"Dog[]","byName":"Dog{}"}}]
      """
    try await Fixture.with(schema) { fixture in
      for name in ["astro", "bello"] {
        _ = try await fixture.send(.post, "/v1/collections/Dog", json: #"{"name":"\#(name)"}"#)
      }
      for name in ["bello", "astro"] {
        _ = try await fixture.send(
          .post, "/v1/collections/Owner", json: #"{"pets":["\#(name)","astro"],"byName":{"p":"\#(name)"}}"#)
      }
      let query = Array(filter.utf8).map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
      let answer = try await fixture.send(.delete, "/v1/collections/Owner?filter=\(query)")
      #expect(answer.text == #"{"count":1}"#)
      #expect(
        try await fixture.send(.get, "/v1/collections/Owner").text
          == #"[{"_key":0,"pets":["bello","astro"],"byName":{"p":"bello"}}]"#)
    }
  }

  @Test func `one object that cannot follow undoes all`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        .patch, "\(ChangeTests.path)?filter=TRUEPREDICATE", ["content-type": "application/json-patch+json"],
        Array(#"[{"op":"replace","path":"/name","value":"x"},{"op":"remove","path":"/tags/0"}]"#.utf8))
      #expect(answer.status == 409)
      #expect(answer.code == "patch_path_not_found")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `the answer may be left out`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(
        .delete, "\(ChangeTests.path)?filter=TRUEPREDICATE", ["prefer": "return=minimal"])
      #expect(answer.status == 204)
      #expect(answer.content.isEmpty)
      #expect(answer.fields == ["preference-applied": "return=minimal", "realm-version": "4"])
      #expect(try await fixture.send(.get, ChangeTests.path).text == "[]")
    }
  }

  @Test(
    arguments: [
      (.delete, "", [:], 400, "missing_parameter"), (.patch, "", [:], 400, "missing_parameter"),
      (.delete, "?filter=nope%20%3D%3D%201", [:], 400, "invalid_query"),
      (.delete, "?filter=TRUEPREDICATE&limit=1", [:], 400, "unknown_parameter"),
      (.delete, "?filter=TRUEPREDICATE", ["if-match": "\"3\""], 400, "invalid_precondition"),
      (.patch, "?filter=TRUEPREDICATE", ["content-type": "text/plain"], 415, "unsupported_media_type"),
      (.patch, "?filter=TRUEPREDICATE", [:], 422, "invalid_object"),
    ] as [(GatehouseHTTP.Method, String, [String: String], UInt16, String)])
  func `what is refused changes nothing`(
    method: GatehouseHTTP.Method, query: String, fields: [String: String], status: UInt16, code: String
  ) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(method, ChangeTests.path + query, fields, json: #"{"name":1}"#)
      #expect(answer.status == status)
      #expect(answer.code == code)
      #expect(try await fixture.everything() == before)
    }
  }
}
