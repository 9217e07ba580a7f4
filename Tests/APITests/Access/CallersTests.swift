import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Who calls, and whose permit is remembered for whom.
@Suite struct CallersTests {
  private static let roles = #"{"anyone":{"classes":{"Topic":{"read":true}}}}"#

  @Test func `a probe between changes of schema or roles leaves everybody's rights alone`() async throws {
    let attempt = try await IntrusionFixture()
    let applied = try await attempt.fixture.send(.put, "/v1/roles", attempt.administrator, json: Self.roles)
    #expect(applied.status == 200)
    for probe in ["/livez", "/readyz", "\(Endpoint.appServicesPath)/app/a/location"] {
      for change in ["/v1/schema/New\(probe.count)", "/v1/roles"] {
        let content =
          change == "/v1/roles" ? Self.roles : #"{"name":"New\#(probe.count)","properties":{"a":"int"}}"#
        let changed = try await attempt.fixture.send(.put, change, attempt.administrator, json: content)
        #expect([200, 201].contains(changed.status), "\(changed.text)")
        #expect(try await attempt.fixture.send(.get, probe).status == 200)
        let read = try await attempt.fixture.send(.get, "/v1/collections/Topic?fields=name")
        #expect((read.status, read.text) == (200, #"[{"name":"a"},{"name":"b"}]"#), "\(probe) \(change)")
        let hidden = try await attempt.fixture.send(.get, "/v1/collections/Note")
        #expect((hidden.status, hidden.code) == (403, "forbidden"))
      }
    }
    await attempt.fixture.remove()
  }

  @Test func `a call that began with an earlier role leaves its rights to nobody`() async throws {
    let attempt = try await IntrusionFixture()
    let access = attempt.fixture.gateway.context.access
    let reader = try attempt.fixture.store.makeReader()
    let (schema, generation) = reader.schemaState
    var callers = Callers(access, nil)
    let key = try await access.makeKey(name: "", role: "member", classes: [])
    let request = Request(
      method: .get, target: Target(path: "/"),
      fields: Fields([Fields.Line(name: "authorization", value: "Bearer \(key.text)")]))
    let before = try callers.principal(of: request, for: .readObject, reader)
    #expect(callers.permit(of: before, in: schema, generation: generation)?["Topic"].read == .all)
    let applied = try await attempt.fixture.send(
      .put, "/v1/roles", attempt.administrator, json: #"{"member":{"classes":{"Note":{"read":true}}}}"#)
    #expect(applied.status == 200)
    // Somebody's request has the change seen; then the function that was called before asks.
    let after = try callers.principal(of: request, for: .readObject, reader)
    #expect(callers.permit(of: before, in: schema, generation: generation)?["Topic"].read == .all)
    #expect(callers.permit(of: after, in: schema, generation: generation)?["Topic"].read != .all)
    #expect(callers.permit(of: before, in: schema, generation: generation)?["Topic"].read == .all)
    await attempt.fixture.remove()
  }
}
