import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Every way to name an element of a list names the same one.
@Suite struct ListIndexWayTests {
  private static let schema = """
    [{"name":"A","primaryKey":"_id","properties":{"_id":"int","list":"int[]","any":"mixed","inner":"mixed"}}]
    """
  private static let object = "/v1/collections/A/1"

  /// A segment as URLs have it, and the element of two that it names.
  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("-1", 1), ("-2", 0), ("2", nil), ("01", nil), ("-0", nil), ("%2B1", nil),
      ("1.0", nil), ("%201", nil),
      ("-", nil), ("%EF%BC%91", nil),
    ] as [(String, Int?)])
  func `reads, streams and writes agree`(segment: String, place: Int?) async throws {
    for (property, path) in [("list", "list"), ("any", "any"), ("inner", "inner/k")] {
      try await Fixture.with(Self.schema) { fixture in
        _ = try await fixture.send(
          .post, "/v1/collections/A", json: #"{"_id":1,"list":[10,20],"any":[10,20],"inner":{"k":[10,20]}}"#)
        let target = "\(Self.object)/\(path)/\(segment)"
        let read = try await fixture.send(.get, target)
        #expect(read.status == 200 ? read.text == "\([10, 20][place ?? 0])" : place == nil, "\(target)")
        // The stream at the same URL: nothing is there, or the element.
        if let watcher = try? await fixture.watch(target) {
          _ = await watcher.events(through: "ready")
          #expect(watcher.text.contains("\"value\":10") == (place == 0), "\(target): \(watcher.text)")
          #expect(watcher.text.contains("\"value\":20") == (place == 1), "\(target): \(watcher.text)")
        } else {
          #expect(place == nil)
        }
        // JSON Patch counts from the beginning only (RFC 6901 §4).
        let decoded = ["%2B1": "+1", "%201": " 1", "%EF%BC%91": "\u{FF11}"][segment] ?? segment
        let patch = #"[{"op":"replace","path":"/\#(path)/\#(decoded)","value":99}]"#
        let patched = try await fixture.send(
          .patch, Self.object, ["content-type": "application/json-patch+json"], Array(patch.utf8))
        #expect(
          (patched.status == 200) == (place != nil && !segment.hasPrefix("-")), "\(target): \(patched.text)")
        let written = try await fixture.send(.put, target, json: "77")
        #expect((written.status < 300) == (place != nil), "\(target): \(written.text)")
        let all = try await fixture.send(.get, "\(Self.object)/\(property)").text
        let wanted = place.map { $0 == 0 ? "[77,20]" : "[10,77]" } ?? "[10,20]"
        #expect(all == (property == "inner" ? "{\"k\":\(wanted)}" : wanted), "\(target)")
      }
    }
  }
}
