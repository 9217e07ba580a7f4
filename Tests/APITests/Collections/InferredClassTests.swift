import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Classes that come into being with their first objects, in development.
@Suite struct InferredClassTests {
  @Test(arguments: [
    (
      #"[{"_id": 1, "a": true}, {"_id": 2, "b": 2, "c": 1.5}]"#,
      #"{"_id":"int","a":"bool?","b":"int?","c":"double?"}"#
    ),
    (#"[{"id": "x", "n": 1}, {"id": "y", "n": 1.5}]"#, #"{"id":"string","n":"double?"}"#),
    (
      #"[{"_id": {"$oid": "000000000000000000000001"}, "d": "2026-01-02T03:04:05Z", "t": "2026"}]"#,
      #"{"_id":"objectId","d":"date?","t":"string?"}"#
    ),
    (
      #"[{"_id": 1, "l": [1, 2.5], "e": [], "m": [1, "a"], "n": [[1]], "o": {"p": 1}, "z": null}]"#,
      #"{"_id":"int","l":"double[]","e":"mixed[]","m":"mixed[]","n":"mixed[]","o":"mixed","z":"mixed"}"#
    ),
    (
      #"[{"_id": 1, "a": 1, "b": [1]}, {"_id": 2, "a": "x", "b": 2}]"#,
      #"{"_id":"int","a":"mixed","b":"mixed"}"#
    ),
    (
      #"[{"_id": 1, "a": null, "b": []}, {"_id": 2, "a": 3, "b": ["x"]}]"#,
      #"{"_id":"int","a":"int?","b":"string[]"}"#
    ),
    // Where not all can have it as their primary key, it is a property like others.
    (#"[{"id": 1}, {"id": "x"}]"#, #"{"_id":"objectId","id":"mixed"}"#),
    (#"[{"id": 1}, {}]"#, #"{"_id":"objectId","id":"int?"}"#),
    (#"[{"é 🙂": "x"}]"#, #"{"_id":"objectId","é 🙂":"string?"}"#),
  ])
  func `a class fits the objects`(objects: String, properties: String) throws {
    guard case .array(let values) = try Value(json: objects) else { return }
    let objectType = try InferredClass("Thing", of: values).objectType
    guard case .document(let notation) = objectType.notation else { return }
    let plain = notation["properties"].map { String(decoding: $0.plainJSON, as: UTF8.self) }
    #expect(plain == properties)
    // Objects of any class that was made fit it.
    let schema = try Schema(validating: [objectType])
    for value in values where objectType.properties[0].name != "_id" || value != [:] {
      guard case .document(let document) = value, document[objectType.properties[0].name] != nil else {
        continue
      }
      _ = try objectType.draft(from: value, in: schema, mode: .create)
    }
  }

  @Test func `the first objects make a class, where that is for development`() async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let made = try await fixture.send(
        .post, "/v1/collections/Thing", json: #"[{"_id": 1, "a": "x"}, {"_id": 2, "n": 1}]"#)
      #expect(made.status == 201)
      let read = try await fixture.send(.get, "/v1/collections/Thing")
      #expect(read.text == #"[{"_id":1,"a":"x","n":null},{"_id":2,"a":null,"n":1}]"#)
      // From then on it is a class like any other.
      let refused = try await fixture.send(.post, "/v1/collections/Thing", json: #"{"_id": 3, "b": 1}"#)
      #expect(refused.status == 422)
      let lines = try await fixture.send(
        .post, "/v1/collections/Line", ["content-type": "application/x-ndjson"],
        Array("{\"id\":1}\n\n{\"id\":2}\n".utf8))
      #expect(lines.status == 201)
      #expect(fixture.store.schema["Line"]?.properties.map { $0.name } == ["id"])
    }
  }

  @Test(arguments: [
    ("/v1/collections/Thing", "[]", 404, "unknown_class"),
    ("/v1/collections/_Thing", #"{"_id": 1}"#, 422, "invalid_schema"),
    ("/v1/collections/Thing", #"{"_id": 1"#, 400, "malformed_json"),
    ("/v1/collections/Thing", "[1]", 404, "unknown_class"),
  ])
  func `what makes no class leaves none`(
    target: String, content: String, status: UInt16, code: String
  ) async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      let answer = try await fixture.send(.post, target, json: content)
      #expect((answer.status, answer.code) == (status, code))
      #expect(fixture.store.schema.objectTypes.isEmpty)
    }
  }

  @Test func `otherwise a class that is not there is unknown`() async throws {
    try await Fixture.with(infersClasses: false) { fixture in
      let answer = try await fixture.send(.post, "/v1/collections/Thing", json: #"{"_id": 1}"#)
      #expect((answer.status, answer.code) == (404, "unknown_class"))
    }
  }
}
