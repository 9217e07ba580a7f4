import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

/// Classes of which clients only create objects.
@Suite struct AsymmetricTests {
  private static let schema = """
    [{"name":"Reading","primaryKey":"id","asymmetric":true,"properties":{"id":"int","value":"double","device":"Device?",\
    "owner":"string?"}},\
    {"name":"Device","primaryKey":"id","properties":{"id":"int","any":"mixed",\
    "readings":{"type":"linkingObjects","objectType":"Reading","property":"device"}}}]
    """

  private struct Site {
    let fixture: Fixture
    let client: [String: String]
    let administrator: [String: String]

    /// `role` nil: the built-in one that reads and writes everything.
    init(role: String? = nil) async throws {
      fixture = try await Fixture(AsymmetricTests.schema)
      if let role {
        let roles = try await fixture.send(
          .put, "/v1/roles", json: #"{"member":{"classes":{"Reading":\#(role)}}}"#)
        try #require(roles.status == 200, "\(roles.text)")
      }
      let access = fixture.gateway.context.access
      func bearer(_ role: String) async throws -> [String: String] {
        ["authorization": "Bearer \(try await access.makeKey(name: "", role: role, classes: []).text)"]
      }
      administrator = try await bearer("admin")
      client = try await bearer(role == nil ? "write" : "member")
    }

    func send(
      _ method: GatehouseHTTP.Method, _ path: String, _ json: String? = nil,
      as caller: [String: String]? = nil
    ) async throws -> Answer {
      let fields = caller ?? client
      if let json { return try await fixture.send(method, path, fields, json: json) }
      return try await fixture.send(method, path, fields)
    }
  }

  private static let readings = "/v1/collections/Reading"

