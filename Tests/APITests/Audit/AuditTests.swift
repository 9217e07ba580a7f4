import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

// Requests as a client makes them, and what is stored of them. The clock ticks a second for each thing recorded.

private let schema = """
  [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","dog":"Dog","friends":"Person[]"}},\
  {"name":"Dog","primaryKey":"_id","properties":{"_id":"int","name":"string"}}]
  """

private let people = #"[{"_id":1,"name":"Ann","dog":1,"friends":[2]},{"_id":2,"name":"Bob"}]"#

private func populated(
  _ audit: Auditing = Auditing(), _ body: (Fixture) async throws -> Void
) async throws {
  try await Fixture.with(audit, schema) { fixture in
    let dogs = #"[{"_id":1,"name":"Rex"},{"_id":2,"name":"Fido"}]"#
    for (name, objects) in [("Dog", dogs), ("Person", people)] {
      try #require(try await fixture.send(.post, "/v1/collections/\(name)", json: objects).status == 201)
    }
    try await body(fixture)
  }
}

private let rex = #"{"_id":1,"name":"Rex"}"#
private let fido = #"{"_id":2,"name":"Fido"}"#
private let ann = #"{"_id":1,"dog":1,"friends":[2],"name":"Ann"}"#
private let bob = #"{"_id":2,"dog":null,"friends":[],"name":"Bob"}"#

private func read(_ type: String, _ objects: String...) -> String {
  #"read {"type":"\#(type)","value":[\#(objects.joined(separator: ","))]}"#
}

@Suite struct AuditTests {
  @Test func `without a scope nothing is recorded, and there is no class for it`() async throws {
    try await populated { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/Person")
      #expect(answer.status == 200)
      #expect(fixture.store.schema["AuditEvent"] == nil)
    }
  }

