import FoundationEssentials
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseAPI

/// Reads of the store as it was.
@Suite struct PastTests {
  private static let city = "/v1/collections/City"

  /// Returns the version before each of three changes, and the one after them.
  private func change(_ fixture: Fixture) async throws -> [Int64] {
    try await fixture.populate()
    var versions = [fixture.store.version]
    _ = try await fixture.send(
      .patch, Self.city + "/1", json: #"{"population":1,"country":"DE","location":{"latitude":1}}"#)
    versions.append(fixture.store.version)
    _ = try await fixture.send(.delete, "/v1/collections/Country/DE")
    versions.append(fixture.store.version)
    _ = try await fixture.send(
      .post, "/v1/collections/Country", json: #"{"code":"DE","name":"Deutschland","neighbours":["JP"]}"#)
    return versions + [fixture.store.version]
  }

  @Test func `lists, objects, properties, counts and aggregates are those of the version`() async throws {
    try await Fixture.with { fixture in
      let versions = try await change(fixture)
      let targets: [(String, [String])] = [
        (
          Self.city + "?filter=population<4000000&fields=_id,country",
          [
            #"[{"_id":2,"country":"DE"},{"_id":3,"country":"FR"},{"_id":4,"country":"JP"}]"#,
            #"[{"_id":1,"country":"DE"},{"_id":2,"country":"DE"},{"_id":3,"country":"FR"},{"_id":4,"country":"JP"}]"#,
            #"[{"_id":1,"country":null},{"_id":2,"country":null},{"_id":3,"country":"FR"},{"_id":4,"country":"JP"}]"#,
            #"[{"_id":1,"country":null},{"_id":2,"country":null},{"_id":3,"country":"FR"},{"_id":4,"country":"JP"}]"#,
          ]
        ),
        (
          Self.city + "/1?fields=population,country.name",
          [
            #"{"population":8336599,"country":{"name":"Japan"}}"#,
            #"{"population":1,"country":{"name":"Germany"}}"#,
            #"{"population":1,"country":null}"#, #"{"population":1,"country":null}"#,
          ]
        ),
        (Self.city + "/1/location/latitude", ["35.5", "1.0", "1.0", "1.0"]),
        (
          "/v1/collections/Country/DE/cities?fields=_id",
          [
            #"[{"_id":2}]"#, #"[{"_id":1},{"_id":2}]"#, "object_not_found", "[]",
          ]
        ),
        ("/v1/collections/Country/DE/names", ["{}", "{}", "object_not_found", "{}"]),
        (
          Self.city + "?aggregate=population.@sum",
          [
            #"{"population.@sum":16493917}"#, #"{"population.@sum":8157319}"#,
            #"{"population.@sum":8157319}"#, #"{"population.@sum":8157319}"#,
          ]
        ),
        (
          "/v1/collections/Country?fields=name&sort=name",
          [
            #"[{"name":"France"},{"name":"Germany"},{"name":"Japan"}]"#,
            #"[{"name":"France"},{"name":"Germany"},{"name":"Japan"}]"#,
            #"[{"name":"France"},{"name":"Japan"}]"#,
            #"[{"name":"Deutschland"},{"name":"France"},{"name":"Japan"}]"#,
          ]
        ),
      ]
      for (target, expected) in targets {
        for (version, expected) in zip(versions, expected) {
          let separator = target.contains("?") ? "&" : "?"
          let answer = try await fixture.send(.get, "\(target)\(separator)at=\(version)")
          #expect((answer.code ?? answer.text) == expected, "\(target) at \(version)")
          if answer.status == 200 { #expect(answer.fields["realm-version"] == "\(version)") }
        }
      }
      let counts = try await fixture.send(.get, "/v1/collections?at=\(versions[2])")
      #expect(counts.text.contains(#"{"class":"Country","count":2},{"class":"City","count":4}"#))
      let schema = try await fixture.send(.get, "/v1/collections/City?at=1")
      #expect((schema.status, schema.text) == (200, "[]"))
    }
  }

  @Test func `an answer of the past has no entity tag, and takes no precondition`() async throws {
    try await Fixture.with { fixture in
      let versions = try await change(fixture)
      for target in [Self.city + "/1", Self.city + "/1/population"] {
        let answer = try await fixture.send(.get, "\(target)?at=\(versions[0])")
        #expect(answer.status == 200 && answer.fields["etag"] == nil)
        let conditional = try await fixture.send(
          .get, "\(target)?at=\(versions[0])", ["if-none-match": "\"1\""])
        #expect((conditional.status, conditional.code) == (400, "invalid_precondition"))
      }
    }
  }

  @Test(arguments: [
    ("999", 400, "version_ahead"), ("9999-01-01T00:00:00Z", 400, "version_ahead"),
    ("", 400, "invalid_parameter"), ("-1", 400, "invalid_parameter"), ("1-0", 400, "invalid_parameter"),
    ("01", 400, "invalid_parameter"), ("soon", 400, "invalid_parameter"),
    ("99999999999999999999", 400, "invalid_parameter"),
  ])
  func `what is no version that there was is refused`(text: String, status: UInt16, code: String) async throws
  {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, Self.city + "?at=\(text)")
      #expect((answer.status, answer.code) == (status, code))
    }
  }

  @Test func `streams have no past`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .get, Self.city + "?at=1", ["accept": "text/event-stream"])
      #expect((answer.status, answer.code) == (400, "unknown_parameter"))
    }
  }

  @Test func `pages go on in the version, whatever happens meanwhile`() async throws {
    try await Fixture.with { fixture in
      let versions = try await change(fixture)
      var target: String? = Self.city + "?sort=-population&limit=1&fields=_id&at=\(versions[0])"
      var pages: [String] = []
      while let next = target {
        let answer = try await fixture.send(.get, next)
        pages.append(answer.text)
        target = answer.fields["link"]?.firstMatch(of: #/<([^>]+)>; rel="next"/#).map { String($0.1) }
        _ = try await fixture.send(.delete, Self.city + "/\(pages.count)")
      }
      #expect(pages == [#"[{"_id":1}]"#, #"[{"_id":2}]"#, #"[{"_id":4}]"#, #"[{"_id":3}]"#])
      let lines = try await fixture.send(
        .get, Self.city + "?fields=_id&at=\(versions[0])", ["accept": "application/x-ndjson"])
      #expect(lines.text == "{\"_id\":1}\n{\"_id\":2}\n{\"_id\":3}\n{\"_id\":4}\n")
    }
  }

  @Test func `now is a version that stays readable`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let now = try await fixture.send(.get, Self.city + "?at=now")
      let version = try #require(now.fields["realm-version"])
      #expect(version == "\(fixture.store.version)")
      _ = try await fixture.send(.delete, Self.city + "?filter=TRUEPREDICATE")
      #expect(try await fixture.send(.get, Self.city + "?at=\(version)").text == now.text)
      #expect(try await fixture.send(.get, Self.city + "?at=now").text == "[]")
    }
  }

  @Test func `a frozen version is that of now, and is read as long as it is wanted`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let answer = try await fixture.send(.put, "/v1/freeze")
      let version = fixture.store.version
      #expect((answer.status, answer.text) == (200, #"{"version":\#(version),"seconds":600}"#))
      #expect(answer.fields["realm-version"] == "\(version)")
      _ = try await fixture.send(.delete, Self.city + "/1")
      #expect(try await fixture.send(.get, Self.city + "/1/name?at=\(version)").text == #""Tokyo""#)
    }
  }

  @Test func `a time is the last version up to then`() async throws {
    let time = Mutex<Int64>(1_000)
    let directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try Store(directory: directory, clock: { Date(seconds: time.withLock { $0 }) })
    let gateway = try Gateway(store: store, options: GatewayOptions())
    gateway.start(on: TestLoop())
    func send(
      _ method: GatehouseHTTP.Method, _ path: String, _ query: String? = nil, _ json: String? = nil
    ) async throws -> Answer {
      let fields = json == nil ? [] : [Fields.Line(name: "content-type", value: "application/json")]
      return try await Answer(
        gateway.respond(
          to: Request(
            method: method, target: Target(path: path, query: query), fields: Fields(fields),
            body: json.map { .bytes(Array($0.utf8)) } ?? .empty)))
    }
    _ = try await send(
      .put, "/v1/schema", nil, #"[{"name":"Note","primaryKey":"id","properties":{"id":"int"}}]"#)
    for id in 1...3 {
      time.withLock { $0 = 1_000 + Int64(id) * 10 }
      _ = try await send(.post, "/v1/collections/Note", nil, #"{"id":\#(id)}"#)
    }
    for (seconds, count) in [(0, 0), (1009, 0), (1010, 1), (1019, 1), (1020, 2), (1030, 3), (5000, 3)] {
      let text =
        "1970-01-01T00:\(seconds / 60 < 10 ? "0" : "")\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)Z"
      let answer = try await send(
        .get, "/v1/collections/Note", "aggregate=@count&at=\(seconds < 3600 ? text : "1970-01-02T00:00:00Z")")
      #expect(answer.text == #"{"@count":\#(count)}"#, "\(text)")
    }
    await store.close()
  }

  @Test func `what the log has lost, and what a schema has dropped, is gone`() async throws {
    try await Fixture.with { fixture in
      let versions = try await change(fixture)
      let added = Fixture.schema.replacing(
        #""name":"string","population""#, with: #""name":"string","mayor":"string?","population""#)
      #expect(try await fixture.send(.put, "/v1/schema", json: added).status == 200)
      let shown = try await fixture.send(.get, Self.city + "/1?at=\(versions[0])&fields=name,mayor")
      #expect(shown.text == #"{"name":"Tokyo","mayor":null}"#)
      let dropped = Fixture.schema.replacing(#""tags":"string<>""#, with: #""marks":"string<>""#)
      #expect(try await fixture.send(.put, "/v1/schema?destructive=true", json: dropped).status == 200)
      let gone = try await fixture.send(.get, Self.city + "/1?at=\(versions[0])")
      #expect((gone.status, gone.code) == (410, "version_unavailable"))
      #expect(try await fixture.send(.get, Self.city + "/1?at=\(fixture.store.version)").status == 200)
    }
    let fixture = try await Fixture(storeOptions: { $0.logSize = 1 })
    let versions = try await change(fixture)
    try await fixture.store.shortenLog()
    let lost = try await fixture.send(.get, Self.city + "/1?at=\(versions[0])")
    #expect((lost.status, lost.code) == (410, "position_expired"))
    #expect(try await fixture.send(.get, Self.city + "/1?at=\(versions[3])").status == 200)
    await fixture.remove()
  }

  @Test func `values that are unique now need not have been`() async throws {
    let plain = #"[{"name":"User","primaryKey":"id","properties":{"id":"int","mail":"string?"}}]"#
    let unique = plain.replacing(#""mail":"string?""#, with: #""mail":{"type":"string?","unique":true}"#)
    try await Fixture.with(plain) { fixture in
      let users = "/v1/collections/User"
      _ = try await fixture.send(.post, users, json: #"[{"id":1,"mail":"a"},{"id":2,"mail":"a"}]"#)
      let version = fixture.store.version
      _ = try await fixture.send(.patch, users + "/1", json: #"{"mail":"b"}"#)
      #expect(try await fixture.send(.put, "/v1/schema", json: unique).status == 200)
      let answer = try await fixture.send(.get, users + "?at=\(version)")
      #expect(answer.text == #"[{"id":1,"mail":"a"},{"id":2,"mail":"a"}]"#)
    }
  }

  @Test func `a property that got another name has its values of the past`() async throws {
    try await Fixture.with { fixture in
      let versions = try await change(fixture)
      let renamed = Fixture.schema.replacing(
        #""population":{"type":"int","default":0}"#, with: #""people":{"type":"int","default":0}"#)
      let answer = try await fixture.send(.put, "/v1/schema?rename=City.population:people", json: renamed)
      #expect(answer.status == 200, "\(answer.text)")
      let shown = try await fixture.send(.get, Self.city + "/1?at=\(versions[0])&fields=people")
      #expect(shown.text == #"{"people":8336599}"#)
    }
  }

  /// The earlier object with a primary key may have been hidden from who sees the new one.
  @Test func `an object that came in the place of another does not show it`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let access = fixture.gateway.context.access
      let admin = [
        "authorization": "Bearer \(try await access.makeKey(name: "", role: "admin", classes: []).text)"
      ]
      let roles = #"{"some":{"classes":{"City":{"read":"population > 3000000"},"Country":{"read":false}}}}"#
      #expect(try await fixture.send(.put, "/v1/roles", admin, json: roles).status == 200)
      let some = [
        "authorization": "Bearer \(try await access.makeKey(name: "", role: "some", classes: []).text)"
      ]
      let version = fixture.store.version
      let target = Self.city + "?fields=_id,country&at=\(version)"
      func told() async throws -> String { try await fixture.send(.get, target, some).text }
      #expect(try await told() == #"[{"_id":1,"country":null},{"_id":2,"country":null}]"#)
      // An object that is hidden now is hidden in the past, at once.
      _ = try await fixture.send(.patch, Self.city + "/2", admin, json: #"{"population":5}"#)
      #expect(try await told() == #"[{"_id":1,"country":null}]"#)
      // An object that was hidden then stays hidden there.
      _ = try await fixture.send(.patch, Self.city + "/3", admin, json: #"{"population":5000000}"#)
      #expect(try await told() == #"[{"_id":1,"country":null}]"#)
      _ = try await fixture.send(.delete, Self.city + "/1", admin)
      _ = try await fixture.send(
        .post, Self.city, admin, json: #"{"_id":1,"name":"New","population":9000000}"#)
      #expect(try await told() == "[]")
      #expect(try await fixture.send(.get, Self.city + "/1?at=\(version)", some).code == "object_not_found")
      #expect(
        try await fixture.send(.get, Self.city + "/1/name?at=\(version)", some).code == "object_not_found")
      #expect(try await fixture.send(.get, "/v1/collections/Country?at=\(version)", some).code == "forbidden")
      #expect(
        try await fixture.send(.get, "/v1/collections?at=\(version)", some).text
          == #"[{"class":"City","count":0}]"#)
    }
  }

  @Test func `copies are few, and gone with the store's directory being tidied at the next start`()
    async throws
  {
    let fixture = try await Fixture()
    let versions = try await change(fixture)
    for version in 1...versions[3] {
      #expect(try await fixture.send(.get, Self.city + "?at=\(version)").status == 200)
    }
    let folder = "\(fixture.directory)/past"
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count <= 2)
    await fixture.store.close()
    try "left".write(toFile: "\(folder)/9.db", atomically: false, encoding: .utf8)
    let again = try Store(directory: fixture.directory)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).contains("9.db"))
    await again.close()
    await fixture.remove()
  }
}
