import GatehouseAccess
import GatehouseAudit
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// How much a caller may have recorded on demand who may not store events of their own.
@Suite struct DemandBoundTests {
  private static let city = "/v1/collections/City"

  /// A minute has 4,000 bytes.
  private static func auditing() -> Auditing {
    var options = Recorder.Options()
    options.largestCustomEvent = 2_000
    options.customEventsPerMinute = 2
    return Auditing(options: options)
  }

  private static func key(_ role: String, _ fixture: Fixture) async throws -> [String: String] {
    let made = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: [])
    return ["authorization": "Bearer \(made.text)", "content-type": "application/json"]
  }

  private static func with(_ body: (Fixture, Auditing) async throws -> Void) async throws {
    let auditing = auditing()
    try await Fixture.with(auditing) { fixture in
      _ = try await fixture.send(.post, city, json: #"{"_id":1,"name":"Tokyo"}"#)
      try await body(fixture, auditing)
    }
  }

  @Test func `reads are refused that would be recorded beyond it, until the minute is over`() async throws {
    try await Self.with { fixture, auditing in
      let reader = try await Self.key("read", fixture)
      let asking = reader.merging(["audit-activity": "look"]) { $1 }
      var answers: [Answer] = []
      while answers.count < 10, answers.last?.status ?? 200 == 200 {
        answers.append(try await fixture.send(.get, Self.city, asking))
      }
      // Each event counts for a KiB beside its text.
      #expect(answers.map(\.status) == [200, 200, 200, 200, 429])
      let refused = try #require(answers.last)
      #expect(refused.code == "too_many_events")
      let wait = try #require(refused.fields["retry-after"].flatMap(Int64.init))
      #expect((1...60).contains(wait))
      #expect(try fixture.storedEvents().count == 4)
      #expect(try await fixture.send(.get, Self.city, reader).status == 200)
      let other = try await Self.key("read", fixture)
      #expect(
        try await fixture.send(.get, Self.city, other.merging(["audit-activity": "look"]) { $1 }).status
          == 200)
      auditing.pass(wait)
      #expect(try await fixture.send(.get, Self.city, asking).status == 200)
      #expect(try fixture.storedEvents().count == 6)
    }
  }

  @Test func `so are writes and requests in scopes, and nothing of them is done`() async throws {
    try await Self.with { fixture, _ in
      let writer = try await Self.key("write", fixture)
      let begun = try await fixture.send(
        .post, "/v1/audit/scopes", writer, Array(#"{"activity":"round"}"#.utf8))
      #expect(begun.status == 201)
      let text = String(repeating: "x", count: 2_000)
      let both = writer.merging(["audit-activity": "note", "audit-scope": "1"]) { $1 }
      let first = try await fixture.send(
        .post, Self.city, both, Array(#"{"_id":2,"name":"\#(text)"}"#.utf8))
      #expect(first.status == 201)
      let version = fixture.store.version
      for name in ["audit-activity", "audit-scope"] {
        let asking = writer.merging([name: "1"]) { $1 }
        let written = try await fixture.send(
          .post, Self.city, asking, Array(#"{"_id":3,"name":"a"}"#.utf8))
        #expect((written.status, written.code) == (429, "too_many_events"))
        let read = try await fixture.send(.get, Self.city, asking)
        #expect((read.status, read.code) == (429, "too_many_events"))
      }
      #expect(fixture.store.version == version)
      // The scope can be committed.
      #expect(try await fixture.send(.post, "/v1/audit/scopes/1/commit", writer, []).status == 204)
      #expect(try fixture.storedEvents().count == 2)
    }
  }

  @Test func `there is no bound for those who may store events of their own`() async throws {
    try await Self.with { fixture, _ in
      let administrator = try await Self.key("admin", fixture).merging(["audit-activity": "look"]) { $1 }
      for _ in 0..<8 {
        #expect(try await fixture.send(.get, Self.city, administrator).status == 200)
      }
    }
  }

  @Test func `a long answer breaks off where the bound is reached`() async throws {
    let fixture = try await Fixture(limits: RequestLimits(largestPageSize: 2), audit: Self.auditing())
    let cities = (0..<10).map { #"{"_id":\#($0),"name":"\#(String(repeating: "x", count: 1_000))"}"# }
    let created = try await fixture.send(.post, Self.city, json: "[\(cities.joined(separator: ","))]")
    #expect(created.status == 201)
    let fields = ["audit-activity": "look", "accept": "application/x-ndjson"]
    let asking = try await Self.key("read", fixture).merging(fields) { $1 }
    let response = await fixture.respond(.get, Self.city, asking, nil)
    #expect(response.status == .ok)
    await #expect(throws: AuditError.self) { _ = try await Answer(response) }
    // Each page that was shown has its event.
    #expect(try fixture.storedEvents().count == 2)
    await fixture.remove()
  }
}
