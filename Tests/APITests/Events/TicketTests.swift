import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseSharing
import GatehouseTelemetry
import Synchronization
import Testing

@testable import GatehouseAPI

private let stream = ["accept": "text/event-stream"]

extension IntrusionFixture {
  /// Asks for a ticket as the intruder.
  fileprivate func ticket(for url: String) async throws -> String {
    let answer = try await send(
      Intrusion(.post, "/v1/tickets", #"{"url":"\#(url)"}"#), by: intruder)
    try #require(answer.status == 201, "\(answer.text)")
    guard case .string(let text)? = try answer.document["ticket"] else { return "" }
    return text
  }
}

@Suite struct TicketTests {
  @Test func `a ticket opens the stream of its URL with the rights of whoever asked for it`() async throws {
    let attempt = try await IntrusionFixture()
    let ticket = try await attempt.ticket(for: "/v1/collections/Note?filter=n>0")
    #expect(ticket.utf8.count == 48)
    let watcher = try await attempt.fixture.watch("/v1/collections/Note?ticket=\(ticket)&filter=n%3E0")
    _ = await watcher.events(through: "ready")
    for id in [2, 1] {
      _ = try await attempt.send(
        Intrusion(.patch, "/v1/collections/Note/\(id)", #"{"n":5}"#), by: attempt.administrator)
    }
    let events = await watcher.events(through: "update")
    #expect(events.last?.data?.contains(#""class":"Note","id":1,"#) == true, "\(events)")
    #expect(!watcher.text.contains("SECRET"))
    #expect(attempt.fixture.gateway.context.access.tickets.count == 0)
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    "/v1/collections/Note", "/v1/collections/Note?filter=n>1&values=false",
    "/v1/collections/Note/1?filter=n>0",
    "/v1/collections/Topic?filter=n>0", "/v1/collections?filter=n>0",
  ])
  func `a ticket is for one URL`(other: String) async throws {
    let attempt = try await IntrusionFixture()
    let ticket = try await attempt.ticket(for: "/v1/collections/Note?filter=n>0")
    let target = other + (other.contains("?") ? "&" : "?") + "ticket=\(ticket)"
    let answer = try await attempt.fixture.send(.get, target, stream)
    #expect((answer.status, answer.code) == (401, "invalid_ticket") || answer.status == 404, "\(answer.text)")
    #expect(!answer.text.contains(ticket))
    await attempt.fixture.remove()
  }

  @Test func `a ticket is good once, and for thirty seconds`() async throws {
    let time = Mutex<Int64>(1_000_000)
    let fixture = try await Fixture(
      adminKey: "sixteen letters!",
      clock: {
        Date(seconds: time.withLock { $0 })
      })
    let key = ["authorization": "Bearer sixteen letters!"]
    let tickets = fixture.gateway.context.access.tickets
    func open(after seconds: Int64, twice: Bool = false) async throws -> Answer {
      let made = try await fixture.send(.post, "/v1/tickets", key, json: #"{"url":"/v1/collections/City"}"#)
      guard case .string(let text)? = try made.document["ticket"] else { return made }
      time.withLock { $0 += seconds }
      let target = "/v1/collections/City?ticket=\(text)"
      if twice { _ = try await fixture.stream(target) }
      return try await fixture.send(.get, target, stream)
    }
    #expect(try await open(after: 29).status == 200)
    let late = try await open(after: 30)
    #expect((late.status, late.code) == (401, "invalid_ticket"))
    #expect(late.fields["www-authenticate"] == #"Bearer realm="gatehouse", error="invalid_token""#)
    let again = try await open(after: 0, twice: true)
    #expect((again.status, again.code) == (401, "invalid_ticket"))
    _ = try await fixture.send(.post, "/v1/tickets", key, json: #"{"url":"/v1/collections/City"}"#)
    #expect(tickets.count == 1)
    time.withLock { $0 += 30 }
    fixture.gateway.tick()
    #expect(tickets.count == 0)
    await fixture.remove()
  }

  @Test func `a ticket of a clock that has been set back since is none, and others are as ever`() async throws
  {
    let time = Mutex<Int64>(1_000_000)
    let fixture = try await Fixture(
      adminKey: "sixteen letters!", clock: { Date(seconds: time.withLock { $0 }) })
    let key = ["authorization": "Bearer sixteen letters!"]
    func open(after seconds: Int64) async throws -> Answer {
      let made = try await fixture.send(.post, "/v1/tickets", key, json: #"{"url":"/v1/collections/City"}"#)
      guard case .string(let text)? = try made.document["ticket"] else { return made }
      time.withLock { $0 += seconds }
      return try await fixture.send(.get, "/v1/collections/City?ticket=\(text)", stream)
    }
    let old = try await open(after: -3_600)
    #expect((old.status, old.code) == (401, "invalid_ticket"))
    #expect(fixture.gateway.context.access.tickets.count == 0)
    #expect(try await open(after: 29).status == 200)
    #expect(try await open(after: 30).status == 401)
    await fixture.remove()
  }

  /// No browser sends what is behind `#`: the ticket is for the URL without it.
  @Test func `a fragment is no part of the URL that a ticket is for`() async throws {
    let attempt = try await IntrusionFixture()
    let ticket = try await attempt.ticket(for: "/v1/collections/Note?filter=n>0#top?x=/")
    let target = "/v1/collections/Note?filter=n>0&ticket=\(ticket)"
    #expect(try await attempt.fixture.send(.get, target, stream).status == 200)
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    (Method.get, "application/json"), (.get, "*/*"), (.head, "text/event-stream"),
    (.post, "text/event-stream"),
    (.delete, "text/event-stream"),
  ])
  func `a ticket is for event streams only, and stays good elsewhere`(
    method: GatehouseHTTP.Method, accept: String
  ) async throws {
    let attempt = try await IntrusionFixture()
    let ticket = try await attempt.ticket(for: "/v1/collections/Note")
    let target = "/v1/collections/Note?ticket=\(ticket)"
    let answer = try await attempt.fixture.send(method, target, ["accept": accept])
    #expect((answer.status, answer.code) == (400, "ticket_not_taken"), "\(answer.text)")
    #expect(!answer.text.contains(ticket))
    #expect(try await attempt.fixture.send(.get, target, stream).status == 200)
    await attempt.fixture.remove()
  }

  @Test func `no answer and no line of the log has a ticket`() async throws {
    let lines = Mutex<[UInt8]>([])
    let fixture = try await Fixture(report: { line in lines.withLock { $0 += line } })
    let made = try await fixture.send(.post, "/v1/tickets", json: #"{"url":"/v1/collections/City"}"#)
    guard case .string(let ticket)? = try made.document["ticket"] else {
      Issue.record("\(made.text)")
      return
    }
    #expect(made.fields["cache-control"] == "no-store")
    for target in ["City?filter=&", "City?fields=no&", "No?", "City/9/no?", "City?limit=x&ticket=1&"] {
      let answer = try await fixture.send(.get, "/v1/collections/\(target)ticket=\(ticket)", stream)
      #expect(answer.status >= 400 && !answer.text.contains(ticket), "\(answer.text)")
      #expect(answer.fields.values.allSatisfy { !$0.contains(ticket) })
    }
    #expect(!lines.withLock { String(decoding: $0, as: UTF8.self) }.contains(ticket))
    await fixture.remove()
  }

  @Test(arguments: [
    (#"{"url":"/v1/collections/Vault"}"#, 403, "forbidden", "/url"),
    (#"{"url":"/v1/collections/Note?filter=secret=='x'"}"#, 400, "invalid_query", "/url"),
    (#"{"url":"/v1/collections/Note?filter=("}"#, 400, "invalid_query", "/url"),
    (#"{"url":"/v1/collections/Nope"}"#, 404, "unknown_class", "/url"),
    (#"{"url":"/v1/nope"}"#, 404, "route_not_found", "/url"),
    (#"{"url":"/v1/schema"}"#, 400, "not_watchable", "/url"),
    (#"{"url":"http://a/v1/collections/Note"}"#, 422, "invalid_content", "/url"),
    (#"{"url":7}"#, 422, "invalid_content", "/url"), ("{}", 422, "invalid_content", "/url"),
    (#"{"url":"/v1/collections/Note","a/b":1}"#, 422, "invalid_content", "/a~1b"),
    ("[]", 422, "invalid_content", ""),
  ])
  func `what cannot be watched gets no ticket`(
    json: String, status: UInt16, code: String, pointer: String
  ) async throws {
    let attempt = try await IntrusionFixture()
    let answer = try await attempt.send(Intrusion(.post, "/v1/tickets", json), by: attempt.intruder)
    #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
    #expect(answer.pointers == [pointer], "\(answer.text)")
    let access = attempt.fixture.gateway.context.access
    #expect(access.tickets.count == 0)
    await attempt.fixture.remove()
  }

  @Test func `a ticket ends with the key that asked for it`() async throws {
    let attempt = try await IntrusionFixture()
    let access = attempt.fixture.gateway.context.access
    let ticket = try await attempt.ticket(for: "/v1/collections/Note")
    let keys = access.keys.filter { $0.role == "member" }
    for key in keys { #expect(try await access.revokeKey(key.id)) }
    let answer = try await attempt.fixture.send(.get, "/v1/collections/Note?ticket=\(ticket)", stream)
    #expect((answer.status, answer.code) == (401, "unauthorized"), "\(answer.text)")
    await attempt.fixture.remove()
  }

  @Test func `a stream that a ticket opened ends with the key that asked for it`() async throws {
    let attempt = try await IntrusionFixture()
    let access = attempt.fixture.gateway.context.access
    let ticket = try await attempt.ticket(for: "/v1/collections/Note")
    let watcher = try await attempt.fixture.watch("/v1/collections/Note?ticket=\(ticket)")
    _ = await watcher.events(through: "ready")
    for key in access.keys where key.role == "member" { _ = try await access.revokeKey(key.id) }
    let events = await watcher.events(through: "end")
    #expect(events.last?.data == #"{"reason":"key_revoked"}"#)
    await attempt.fixture.remove()
  }

  @Test func `no caller takes the place for the tickets of others`() throws {
    let tickets = Tickets { Date(seconds: 0) }
    let resource = try Ticket.Resource(Target(path: "/v1/collections/City"))
    let ticket = Ticket(
      resource: resource, principal: Principal(.key(id: "a"), role: .administrator),
      content: [UInt8](repeating: 0, count: 1 << 20))
    let many = Caller(address: 1, principal: "key/a")
    #expect(throws: APIError.tooManyTickets(seconds: 30)) {
      for _ in 0..<Tickets.capacity >> 20 { _ = try tickets.issue(ticket, to: many) }
    }
    #expect(tickets.count == 8)
    let text = try tickets.issue(ticket, to: Caller(address: 2, principal: "key/b"))
    #expect(try tickets.redeem(text, for: resource).principal.id == "key/a")
    #expect(tickets.count == 8)
  }
}
