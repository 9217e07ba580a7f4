import HTTP
import Testing

@testable import API

@Suite struct RouterTests {
  private let router = Router(Route.table)

  @Test(
    arguments: [
      (.get, ["livez"], .endpoint(.liveness, captures: [])),
      (.head, ["livez"], .endpoint(.liveness, captures: [])),
      (.get, ["v1", "schema"], .endpoint(.readSchema, captures: [])),
      (.get, ["v1", "schema", "schema"], .endpoint(.readObjectType, captures: ["schema"])),
      (.post, ["v1", "collections", "A"], .endpoint(.createObjects, captures: ["A"])),
      (.delete, ["v1", "collections", "A/B", "é"], .endpoint(.deleteObject, captures: ["A/B", "é"])),
      (.get, ["v1", "collections", "", ""], .endpoint(.readObject, captures: ["", ""])),
      (.options, ["v1", "schema"], .options(allow: [.get, .head, .put, .options])),
      (
        .options, ["v1", "collections", "A"],
        .options(allow: [.get, .head, .post, .patch, .delete, .query, .options])
      ),
    ] as [(HTTP.Method, [String], Router.Match)])
  func `a request finds its endpoint`(method: HTTP.Method, segments: [String], match: Router.Match) throws {
    #expect(try router.match(method, segments) == match)
  }

  @Test(
    arguments: [
      (.get, [], .routeNotFound), (.get, [""], .routeNotFound), (.get, ["v1"], .routeNotFound),
      (.get, ["V1", "schema"], .routeNotFound), (.get, ["livez", ""], .routeNotFound),
      (.options, ["v1", "x"], .routeNotFound), (.head, ["nope"], .routeNotFound),
      (.post, ["livez"], .methodNotAllowed(allow: [.get, .head, .options])),
      (.query, ["v1", "collections"], .methodNotAllowed(allow: [.get, .head, .options])),
    ] as [(HTTP.Method, [String], APIError)])
  func `a request without endpoint is told why`(method: HTTP.Method, segments: [String], refusal: APIError) {
    #expect(throws: refusal) { try router.match(method, segments) }
  }

  @Test func `every endpoint has exactly one route`() {
    #expect(
      Route.table.map(\.endpoint).sorted { $0.rawValue < $1.rawValue }
        == Endpoint.allCases.sorted { $0.rawValue < $1.rawValue })
  }
}
