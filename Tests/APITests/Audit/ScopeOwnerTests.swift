import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

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

  @Test(arguments: [false, true])
  func `what a function asks joins its caller's scopes, and comes from its caller's address`(
    isSystem: Bool
  ) async throws {
    let fixture = try await Fixture(
      hosts: HostPolicy(.loopback), audit: Auditing(details: [.caller, .address]))
    let one = try await Caller(fixture)
    let begun = try await fixture.send(
      .post, "/v1/audit/scopes", one.fields, Array(#"{"activity":"round"}"#.utf8))
    #expect(begun.status == 201)
    let other = try await Caller(fixture)
    var question = DataQuestion(method: "POST", target: "/v1/collections/City")
    question.content = Array(#"{"_id":1,"name":"Tokyo"}"#.utf8)
    question.isText = true
    question.isAsSystem = isSystem
    var statuses: [Value?] = []
    for caller in [other, one] {
      let token = String(caller.fields["authorization"]?.dropFirst("Bearer ".count) ?? "")
      let principal = try #require(fixture.gateway.context.access.current.principal(showing: token))
      var request = Request(
        method: .post, target: Target(path: "/v1/functions/f"),
        fields: Fields([
          Fields.Line(name: "audit-scope", value: "1"), Fields.Line(name: "audit-activity", value: "call"),
        ]))
      request.peer = .ipv4(0x0A00_0001, port: 9)
      let ask = fixture.gateway.context.functions.respondent(for: request, by: principal)
      statuses.append(await ask(.data(question)).document["status"])
    }
    #expect(statuses == [.int32(409), .int32(201)])
    #expect(try await fixture.send(.post, "/v1/audit/scopes/1/commit", one.fields, []).status == 204)
    let stored = try fixture.storedEvents("caller", "address")
    let asker = isSystem ? "key/system" : one.id
    #expect(stored.count == 2)
    #expect(stored.first?.hasPrefix("call write ") == true)
    #expect(stored.first?.hasSuffix(" \(asker) 10.0.0.1") == true, "\(stored)")
    #expect(stored.last?.hasPrefix("round write ") == true)
    #expect(stored.last?.hasSuffix(" \(one.id) local") == true, "\(stored)")
    await fixture.remove()
  }
}
