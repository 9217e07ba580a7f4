import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

/// Ways to a forbidden object that are not a route of their own: representations, preconditions, cursors, replays,
/// functions, the audit trail.
@Suite struct IntrusionTests {
  private static let endpoints = Endpoint.all

  @Test(arguments: ["application/ejson", "application/bson", "application/x-ndjson", "text/csv"])
  func `no representation shows what another one doesn't`(type: String) async throws {
    let attempt = try await IntrusionFixture()
    var shown = 0
    for endpoint in Self.endpoints {
      for var intrusion in Intruder.readings(endpoint) {
        intrusion.fields["accept"] = type
        let answer = try await attempt.send(intrusion, by: attempt.intruder)
        let statuses: Set<UInt16> =
          intrusion.namesSecret && endpoint != .runDataAction ? [400, 404, 406] : [200, 403, 404, 406]
        #expect(statuses.contains(answer.status), "\(intrusion): \(answer.status) \(answer.text)")
        #expect(!answer.text.contains("SECRET"), "\(intrusion): \(answer.text)")
        if try await attempt.send(intrusion, by: attempt.administrator).text.contains("SECRET") { shown += 1 }
      }
    }
    #expect(shown > 20)
    await attempt.fixture.remove()
  }

  @Test(arguments: ["if-none-match", "if-match"])
  func `a precondition does not tell that an object is there`(name: String) async throws {
    let attempt = try await IntrusionFixture()
    let target = "/v1/collections/Note"
    let tag = try await attempt.send(Intrusion(.get, "\(target)/2"), by: attempt.administrator).fields["etag"]
    for value in [try #require(tag), #""0""#, "*"] {
      for id in ["2", "99"] {
        let tries = [
          Intrusion(.get, "\(target)/\(id)"), Intrusion(.head, "\(target)/\(id)"),
          Intrusion(.patch, "\(target)/\(id)", #"{"n":9}"#), Intrusion(.delete, "\(target)/\(id)"),
        ]
        for var intrusion in tries {
          intrusion.fields[name] = value
          let answer = try await attempt.send(intrusion, by: attempt.intruder)
          let there = try await attempt.send(
            Intrusion(intrusion.method, "\(target)/99", intrusion.json, intrusion.fields),
            by: attempt.intruder)
          #expect(
            answer.status == there.status && answer.status >= 400, "\(intrusion) \(value): \(answer.status)")
          #expect(answer.code == there.code && answer.fields["etag"] == nil, "\(intrusion) \(value)")
        }
      }
    }
    await attempt.fixture.remove()
  }

