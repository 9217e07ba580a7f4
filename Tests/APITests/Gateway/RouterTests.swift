import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct RouterTests {
  private let router = Router(Endpoint.all)

  @Test(
    arguments: [
      (.get, ["livez"], .endpoint(.liveness, captures: [])),
      (.head, ["livez"], .endpoint(.liveness, captures: [])),
      (.get, [], .endpoint(.rootPage, captures: [])),
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
    ] as [(GatehouseHTTP.Method, [String], Router.Match)])
  func `a request finds its endpoint`(method: GatehouseHTTP.Method, segments: [String], match: Router.Match)
    throws
  {
    #expect(try router.match(method, segments) == match)
  }

  @Test(
    arguments: [
      (.get, [""], .routeNotFound), (.get, ["v1"], .routeNotFound),
      (.get, ["V1", "schema"], .routeNotFound), (.get, ["livez", ""], .routeNotFound),
      (.options, ["v1", "x"], .routeNotFound), (.head, ["nope"], .routeNotFound),
      (.post, ["livez"], .methodNotAllowed(allow: [.get, .head, .options])),
      (.query, ["v1", "collections"], .methodNotAllowed(allow: [.get, .head, .options])),
    ] as [(GatehouseHTTP.Method, [String], APIError)])
  func `a request without endpoint is told why`(
    method: GatehouseHTTP.Method, segments: [String], error: APIError
  ) {
    #expect(throws: error) { try router.match(method, segments) }
  }

  @Test func `no two endpoints have the same name, and no path leads to two of them`() {
    #expect(Set(Endpoint.all.map(\.name)).count == Endpoint.all.count)
    #expect(Router.conflicts(among: Endpoint.all) == [])
  }

  @Test(
    arguments: [
      // A literal beside a capture: PUT of the object with that identifier would have no method.
      (.get("/c/{class}/{id}"), .get("/c/{class}/random"), true),
      (.put("/c/{class}/{id}", reads: []), .get("/c/{class}/random"), true),
      (.get("/c/{class}/{id}"), .get("/c/random/{id}"), true),
      (.get("/c/{class}/{id}/{path}"), .get("/c/{class}/{id}/{other}/random"), true),
      // The same template under two names, and the same method twice.
      (.get("/c/{class}"), .put("/c/{name}", reads: []), true),
      (.get("/c/{class}"), .get("/c/{class}"), true),
      (.get("/c/{class}"), .put("/c/{class}", reads: []), false),
      (.get("/c/{class}"), .get("/random/{class}"), false),
      (.get("/c/{class}"), .get("/c/{class}/{id}"), false),
      (.get("/c/{class}/{id}/{path}"), .get("/c/{class}/random"), false),
      (.get("/a/{b}/c"), .get("/a/{b}/d"), false),
      // A route gives way to a literal, and to nothing else.
      (.get("/a/{b}/{route}"), .post("/a/{b}/data/{name}", reads: []), false),
      (.get("/a/{b}/{route}"), .get("/a/{b}/{name}"), true),
    ] as [(RequestForm, RequestForm, Bool)])
  func `a table in which routes hide each other has a conflict`(
    first: RequestForm, second: RequestForm, isConflict: Bool
  ) {
    let endpoints = [("first", first), ("second", second)].map { name, form in
      Endpoint(name, form, requires: .nothing) { _ in Response(status: .ok) }
    }
    let conflict = Router.Conflict(first: endpoints[0], second: endpoints[1])
    #expect(Router.conflicts(among: endpoints) == (isConflict ? [conflict] : []))
  }
}
