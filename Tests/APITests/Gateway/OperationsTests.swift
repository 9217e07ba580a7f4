import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry
import Testing

@testable import GatehouseAPI

@Suite struct OperationsTests {
  @Test func `a server that is about to stop is not ready, and answers everything else`() async throws {
    let readiness = Readiness()
    try await Fixture.with(readiness: readiness) { fixture in
      #expect(try await fixture.send(.get, "/readyz").text == "ready\n")
      readiness.stop()
      let answer = try await fixture.send(.get, "/readyz")
      #expect((answer.status, answer.code) == (503, "stopping"))
      #expect(answer.fields["retry-after"] == "1")
      #expect(try await fixture.send(.get, "/livez").status == 200)
      #expect(try await fixture.send(.get, "/v1/schema").status == 200)
    }
  }

  @Test func `metrics are what the registry has`() async throws {
    let registry = Registry()
    registry.counter("things", help: "Things.").add(3)
    try await Fixture.with(metrics: registry) { fixture in
      let answer = try await fixture.send(.get, "/metrics")
      #expect(
        answer.fields == [
          "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8",
          "cache-control": "no-store",
        ])
      #expect(answer.text.contains("\nthings_total 3\n") && answer.text.hasSuffix("# EOF\n"))
    }
  }

  @Test func `writes that a closed store has refused are counted as waiting no more`() async throws {
    let registry = Registry()
    try await Fixture.with(metrics: registry) { fixture in
      await fixture.store.close()
      let refused = try await fixture.send(.post, "/v1/collections/City", json: #"{"_id":1,"name":"a"}"#)
      #expect(refused.status >= 400)
      #expect(try await fixture.send(.get, "/metrics").text.contains("\ngatehouse_write_queue_depth 0\n"))
    }
  }

  @Test(
    arguments: [
      (.get, "/v1/collections/City/1", "/v1/collections/{class}/{id}"),
      (.get, "/v1/collections/Nothing/1", "/v1/collections/{class}/{id}"),
      (.delete, "/livez", "/livez"), (.options, "/v1/schema", "/v1/schema"), (.get, "/secret", nil),
    ] as [(GatehouseHTTP.Method, String, String?)])
  func `a response names its route and never its path`(
    method: GatehouseHTTP.Method, path: String, route: String?
  ) async throws {
    try await Fixture.with { fixture in
      let response = await fixture.gateway.respond(to: Request(method: method, target: Target(path: path)))
      #expect(response.route == route)
    }
  }
}