  @Test func `a cursor of somebody who sees more is none`() async throws {
    let attempt = try await IntrusionFixture()
    // The second one is of an order by what is not there for the intruder.
    for order in ["-id", "secret,id"] {
      let page = Intrusion(.get, "/v1/collections/Note?sort=\(order)&limit=1")
      let link = try await attempt.send(page, by: attempt.administrator).fields["link"]
      let next = Intrusion(.get, String(try #require(link?.split(separator: ">").first?.dropFirst())))
      #expect(try await attempt.send(next, by: attempt.administrator).status == 200)
      let answer = try await attempt.send(next, by: attempt.intruder)
      #expect(answer.code == "invalid_cursor" && !answer.text.contains("SECRET"), "\(answer.text)")
    }
    await attempt.fixture.remove()
  }

  @Test func `a count is of what the caller may see`() async throws {
    let attempt = try await IntrusionFixture()
    let intrusion = Intrusion(.get, "/v1/collections/Note?limit=1", nil, ["prefer": "count=exact"])
    #expect(try await attempt.send(intrusion, by: attempt.intruder).fields["total-count"] == "2")
    #expect(try await attempt.send(intrusion, by: attempt.administrator).fields["total-count"] == "3")
    await attempt.fixture.remove()
  }

  @Test(
    arguments: [
      ("/v1/collections/Note?since=0", [:]), ("/v1/collections/Note", ["last-event-id": "2-0"]),
      ("/v1/collections/Note/1?since=0", [:]), ("/v1/collections/Note?since=0&fields=id,text,list,map", [:]),
    ] as [(String, [String: String])])
  func `events of the past tell what their subscriber may see`(
    target: String, fields: [String: String]
  ) async throws {
    let attempt = try await IntrusionFixture()
    for json in [
      #"{"owner":"me","text":"open","list":[],"map":null}"#, #"{"text":"seen","n":50}"#,
      #"{"owner":"SECRET","text":"SECRET"}"#,
    ] {
      let answer = try await attempt.fixture.send(
        .patch, "/v1/collections/Note/2", attempt.administrator, json: json)
      try #require(answer.status == 200)
    }
    let change = try await attempt.fixture.send(
      .patch, "/v1/collections/Note/1", attempt.administrator, json: #"{"n":40,"secret":"SECRET 3"}"#)
    try #require(change.status == 200)
    let watcher = try await attempt.fixture.watch(target, attempt.intruder.merging(fields) { $1 })
    _ = await watcher.events(through: "ready")
    await attempt.fixture.settle()
    let text = watcher.text
    #expect(text.contains(#""n":40"#) || target.contains("fields"), "\(text)")
    #expect(!text.contains("SECRET"), "\(text)")
    let all = try await attempt.fixture.watch(target, attempt.administrator.merging(fields) { $1 })
    _ = await all.events(through: "ready")
    await attempt.fixture.settle()
    #expect(all.text.contains("SECRET"), "\(all.text)")
    await attempt.fixture.remove()
  }

  /// Gives notes 10 to 13 a past: 10 is no longer shared, 11 is deleted, 12 is another note with the
  /// same primary key, 13 was somebody else's.
  private static func makePast(in attempt: IntrusionFixture) async throws {
    let changes: [(GatehouseHTTP.Method, String, String)] = [
      (.post, "", #"{"id":10,"owner":"me","text":"SECRET"}"#), (.patch, "/10", #"{"n":1}"#),
      (.patch, "/10", #"{"owner":"you"}"#), (.patch, "/10", #"{"text":"SECRET 2"}"#),
      (.post, "", #"{"id":11,"owner":"me","text":"SECRET"}"#), (.delete, "/11", ""),
      (.post, "", #"{"id":12,"owner":"me","text":"SECRET"}"#), (.delete, "/12", ""),
      (.post, "", #"{"id":12,"owner":"me","text":"other"}"#),
      (.post, "", #"{"id":13,"owner":"you","text":"SECRET"}"#),
      (.patch, "/13", #"{"owner":"me","text":"a"}"#), (.patch, "/13", #"{"text":"b"}"#),
    ]
    for (method, path, json) in changes {
      let answer = try await attempt.send(
        Intrusion(method, "/v1/collections/Note\(path)", json.isEmpty ? nil : json), by: attempt.administrator
      )
      try #require(answer.status < 300, "\(answer.text)")
    }
  }

  @Test(
    arguments: [
      ("Note?since=0&fields=text&keyPaths=", [:], ["4-1 1", "4-2 3", "13-0 12", "15-0 13"]),
      (
        "Note?since=0&fields=text,owner", [:],
        ["4-1 1", "4-2 3", "13-0 12", "15-0 13", "16-0 13"]
      ),
      ("Note?since=0&values=true", [:], ["4-1 1", "4-2 3", "13-0 12", "15-0 13", "16-0 13"]),
      // A client that was shown a note is told that it is gone, and nothing else of it.
      ("Note?fields=text", ["last-event-id": "5-0"], ["7-0 10", "13-0 12", "15-0 13", "16-0 13"]),
      ("Note?fields=text", ["last-event-id": "9-0"], ["10-0 11", "13-0 12", "15-0 13", "16-0 13"]),
      ("Note/10?since=0&fields=text", [:], []), ("Note/10?since=6&fields=text", [:], ["7-0 10"]),
      ("Note/11?since=0&fields=text", [:], []), ("Note/12?since=0&fields=text", [:], ["13-0 12"]),
      ("Note/13?since=0&fields=text", [:], ["15-0 13", "16-0 13"]),
    ] as [(String, [String: String], [String])])
  func `the past shows what its reader may see now`(
    target: String, fields: [String: String], expected: [String]
  ) async throws {
    let attempt = try await IntrusionFixture()
    try await Self.makePast(in: attempt)
    let fields = fields.merging(attempt.intruder) { $1 }
    let watcher = try await attempt.fixture.watch("/v1/collections/\(target)", fields)
    let events = await watcher.events(through: "ready").filter { $0.data != nil && $0.id != nil }
    let told = events.map { event in
      let id = event.data?.split(separator: #""id":"#).last?.prefix { $0 != "," }
      return "\(event.id ?? "") \(id ?? "")"
    }
    #expect(told == expected, "\(watcher.text)")
    #expect(!watcher.text.contains("SECRET"), "\(watcher.text)")
    await attempt.fixture.remove()
  }

  @Test func `a function gets at what its caller gets at`() async throws {
    let attempt = try await IntrusionFixture()
    let principal = try #require(
      attempt.fixture.gateway.context.access.current.principal(
        showing: String(attempt.intruder["authorization"]?.dropFirst("Bearer ".count) ?? "")))
    let request = Request(
      method: .post, target: Target(path: "/v1/functions/f"), fields: Fields(), body: .empty)
    let respondent = attempt.fixture.gateway.context.functions.respondent(for: request, by: principal)
    var (tries, refusals) = (0, 0)
    for endpoint in Self.endpoints {
      for intrusion in Intruder.readings(endpoint) + Intruder.writings(endpoint) {
        let version = attempt.fixture.store.version
        let content = intrusion.json.flatMap { try? Value(json: $0) }
        for isText in [false, true] {
          let bytes: [UInt8]? =
            isText ? intrusion.json.map { Array($0.utf8) } : content?.document.flatMap { try? $0.bson() }
          var document: Document = [
            "question": .string("data"), "method": .string(intrusion.method.rawValue),
            "target": .string(intrusion.target), "isText": .bool(isText),
          ]
          if let bytes { document.append("content", .binary(Binary(bytes: bytes))) }
          let reply = await respondent(try #require(Question(document))).document
          tries += 1
          if reply["failure"] != nil { refusals += 1 }
          if case .binary(let content)? = reply["content"] {
            #expect(!String(decoding: content.bytes, as: UTF8.self).contains("SECRET"), "\(intrusion)")
          }
          if !Intruder.writings(endpoint).isEmpty {
            #expect(attempt.fixture.store.version == version, "\(intrusion)")
          }
        }
      }
    }
    #expect(tries > 150 && refusals > 0 && refusals < tries / 2)
    await attempt.fixture.remove()
  }

  @Test func `what is recorded of others is for administrators`() async throws {
    let attempt = try await IntrusionFixture(audit: Auditing())
    let read = Intrusion(.get, "/v1/collections/Note/2", nil, ["audit-activity": "look"])
    #expect(try await attempt.send(read, by: attempt.administrator).status == 200)
    let trail = try await attempt.send(
      Intrusion(.get, "/v1/collections/AuditEvent"), by: attempt.administrator)
    #expect(trail.text.contains("SECRET"), "\(trail.text)")
    for target in [
      "collections/AuditEvent", "collections/AuditEvent?aggregate=@count",
      "collections/AuditEvent?sectionBy=activity",
      "changes?since=0&class=AuditEvent",
    ] {
      let answer = try await attempt.send(Intrusion(.get, "/v1/\(target)"), by: attempt.intruder)
      #expect(answer.status == 403 && !answer.text.contains("SECRET"), "\(target): \(answer.text)")
    }
    let changes = try await attempt.send(Intrusion(.get, "/v1/changes?since=0"), by: attempt.intruder)
    #expect(changes.status == 200 && changes.text.contains("mine"), "\(changes.text)")
    #expect(!changes.text.contains("SECRET") && !changes.text.contains("AuditEvent"), "\(changes.text)")
    let query = Intrusion(.post, "/v1/query", #"{"from":"AuditEvent"}"#)
    #expect(try await attempt.send(query, by: attempt.intruder).status == 403)
    // The intruder's own requests are recorded all the same.
    let own = Intrusion(.get, "/v1/collections/Note", nil, ["audit-activity": "mine"])
    #expect(try await attempt.send(own, by: attempt.intruder).status == 200)
    let events = try await attempt.send(
      Intrusion(.get, "/v1/collections/AuditEvent?filter=activity%20==%20'mine'"), by: attempt.administrator)
    #expect(events.text.contains("mine"), "\(events.text)")
    await attempt.fixture.remove()
  }

  @Test func `a replay is for whoever made the request`() async throws {
    let attempt = try await IntrusionFixture()
    let intrusion = Intrusion(
      .post, "/v1/collections/Note", #"{"id":8,"owner":"you","text":"SECRET"}"#,
      ["idempotency-key": #""r""#, "prefer": "return=representation"])
    let first = try await attempt.send(intrusion, by: attempt.administrator)
    #expect(first.status == 201)
    let other = try await attempt.send(intrusion, by: attempt.intruder)
    #expect([403, 409].contains(other.status) && !other.text.contains("SECRET"), "\(other.text)")
    #expect(other.fields["realm-version"] == nil)
    #expect(try await attempt.send(intrusion, by: attempt.administrator).text == first.text)
    await attempt.fixture.remove()
  }

  @Test func `an error tells that a key is taken, and nothing of what has it`() async throws {
    let attempt = try await IntrusionFixture()
    let taken = try await attempt.send(
      Intrusion(.post, "/v1/collections/Note", #"{"id":2,"owner":"me"}"#), by: attempt.intruder)
    #expect((taken.status, taken.code) == (409, "object_exists"))
    #expect(!taken.text.contains("SECRET") && taken.fields["etag"] == nil, "\(taken.text)")
    await attempt.fixture.remove()
  }
}

extension Value {
  fileprivate var document: Document? { if case .document(let document) = self { document } else { nil } }
}