  @Test func `a client creates objects one by one, in lines, and in transactions`() async throws {
    let site = try await Site()
    _ = try await site.send(.post, "/v1/collections/Device", #"{"id":1}"#)
    let one = try await site.send(.post, Self.readings, #"{"id":1,"value":1.5,"device":1}"#)
    #expect((one.status, one.text) == (201, ""))
    let lines = try await site.fixture.send(
      .post, Self.readings, site.client.merging(["content-type": "application/x-ndjson"]) { $1 },
      Array("{\"id\":2,\"value\":2}\n{\"id\":3,\"value\":3}\n".utf8))
    #expect(lines.status == 201)
    let transaction = try await site.send(
      .post, "/v1/transactions",
      #"{"operations":[{"op":"create","class":"Reading","value":{"id":4,"value":4.5}}]}"#)
    #expect(transaction.status == 200)
    let all = try await site.send(.get, Self.readings + "?fields=id,value", as: site.administrator)
    #expect(
      all.text == #"[{"id":1,"value":1.5},{"id":2,"value":2.0},{"id":3,"value":3.0},{"id":4,"value":4.5}]"#)
    let again = try await site.send(.post, Self.readings, #"{"id":1,"value":1.5}"#)
    #expect((again.status, again.code) == (409, "object_exists"))
    await site.fixture.remove()
  }

  @Test(
    arguments: [
      (.get, readings, nil), (.get, readings + "/1", nil), (.get, readings + "/1/value", nil),
      (.get, readings + "?aggregate=@count", nil), (.get, readings + "?explain=true", nil),
      (.get, "/v1/changes?class=Reading&since=0", nil), (.post, "/v1/query", #"{"from":"Reading"}"#),
      (.post, readings + "?mode=modified", #"{"id":1,"value":2}"#),
      (.post, readings + "?mode=all", #"{"id":9,"value":2}"#),
      (.put, readings + "/1", #"{"id":1,"value":2}"#), (.patch, readings + "/1", #"{"value":2}"#),
      (.put, readings + "/1/value", "2"), (.delete, readings + "/1", nil),
      (.delete, readings + "?filter=TRUEPREDICATE", nil),
      (.patch, readings + "?filter=TRUEPREDICATE", #"{"value":2}"#),
      (.post, "/v1/transactions", #"{"operations":[{"op":"delete","class":"Reading","id":1}]}"#),
      (
        .post, "/v1/transactions",
        #"{"operations":[{"op":"update","class":"Reading","id":1,"set":{"value":2}}]}"#
      ),
    ] as [(GatehouseHTTP.Method, String, String?)])
  func `a client does nothing else with them`(
    method: GatehouseHTTP.Method, path: String, json: String?
  ) async throws {
    let site = try await Site()
    _ = try await site.send(.post, Self.readings, #"{"id":1,"value":1.5}"#)
    let before = site.fixture.store.version
    var content: (json: String, type: String)?
    if let json { content = (json, method == .patch ? "application/merge-patch+json" : "application/json") }
    let answer =
      if let content {
        try await site.fixture.send(
          method, path, site.client.merging(["content-type": content.type]) { $1 }, Array(content.json.utf8))
      } else {
        try await site.send(method, path)
      }
    #expect((answer.status, answer.code) == (403, "asymmetric_class"), "\(answer.text)")
    #expect(site.fixture.store.version == before)
    await site.fixture.remove()
  }

  @Test func `a client is told of them by no stream, count, link or change`() async throws {
    let site = try await Site()
    _ = try await site.send(.post, "/v1/collections/Device", #"{"id":1}"#)
    await #expect(throws: Fixture.Unwatchable.self) {
      try await site.fixture.watch(Self.readings, site.client)
    }
    _ = try await site.send(.post, Self.readings, #"{"id":1,"value":1.5,"device":1}"#)
    #expect(try await site.send(.get, "/v1/collections").text == #"[{"class":"Device","count":1}]"#)
    #expect(
      try await site.send(.get, "/v1/collections/Device/1?fields=id,readings").text
        == #"{"id":1,"readings":[]}"#)
    #expect(
      try await site.send(.get, "/v1/collections/Device?filter=readings.@count>0").text == "[]")
    let changes = try await site.send(.get, "/v1/changes?since=0")
    #expect(changes.text.contains("Device") && !changes.text.contains("Reading\",\"id"))
    let link = try await site.send(
      .post, "/v1/collections/Device", #"{"id":2,"any":{"$ref":"Reading","$id":1}}"#)
    #expect((link.status, link.code) == (422, "invalid_object"))
    #expect(link.text.contains("asymmetric_reference"))
    await site.fixture.remove()
  }

  @Test func `a role says which objects may be created, and no right to read gives one`() async throws {
    let site = try await Site(role: #"{"read":true,"write":"owner == 'me'"}"#)
    #expect(try await site.send(.post, Self.readings, #"{"id":1,"value":1,"owner":"me"}"#).status == 201)
    let other = try await site.send(.post, Self.readings, #"{"id":2,"value":1,"owner":"you"}"#)
    #expect((other.status, other.code) == (403, "forbidden"))
    #expect(try await site.send(.get, Self.readings).code == "asymmetric_class")
    await site.fixture.remove()
  }

  @Test func `a function reads and changes them with the rights of its caller's role`() async throws {
    let site = try await Site()
    _ = try await site.send(.post, Self.readings, #"[{"id":1,"value":1.5},{"id":2,"value":2}]"#)
    let gateway = site.fixture.gateway
    let request = Request(
      method: .post, target: Target(path: "/v1/functions/f", query: nil),
      fields: Fields(site.client.map { Fields.Line(name: $0.key, value: $0.value) }))
    let principal = try gateway.callers.principal(
      of: request, for: .callFunction, gateway.context.data.reader)
    let ask = gateway.context.functions.respondent(for: request, by: principal)
    var sum = DataQuestion(method: "GET", target: Self.readings + "?aggregate=value.@sum")
    sum.isText = true
    let reply = await ask(.data(sum)).document
    #expect(reply["status"] == .int32(200))
    #expect(reply["content"] == .binary(Binary(bytes: Array(#"{"value.@sum":3.5}"#.utf8))))
    let deletion = DataQuestion(method: "DELETE", target: Self.readings + "/1")
    #expect(await ask(.data(deletion)).document["status"] == .int32(204))
    #expect(try await site.send(.get, Self.readings + "/2").code == "asymmetric_class")
    await site.fixture.remove()
  }
}
