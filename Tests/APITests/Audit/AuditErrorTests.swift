import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

// Events that belong to no class: who was not let in, who asked for too much, what was called, how the schema changed.

private let everything = GatehouseAudit.Policy(events: [.refused, .authentication, .function, .schema])

@Suite struct AuditErrorTests {
  /// A store whose callers need keys: one that may read only, and an administrator's.
  private struct KeyedFixture {
    let fixture: Fixture
    let reader: (id: String, fields: [String: String])
    let administrator: (id: String, fields: [String: String])

    init(_ policy: GatehouseAudit.Policy = everything) async throws {
      let functions = FunctionHost()
      functions.register("echo") { .array($0.arguments) }
      functions.register("secret", access: .functions) { _ in .null }
      fixture = try await Fixture(
        nil, functions: functions, audit: Auditing(policy, details: [.caller]), users: .open)
      _ = try await fixture.store.apply(Schema(notation: Value(json: Fixture.schema)), destructive: false)
      reader = try await KeyedFixture.caller("read", fixture)
      administrator = try await KeyedFixture.caller("admin", fixture)
    }

    private static func caller(
      _ role: String, _ fixture: Fixture
    ) async throws -> (id: String, fields: [String: String]) {
      let made = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: [])
      return (
        "key/\(made.key.id)",
        ["authorization": "Bearer \(made.text)", "content-type": "application/json"]
      )
    }

    func send(
      _ method: GatehouseHTTP.Method, _ target: String, _ fields: [String: String], _ json: String = ""
    ) async throws -> Answer {
      try await fixture.send(method, target, fields, json.isEmpty ? nil : Array(json.utf8))
    }
  }

  private static func with(
    _ policy: GatehouseAudit.Policy = everything, _ body: (KeyedFixture) async throws -> Void
  )
    async throws
  {
    let callers = try await KeyedFixture(policy)
    try await body(callers)
    await callers.fixture.remove()
  }

  @Test func `who cannot say who they are is recorded without a name`() async throws {
    try await Self.with { callers in
      let nobody = try await callers.send(.get, "/v1/collections", [:])
      let wrong = ["authorization": "Bearer gk_000000000000000000000000_0", "audit-activity": "spying"]
      let stranger = try await callers.send(.get, "/v1/collections/City/1", wrong)
      let login = #"{"username":"a@example.org","password":"wrong12"}"#
      let path = "/api/client/v2.0/app/{app}/auth/providers/{provider}/login"
      let target = "/api/client/v2.0/app/a/auth/providers/local-userpass/login"
      let liar = try await callers.fixture.send(.post, target, json: login)
      #expect([nobody.status, stranger.status, liar.status] == [401, 401, 401])
      let stored = try callers.fixture.storedEvents("caller")
      #expect(
        stored == [
          #"authentication authentication {"code":"unauthorized","method":"GET","route":"/v1/collections"} -"#,
          #"spying authentication {"code":"unauthorized","method":"GET","route":"/v1/collections/{class}/{id}"} -"#,
          #"authentication authentication {"code":"unauthorized","method":"POST","route":"\#(path)"} -"#,
        ])
    }
  }

  @Test func `who asks for too much is recorded by name`() async throws {
    try await Self.with { callers in
      let (reader, administrator) = (callers.reader, callers.administrator)
      let city = #"{"_id":1,"name":"Tokyo"}"#
      let event =
        #"{"_id":"507f1f77bcf86cd799439011","timestamp":"2020-01-01T00:00:00Z","activity":"x","chain":""}"#
      for (target, caller, json) in [
        ("/v1/collections/City", reader, city), ("/v1/collections/AuditEvent", administrator, event),
        ("/v1/functions/secret", administrator, "[]"),
      ] {
        let answer = try await callers.send(.post, target, caller.fields, json)
        #expect(answer.status == 403, "\(answer.text)")
      }
      let stored = try callers.fixture.storedEvents("caller")
      #expect(
        stored == [
          #"refused refused {"code":"forbidden","method":"POST","route":"/v1/collections/{class}"} \#(reader.id)"#,
          #"refused refused {"code":"guarded_class","method":"POST","route":"/v1/collections/{class}"} "#
            + administrator.id,
          #"callFunction function {"function":"secret"} \#(administrator.id)"#,
          #"refused refused {"code":"function_not_callable","method":"POST","route":"/v1/functions/{name}"} "#
            + administrator.id,
        ])
    }
  }

  @Test func `a call is recorded before it happens, or does not happen`() async throws {
    let calls = Mutex(0)
    try await Self.with { callers in
      callers.fixture.gateway.functions.register("count") { _ in
        calls.withLock { $0 += 1 }
        return .null
      }
      let fields = callers.administrator.fields.merging(["audit-activity": "counting"]) { $1 }
      #expect(try await callers.send(.post, "/v1/functions/count", fields, "[]").status == 200)
      #expect(
        try callers.fixture.storedEvents("caller") == [
          #"counting function {"function":"count"} \#(callers.administrator.id)"#
        ])
      // Somebody else's class takes the place of the trail.
      var types = callers.fixture.store.schema.objectTypes.filter { $0.name != "AuditEvent" }
      _ = try await callers.fixture.store.apply(Schema(types), destructive: true, privileged: true)
      let id = Property(name: "_id", type: .one(.int, optional: false))
      types.append(ObjectType(name: "AuditEvent", properties: [id], primaryKey: "_id"))
      _ = try await callers.fixture.store.apply(Schema(types), destructive: true, privileged: true)
      let answer = try await callers.send(.post, "/v1/functions/count", callers.administrator.fields, "[]")
      #expect((answer.status, answer.code) == (409, "trail_occupied"))
      #expect(calls.withLock { $0 } == 1)
    }
  }

  @Test func `a change of the schema comes with its event`() async throws {
    try await Self.with { callers in
      _ = try await callers.send(.get, "/v1/collections", [:])
      let cat = #"{"name":"Cat","properties":{"name":"string"}}"#
      let fields = callers.administrator.fields.merging(["audit-activity": "modelling"]) { $1 }
      let before = callers.fixture.store.version
      #expect(try await callers.send(.put, "/v1/schema/Cat", fields, cat).status == 201)
      let stored = try callers.fixture.storedEvents("caller")
      #expect(
        stored.last
          == #"modelling schema {"changes":["Cat: class added"]} \#(callers.administrator.id)"#)
      let changes = try await callers.send(.get, "/v1/changes?since=\(before)", callers.administrator.fields)
      let pattern = /"version":([0-9]+),"n":[0-9]+,"time":"[^"]*",("class":"AuditEvent"|"operation":"schema")/
      let found = changes.text.matches(of: pattern).map { "\($0.1) \($0.2)" }
      // The trail gets a property for the caller first. A change of the schema is a version by itself; what follows
      // from it is the next one, of the same transaction.
      #expect(
        found == [
          #"\#(before + 1) "operation":"schema""#, #"\#(before + 2) "operation":"schema""#,
          #"\#(before + 3) "class":"AuditEvent""#,
        ], "\(changes.text)")
    }
  }

  @Test func `what the policy does not name is not recorded`() async throws {
    try await Self.with(GatehouseAudit.Policy(events: [.schema])) { callers in
      _ = try await callers.send(.get, "/v1/collections", [:])
      _ = try await callers.send(.post, "/v1/collections/City", callers.reader.fields, #"{"_id":1}"#)
      _ = try await callers.send(.post, "/v1/functions/echo", callers.administrator.fields, "[]")
      #expect(try callers.fixture.storedEvents() == [])
    }
  }
}
