import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

// Records of a class whose schema names a function for it: the results of that function for the objects.

private let schema = """
  [{"name":"Patient","primaryKey":"_id","properties":{"_id":"int","name":"string","doctor":"Doctor"},\
  "projections":{"AuditEvent":"redact"}},\
  {"name":"Doctor","primaryKey":"_id","properties":{"_id":"int","name":"string"}}]
  """

/// Keeps the identifier and the first letter of the name; of a name with `!` it fails.
@Sendable private func redact(_ function: String, _ object: Value) async throws -> Value {
  guard function == "redact", case .document(let document) = object, let id = document["_id"],
    case .string(let name)? = document["name"], !name.contains("!")
  else { throw Auditing.NoFunction() }
  return .document(["initial": .string(String(name.prefix(1))), "id": id])
}

@Suite struct RepresentationTests {
  private static func populated(
    _ policy: Policy = .onDemand,
    _ representation: @escaping @Sendable (String, Value) async throws -> Value = redact,
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let audit = Auditing(policy, representation: representation)
    try await Fixture.with(audit, nil) { fixture in
      _ = try await fixture.store.apply(Schema(notation: Value(json: schema)), destructive: false)
      var transaction = Transaction([])
      for (name, json) in [
        ("Doctor", #"{"_id":7,"name":"Who"}"#), ("Patient", #"{"_id":1,"name":"Ann","doctor":7}"#),
        ("Patient", #"{"_id":2,"name":"Bad!"}"#),
      ] {
        let type = try #require(fixture.store.schema[name])
        let draft = try type.draft(from: try Value(json: json), in: fixture.store.schema, mode: .create)
        transaction.operations.append(.create(objectType: name, draft: draft, policy: .error))
      }
      _ = try await fixture.store.perform(transaction)
      try await body(fixture)
    }
  }

  @Test func `reads and writes are recorded as the function says`() async throws {
    try await Self.populated { fixture in
      let activity = ["audit-activity": "do"]
      for (method, target, json) in [
        (GatehouseHTTP.Method.get, "/v1/collections/Patient/1?expand=doctor", nil),
        (.patch, "/v1/collections/Patient/1", #"{"name":"Beth"}"#),
        (.patch, "/v1/collections/Patient/1", #"{"name":"Bob"}"#),
        (.post, "/v1/collections/Patient", #"[{"_id":3,"name":"Carl"},{"_id":4,"name":"Dora"}]"#),
        (.delete, "/v1/collections/Patient/3", nil),
      ] as [(GatehouseHTTP.Method, String, String?)] {
        let answer =
          if let json { try await fixture.send(method, target, activity, json: json) } else {
            try await fixture.send(method, target, activity)
          }
        #expect((200...204).contains(answer.status), "\(answer.text)")
      }
      let (ann, beth) = (#"{"id":1,"initial":"A"}"#, #"{"id":1,"initial":"B"}"#)
      let (carl, dora) = (#"{"id":3,"initial":"C"}"#, #"{"id":4,"initial":"D"}"#)
      #expect(
        try await fixture.trail("event,data") == [
          #"read {"type":"Patient","value":[\#(ann)]}"#,
          #"read {"type":"Doctor","value":[{"_id":7,"name":"Who"}]}"#,
          #"write {"Patient":{"modifications":[{"newValue":{"initial":"B"},"oldValue":\#(ann)}]}}"#,
          #"write {"Patient":{"modifications":[{"newValue":{},"oldValue":\#(beth)}]}}"#,
          #"write {"Patient":{"insertions":[\#(carl),\#(dora)]}}"#,
          #"write {"Patient":{"deletions":[\#(carl)]}}"#,
        ])
    }
  }

  @Test(
    arguments: [
      (GatehouseHTTP.Method.get, "/v1/collections/Patient/2", nil), (.get, "/v1/collections/Patient", nil),
      (.patch, "/v1/collections/Patient/1", #"{"name":"X!"}"#),
      (.post, "/v1/collections/Patient", #"{"_id":9,"name":"Y!"}"#),
      (
        .post, "/v1/transactions",
        #"{"operations":[{"op":"delete","class":"Patient","id":1},{"op":"delete","class":"Patient","id":2}]}"#
      ), (.delete, "/v1/collections/Patient?filter=TRUEPREDICATE", nil),
    ] as [(GatehouseHTTP.Method, String, String?)])
  func `where the function fails nothing is read or written, nor recorded`(
    method: GatehouseHTTP.Method, target: String, json: String?
  ) async throws {
    try await Self.populated(Policy(always: ["Patient": [.read, .write]])) { fixture in
      let answer =
        if let json { try await fixture.send(method, target, json: json) } else {
          try await fixture.send(method, target)
        }
      #expect((answer.status, answer.code) == (500, "not_recorded"))
      #expect(!answer.text.contains("Bad"))
      #expect(try await fixture.trail() == [])
      #expect(try await fixture.send(.get, "/v1/collections?").text.contains(#""Patient","count":2"#))
    }
  }

  @Test func `an object that changes while the function is asked is asked about again`() async throws {
    let calls = Mutex(0)
    let store = Mutex<Store?>(nil)
    let meddling: @Sendable (String, Value) async throws -> Value = { function, object in
      // Somebody else writes between the two attempts.
      let count = calls.withLock { calls in
        calls += 1
        return calls
      }
      if count == 1, let store = store.withLock({ $0 }) {
        let type = try #require(store.schema["Patient"])
        let patch = try type.patch(from: try Value(json: #"{"name":"Zoe"}"#), in: store.schema)
        let update = GatehouseStorage.Operation.update(
          objectType: "Patient", id: .int(1), patch: patch, precondition: .none)
        _ = try await store.perform(Transaction([update]))
      }
      return try await redact(function, object)
    }
    try await Self.populated(.onDemand, meddling) { fixture in
      store.withLock { $0 = fixture.store }
      let answer = try await fixture.send(
        .delete, "/v1/collections/Patient/1", ["audit-activity": "do"])
      #expect(answer.status == 204)
      #expect(
        try await fixture.trail("event,data") == [
          #"write {"Patient":{"deletions":[{"id":1,"initial":"Z"}]}}"#
        ])
      store.withLock { $0 = nil }
    }
  }

  @Test func `what the function makes is no projection for others`() async throws {
    try await Self.populated { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/Patient?projection=AuditEvent")
      #expect(answer.status == 400)
      let written = try await fixture.send(.get, "/v1/schema/Patient")
      #expect(written.text.contains(#""projections":{"AuditEvent":"redact"}"#))
    }
  }
}
