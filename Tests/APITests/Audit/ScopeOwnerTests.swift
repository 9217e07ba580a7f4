import GatehouseAccess
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct ScopeOwnerTests {
  private struct Caller {
    let id: String
    let fields: [String: String]

    init(_ fixture: Fixture) async throws {
      let made = try await fixture.gateway.context.access.makeKey(name: "", role: "write", classes: [])
      id = "key/\(made.key.id)"
      fields = ["authorization": "Bearer \(made.text)", "content-type": "application/json"]
    }
  }

  @Test func `a scope is known to nobody but who began it`() async throws {
    try await Fixture.with(Auditing(details: [.caller])) { fixture in
      let one = try await Caller(fixture)
      let other = try await Caller(fixture)
      let begun = try await fixture.send(
        .post, "/v1/audit/scopes", one.fields, Array(#"{"activity":"round"}"#.utf8))
      #expect(begun.status == 201)
      for action in ["commit", "cancel"] {
        let answer = try await fixture.send(.post, "/v1/audit/scopes/1/\(action)", other.fields, [])
        #expect((answer.status, answer.code) == (409, "scope_not_in_progress"))
      }
      let joined = try await fixture.send(
        .get, "/v1/collections/City", other.fields.merging(["audit-scope": "1"]) { $1 }, nil)
      #expect((joined.status, joined.code) == (409, "scope_not_in_progress"))
      let written = try await fixture.send(
        .post, "/v1/collections/City", one.fields.merging(["audit-scope": "1"]) { $1 },
        Array(#"{"_id":1,"name":"Tokyo"}"#.utf8))
      #expect(written.status == 201)
      #expect(try await fixture.send(.post, "/v1/audit/scopes/1/commit", one.fields, []).status == 204)
      let trail = try await fixture.send(
        .get, "/v1/collections/AuditEvent?fields=activity,caller", one.fields, nil)
      #expect(trail.text == #"[{"activity":"round","caller":"\#(one.id)"}]"#)
    }
  }
}