  @Test func `the reads of a scope are stored when it is committed`() async throws {
    try await populated { fixture in
      let scope = try await fixture.begin("look")
      #expect(scope == "1")
      let joined = ["audit-scope": scope]
      #expect(try await fixture.send(.get, "/v1/collections/Person?sort=-_id", joined).status == 200)
      #expect(try await fixture.send(.get, "/v1/collections/Dog/1", joined).status == 200)
      #expect(try await fixture.trail() == [])
      #expect(try await fixture.end(scope) == 204)
      #expect(
        try await fixture.trail() == [
          "00:02 look \(read("Person", ann, bob))", "00:03 look \(read("Dog", rex))",
        ])
    }
  }

  @Test func `numbers, aggregates, nothing found and what did not change are no reads`() async throws {
    try await populated { fixture in
      let scope = ["audit-scope": try await fixture.begin("look")]
      for target in [
        "/v1/collections", "/v1/collections/Dog?aggregate=@count", "/v1/collections/Dog?filter=_id==9",
        "/v1/collections/Dog/9", "/v1/schema",
      ] {
        _ = try await fixture.send(.get, target, scope)
      }
      let tag = try #require(try await fixture.send(.get, "/v1/collections/Dog/1").fields["etag"])
      let fields = scope.merging(["if-none-match": tag]) { $1 }
      #expect(try await fixture.send(.get, "/v1/collections/Dog/1", fields).status == 304)
      #expect(try await fixture.end("1") == 204)
      #expect(try await fixture.trail() == [])
    }
  }

  @Test func `a link that is expanded, or on the way of a path, is followed`() async throws {
    try await populated { fixture in
      let scope = ["audit-scope": try await fixture.begin("look")]
      _ = try await fixture.send(.get, "/v1/collections/Person?filter=_id==1&expand=dog", scope)
      _ = try await fixture.send(.get, "/v1/collections/Person/1/friends/0/name", scope)
      #expect(try await fixture.end("1") == 204)
      let full = #"{"_id":1,"dog":\#(rex),"friends":[\#(bob)],"name":"Ann"}"#
      #expect(
        try await fixture.trail() == [
          "00:02 look \(read("Person", full))", "00:02 look \(read("Dog", rex))",
          "00:03 look \(read("Person", #"{"_id":1,"dog":1,"friends":[\#(bob)],"name":"Ann"}"#))",
          "00:03 look \(read("Person", bob))",
        ])
    }
  }

  @Test func `the write of a request with an activity is in the same commit as its event`() async throws {
    try await populated { fixture in
      let answer = try await fixture.send(
        .patch, "/v1/collections/Dog/1", ["audit-activity": "rename"], json: #"{"name":"Max"}"#)
      let version = try #require(answer.fields["realm-version"])
      #expect(
        try await fixture.trail() == [
          #"00:01 rename write {"Dog":{"modifications":[{"newValue":{"name":"Max"},"oldValue":\#(rex)}]}}"#
        ])
      let changes = try await fixture.send(.get, "/v1/changes?since=\(Int64(version)! - 1)")
      #expect(changes.text.contains(#""class":"Dog""#) && changes.text.contains(#""class":"AuditEvent""#))
    }
  }

  @Test func `a write is recorded by its net effect`() async throws {
    try await populated { fixture in
      let operations = """
        {"operations":[
          {"op":"create","class":"Dog","value":{"_id":7,"name":"New"}},
          {"op":"update","class":"Dog","id":7,"set":{"name":"Newer"}},
          {"op":"create","class":"Dog","value":{"_id":8,"name":"Gone"}},
          {"op":"delete","class":"Dog","id":8},
          {"op":"update","class":"Dog","id":2,"set":{"name":"Dead"}},
          {"op":"delete","class":"Dog","id":2},
          {"op":"update","class":"Dog","id":1,"set":{"name":"Rex"}},
          {"op":"update","class":"Person","id":2,"set":{"name":"Bobby"}}]}
        """
      let answer = try await fixture.send(
        .post, "/v1/transactions", ["audit-activity": "mix"], json: operations)
      #expect(answer.status == 200)
      #expect(
        try await fixture.trail() == [
          #"00:01 mix write {"Dog":{"deletions":[\#(fido)],"insertions":[{"_id":7,"name":"Newer"}],"#
            + #""modifications":[{"newValue":{},"oldValue":\#(rex)}]},"#
            + #""Person":{"modifications":[{"newValue":{"name":"Bobby"},"oldValue":\#(bob)}]}}"#
        ])
    }
  }

  @Test func `a transaction that does nothing or fails is no event`() async throws {
    try await populated { fixture in
      let activity = ["audit-activity": "nothing"]
      _ = try await fixture.send(.post, "/v1/transactions", activity, json: #"{"operations":[]}"#)
      let taken = try await fixture.send(.post, "/v1/collections/Dog", activity, json: rex)
      #expect(taken.status == 409)
      _ = try await fixture.send(
        .patch, "/v1/collections/Dog?filter=_id==9", activity, json: #"{"name":"x"}"#)
      #expect(try await fixture.trail() == [])
    }
  }

  @Test func `scopes overlap, each gets everything, and they are stored as they end`() async throws {
    try await populated { fixture in
      let (outer, inner) = (try await fixture.begin("outer"), try await fixture.begin("inner"))
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-scope": "\(outer), \(inner)"])
      _ = try await fixture.send(.get, "/v1/collections/Dog/2", ["audit-scope": outer])
      #expect(try await fixture.end(inner) == 204)
      #expect(try await fixture.end(outer) == 204)
      #expect(
        try await fixture.trail() == [
          "00:03 inner \(read("Dog", rex))", "00:03 outer \(read("Dog", rex))",
          "00:04 outer \(read("Dog", fido))",
        ])
    }
  }

  @Test func `a cancelled scope leaves nothing, and an ended one cannot end again`() async throws {
    try await populated { fixture in
      let scope = try await fixture.begin("look")
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-scope": scope])
      #expect(try await fixture.end(scope, "cancel") == 204)
      for how in ["commit", "cancel"] {
        let answer = try await fixture.send(.post, "/v1/audit/scopes/\(scope)/\(how)", json: "")
        #expect((answer.status, answer.code) == (409, "scope_not_in_progress"))
        #expect(
          try answer.document["detail"]
            == "Cannot end event scope: scope '1' not in progress. Scope may have already been ended?")
      }
      let late = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-scope": scope])
      #expect(late.code == "scope_not_in_progress")
      #expect(try await fixture.trail() == [])
    }
  }

  @Test func `a scope that nobody ends expires, and the log has a line of it`() async throws {
    let audit = Auditing()
    try await populated(audit) { fixture in
      let scope = try await fixture.begin("forgotten")
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-scope": scope])
      audit.pass(3600)
      fixture.gateway.tick()
      #expect(audit.notices == [.scopeExpired(id: 1)])
      #expect(try await fixture.end(scope) == 409)
      #expect(try await fixture.trail() == [])
    }
  }

  @Test func `an event of the client's own is stored at once, outside of scopes`() async throws {
    try await populated { fixture in
      let scope = try await fixture.begin("scope")
      let event = #"{"activity":"login","event":"custom","data":"as it is"}"#
      #expect(
        try await fixture.send(.post, "/v1/audit/events", ["audit-scope": scope], json: event).status == 204)
      let bare = #"{"activity":"login"}"#
      #expect(try await fixture.send(.post, "/v1/audit/events", json: bare).status == 204)
      #expect(try await fixture.end(scope) == 204)
      #expect(try await fixture.trail() == ["00:02 login custom as it is", "00:03 login - -"])
    }
  }

  @Test func `metadata is that of the moment when a scope begins`() async throws {
    try await populated { fixture in
      func update(_ json: String) async throws -> Answer {
        try await fixture.send(.put, "/v1/audit/metadata", json: json)
      }
      #expect(try await update(#"{"user":"ann"}"#).status == 204)
      let scope = try await fixture.begin("look")
      #expect(try await update(#"{"device":"phone"}"#).status == 204)
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-scope": scope])
      _ = try await fixture.send(.post, "/v1/audit/events", json: #"{"activity":"event"}"#)
      #expect(try await fixture.end(scope) == 204)
      #expect(try await fixture.trail("activity,user,device") == ["event - phone", "look ann -"])
    }
  }

  @Test(arguments: [
    (#"{"":"x"}"#, "Invalid audit metadata key '': keys must be 1-63 characters long"),
    (
      #"{"\#(String(repeating: "k", count: 64))":"x"}"#,
      "Invalid audit metadata key '\(String(repeating: "k", count: 64))': keys must be 1-63 characters long"
    ),
    (
      #"{"timestamp":"x"}"#,
      "Invalid audit metadata key 'timestamp': metadata keys cannot overlap with the audit event properties"
    ),
    (
      #"{"chain":"x"}"#,
      "Invalid audit metadata key 'chain': metadata keys cannot overlap with the audit event properties"
    ),
  ])
  func `a metadata key that none can be is refused in Realm's words`(json: String, detail: String)
    async throws
  {
    try await Fixture.with(Auditing(), schema) { fixture in
      let answer = try await fixture.send(.put, "/v1/audit/metadata", json: json)
      #expect((answer.status, answer.code) == (422, "invalid_metadata"))
      #expect(try answer.document["detail"] == .string(detail))
    }
  }

  @Test func `more metadata keys than the trail may have are refused, and nobody else notices`() async throws
  {
    try await Fixture.with(Auditing(), schema) { fixture async throws in
      func put(_ keys: Range<Int>) async throws -> Answer {
        let members = keys.map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
        return try await fixture.send(.put, "/v1/audit/metadata", json: "{\(members)}")
      }
      func record() async throws -> Answer {
        try await fixture.send(
          .post, "/v1/audit/events", json: #"{"activity":"a","event":"mine","data":"x"}"#)
      }
      #expect(try await put(0..<129).code == "invalid_metadata")
      #expect(try await put(0..<100).status == 204)
      #expect(try await record().status < 300)
      #expect(try await put(100..<200).code == "invalid_metadata")
      #expect(try await put(50..<128).status == 204)
      #expect(try await record().status < 300)
      #expect(try await fixture.send(.get, "/livez").status == 200)
    }
  }

  @Test(arguments: [
    (GatehouseHTTP.Method.post, "/v1/audit/scopes", "{}", "/activity"), (.post, "/v1/audit/scopes", "[]", ""),
    (.post, "/v1/audit/scopes", #"{"activity":1}"#, "/activity"),
    (.post, "/v1/audit/scopes", #"{"activity":"a","more":1}"#, "/more"),
    (.post, "/v1/audit/events", #"{"event":"a"}"#, "/activity"),
    (.put, "/v1/audit/metadata", #"{"k":1}"#, "/k"),
  ])
  func `content that is none is refused with its place`(
    method: GatehouseHTTP.Method, target: String, json: String, pointer: String
  ) async throws {
    try await Fixture.with(Auditing(), schema) { fixture in
      let answer = try await fixture.send(method, target, json: json)
      #expect((answer.status, answer.code, answer.pointers) == (422, "invalid_audit_content", [pointer]))
    }
  }

  @Test(arguments: [
    ("audit-scope", "x"), ("audit-scope", ""), ("audit-scope", "1,,2"), ("audit-scope", "0"),
    ("audit-activity", ""),
  ])
  func `a field that names nothing is refused`(field: String, value: String) async throws {
    try await Fixture.with(Auditing(), schema) { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/Dog", [field: value])
      #expect((answer.status, answer.code) == (400, "invalid_audit_field"))
    }
  }

  @Test func `where nothing is recorded, who asks for it is told`() async throws {
    try await Fixture.with { fixture in
      for answer in [
        try await fixture.send(.get, "/v1/schema", ["audit-activity": "x"]),
        try await fixture.send(.post, "/v1/audit/scopes", json: #"{"activity":"x"}"#),
      ] {
        #expect((answer.status, answer.code) == (409, "audit_off"))
      }
    }
  }

  @Test func `the policy records classes and kinds without being asked`() async throws {
    let policy = Policy(always: ["Person": [.read, .write], "Dog": .write])
    try await populated(Auditing(policy)) { fixture in
      let before = try await fixture.trail().count
      _ = try await fixture.send(.get, "/v1/collections/Person/2")
      _ = try await fixture.send(.get, "/v1/collections/Dog/1")
      _ = try await fixture.send(.delete, "/v1/collections/Dog/2")
      #expect(
        try await fixture.trail("activity,event,data").dropFirst(before) == [
          "readObject \(read("Person", bob))", #"deleteObject write {"Dog":{"deletions":[\#(fido)]}}"#,
        ])
    }
  }

  @Test func `details of requests are recorded where the settings say so`() async throws {
    try await populated(Auditing(details: [.address, .requestID])) { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/Dog/1", ["audit-activity": "look"], nil, from: .ipv4(0x7F00_0001, port: 5))
      #expect(answer.status == 200)
      let found = try await fixture.trail("address,requestId")
      #expect(found.count == 1 && found[0].hasPrefix("127.0.0.1 "), "\(found)")
    }
  }

  @Test(arguments: [
    (
      GatehouseHTTP.Method.post, "/v1/collections/AuditEvent",
      #"{"_id":"507f1f77bcf86cd799439011","timestamp":"2020-01-01T00:00:00Z","activity":"x","chain":""}"#
    ),
    (
      .put, "/v1/collections/AuditEvent/000000000000000000000001",
      #"{"timestamp":"2020-01-01T00:00:00Z","activity":"x","chain":""}"#
    ),
    (.patch, "/v1/collections/AuditEvent/000000000000000000000001", #"{"activity":"forged"}"#),
    (.patch, "/v1/collections/AuditEvent?filter=TRUEPREDICATE", #"{"activity":"forged"}"#),
    (.put, "/v1/collections/AuditEvent/000000000000000000000001/activity", #""forged""#),
    (.put, "/v1/collections/Spy/1/event/activity", #""forged""#),
    (.delete, "/v1/collections/AuditEvent/000000000000000000000001", ""),
    (.delete, "/v1/collections/AuditEvent?filter=TRUEPREDICATE", ""),
    (
      .post, "/v1/transactions",
      #"{"operations":[{"op":"delete","class":"AuditEvent","id":"000000000000000000000001"}]}"#
    ),
    (
      .put, "/v1/schema/AuditEvent?destructive=true",
      #"{"name":"AuditEvent","primaryKey":"_id","properties":{"_id":"objectId"}}"#
    ),
    (.put, "/v1/schema?destructive=true", #"[{"name":"AuditEvent","properties":{"x":"int"}}]"#),
  ])
  func `nobody can write, change or delete an event`(
    method: GatehouseHTTP.Method, target: String, json: String
  ) async throws {
    try await populated { fixture in
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-activity": "look"])
      let spy = #"{"name":"Spy","primaryKey":"_id","properties":{"_id":"int","event":"AuditEvent"}}"#
      #expect(try await fixture.send(.put, "/v1/schema/Spy", json: spy).status == 201)
      _ = try await fixture.send(
        .post, "/v1/collections/Spy", json: #"{"_id":1,"event":"000000000000000000000001"}"#)
      let before = try await fixture.everything()
      let answer =
        json.isEmpty
        ? try await fixture.send(method, target) : try await fixture.send(method, target, json: json)
      #expect((answer.status, answer.code) == (403, "guarded_class"), "\(answer.text)")
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `a schema without the class leaves it as it is`() async throws {
    try await populated { fixture in
      _ = try await fixture.send(.get, "/v1/collections/Dog/1", ["audit-activity": "look"])
      let answer = try await fixture.send(.put, "/v1/schema?destructive=true", json: schema)
      #expect(answer.status == 200)
      #expect(try await fixture.trail("activity") == ["look"])
    }
  }

  @Test func `nobody but the recorder makes the class`() async throws {
    let mine = #"[{"name":"AuditEvent","primaryKey":"_id","properties":{"_id":"int"}}]"#
    try await Fixture.with(Auditing(), nil) { fixture in
      let answer = try await fixture.send(.put, "/v1/schema", json: mine)
      #expect((answer.status, answer.code) == (403, "guarded_class"))
    }
  }

  @Test func `events are found, watched and listed like other objects`() async throws {
    try await populated { fixture in
      _ = try await fixture.send(.post, "/v1/audit/events", json: #"{"activity":"first"}"#)
      let watcher = try await fixture.watch("/v1/collections/AuditEvent")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(.post, "/v1/audit/events", json: #"{"activity":"second"}"#)
      #expect(await watcher.events(3).last?.data?.contains(#""activity":"second""#) == true)
      let found = try await fixture.send(
        .get, "/v1/collections/AuditEvent?filter=activity=='second'&aggregate=@count")
      #expect(found.text == #"{"@count":1}"#)
      let lines = try await fixture.send(
        .get, "/v1/collections/AuditEvent?sort=-timestamp", ["accept": "application/x-ndjson"])
      #expect(lines.text.split(separator: "\n").count == 2)
    }
  }

  @Test func `the trail itself is not recorded`() async throws {
    try await populated(Auditing(Policy(always: ["*": [.read, .write]]))) { fixture in
      let before = try await fixture.trail().count
      #expect(try await fixture.trail().count == before)
    }
  }
}
