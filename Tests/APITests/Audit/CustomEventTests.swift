import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Events that clients store themselves, and what keeps them apart from those that are recorded.
@Suite struct CustomEventTests {
  private static let target = "/v1/audit/events"

  private static func options(_ change: (inout Recorder.Options) -> Void) -> Auditing {
    var options = Recorder.Options()
    change(&options)
    return Auditing(options: options)
  }

  private static func key(_ role: String, _ fixture: Fixture) async throws -> (id: String, [String: String]) {
    let made = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: [])
    return (
      "key/\(made.key.id)", ["authorization": "Bearer \(made.text)", "content-type": "application/json"]
    )
  }

  private static func send(
    _ fixture: Fixture, _ fields: [String: String], _ json: String
  ) async throws -> Answer {
    try await fixture.send(
      .post, target, fields.merging(["content-type": "application/json"]) { $1 }, Array(json.utf8))
  }

  @Test func `whoever has no right to stores no event`() async throws {
    try await Fixture.with(Auditing(.onDemand)) { fixture in
      let roles = """
        {"anyone":{"classes":{"*":{"read":true,"write":true}}},"plain":{"classes":{"*":{"read":true,"write":true}}},\
        "recording":{"classes":{},"recordsEvents":true}}
        """
      let applied = try await fixture.send(.put, "/v1/roles", json: roles)
      #expect(applied.status == 200)
      #expect(applied.text.contains(#""recording":{"classes":{},"recordsEvents":true}"#), "\(applied.text)")
      let recording = try await Self.key("recording", fixture)
      let event = #"{"activity":"round","event":"note","data":"d"}"#
      for role in ["write", "read", "plain"] {
        let answer = try await Self.send(fixture, try await Self.key(role, fixture).1, event)
        #expect((answer.status, answer.code) == (403, "forbidden"), "\(role)")
      }
      let limited = try await fixture.gateway.context.access.makeKey(
        name: "", role: "admin", classes: ["City"])
      let refused = try await Self.send(fixture, ["authorization": "Bearer \(limited.text)"], event)
      #expect((refused.status, refused.code) == (403, "forbidden"))
      #expect(try await Self.send(fixture, [:], event).status == 403)
      #expect(try fixture.storedEvents() == [])
      #expect(try await Self.send(fixture, recording.1, event).status == 204)
      let administrator = try await Self.key("admin", fixture)
      #expect(try await Self.send(fixture, administrator.1, event).status == 204)
      #expect(
        try fixture.storedEvents("caller", "custom") == [
          "round note d \(recording.id) true", "round note d \(administrator.id) true",
        ])
    }
  }

  @Test(arguments: [
    "read", "write", "refused", "authentication", "function", "schema", "retention", "Write", " write ",
    "wr\\tite",
  ])
  func `an event of one's own is none of the recorder's`(kind: String) async throws {
    try await Fixture.with(Auditing(.onDemand)) { fixture in
      let answer = try await Self.send(fixture, [:], #"{"activity":"a","event":"\#(kind)","data":"{}"}"#)
      #expect((answer.status, answer.code) == (422, "reserved_event"))
      #expect(try fixture.storedEvents() == [])
    }
  }

  @Test func `who stored it is not for the client to say, and the mark not to be had otherwise`() async throws
  {
    try await Fixture.with(Auditing(.onDemand, details: [.caller])) { fixture in
      let metadata = try await fixture.send(.put, "/v1/audit/metadata", json: #"{"custom":"false"}"#)
      #expect((metadata.status, metadata.code) == (422, "invalid_metadata"))
      let caller = try await fixture.send(.put, "/v1/audit/metadata", json: #"{"caller":"key/somebody"}"#)
      #expect(caller.status == 204)
      for member in ["caller", "custom", "chain", "timestamp", "_id"] {
        let answer = try await Self.send(fixture, [:], #"{"activity":"a","\#(member)":"x"}"#)
        #expect((answer.status, answer.code) == (422, "invalid_audit_content"), "\(member)")
      }
      #expect(try await Self.send(fixture, [:], #"{"activity":"a"}"#).status == 204)
      let written = try await fixture.send(
        .post, "/v1/collections/City", ["audit-activity": "b"], json: #"{"_id":1,"name":"Tokyo"}"#)
      #expect(written.status == 201)
      let stored = try fixture.storedEvents("caller", "custom")
      #expect(stored.count == 2 && stored[0] == "a - - anyone true", "\(stored)")
      #expect(stored[1].hasPrefix("b write ") && stored[1].hasSuffix(" key/somebody -"), "\(stored)")
    }
  }

  @Test func `events are bounded in size and in number, for each caller`() async throws {
    let auditing = Self.options {
      $0.largestCustomEvent = 200
      $0.customEventsPerMinute = 2
    }
    try await Fixture.with(auditing) { fixture in
      let (one, other) = (try await Self.key("admin", fixture), try await Self.key("admin", fixture))
      let large = #"{"activity":"a","data":"\#(String(repeating: "x", count: 200))"}"#
      let answer = try await Self.send(fixture, one.1, large)
      #expect((answer.status, answer.code) == (413, "content_too_large"))
      let event = #"{"activity":"a"}"#
      #expect(try await Self.send(fixture, one.1, event).status == 204)
      #expect(try await Self.send(fixture, one.1, event).status == 204)
      let refused = try await Self.send(fixture, one.1, event)
      #expect((refused.status, refused.code) == (429, "too_many_events"))
      let wait = try #require(refused.fields["retry-after"].flatMap(Int64.init))
      #expect((1...60).contains(wait))
      #expect(try await Self.send(fixture, other.1, event).status == 204)
      auditing.pass(wait)
      #expect(try await Self.send(fixture, one.1, event).status == 204)
      #expect(try fixture.storedEvents().count == 4)
    }
  }

  @Test func `an activity is no more than a line`() async throws {
    try await Fixture.with(Auditing(.onDemand)) { fixture in
      for (length, status) in [(1_024, UInt16(204)), (1_025, 422)] {
        let activity = String(repeating: "a", count: length)
        #expect(try await Self.send(fixture, [:], #"{"activity":"\#(activity)"}"#).status == status)
        let scope = try await fixture.send(.post, "/v1/audit/scopes", json: #"{"activity":"\#(activity)"}"#)
        #expect(scope.status == (status == 204 ? 201 : 422))
        let read = try await fixture.send(.get, "/v1/collections/City", ["audit-activity": activity])
        #expect(read.status == (status == 204 ? 200 : 400))
      }
    }
  }
}
