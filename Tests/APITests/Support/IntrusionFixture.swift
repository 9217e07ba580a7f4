import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// A gateway with secrets in it, and the fields by which the intruder and the administrator identify themselves.
struct IntrusionFixture {
  let fixture: Fixture
  let intruder: [String: String]
  let administrator: [String: String]

  init(audit: Auditing? = nil, functions: FunctionHost = FunctionHost()) async throws {
    // However long a test waits for its turn, no ticket runs out meanwhile.
    let now = Date.now
    fixture = try await Fixture(Intruder.schema, functions: functions, audit: audit, clock: { now })
    for (objectType, json) in Intruder.objects {
      let answer = try await fixture.send(.post, "/v1/collections/\(objectType)", json: json)
      try #require(answer.status == 201, "\(answer.text)")
    }
    let roles = try await fixture.send(.put, "/v1/roles", json: Intruder.roles)
    try #require(roles.status == 200, "\(roles.text)")
    administrator = try await IntrusionFixture.key("admin", fixture)
    intruder = try await IntrusionFixture.key("member", fixture)
  }

  private static func key(_ role: String, _ fixture: Fixture) async throws -> [String: String] {
    let text = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: []).text
    return ["authorization": "Bearer \(text)"]
  }

  func send(_ intrusion: Intrusion, by credential: [String: String]) async throws -> Answer {
    var fields = credential.merging(intrusion.fields) { $1 }
    if intrusion.json != nil, fields["content-type"] == nil { fields["content-type"] = "application/json" }
    return try await fixture.send(
      intrusion.method, intrusion.target, fields, intrusion.json.map { Array($0.utf8) })
  }
}
