import GatehouseTestSupport
import Testing

/// Real input, checked against a few lines of Python over the same files.
@Suite(.enabled(if: Geonames.isAvailable))
struct GeonamesTests {
  private static let classes = [("Continent", 7), ("Country", 252), ("City", 34_006)]

  @Test func `all of Geonames goes in, comes out equal, and is found`() throws {
    let folder = try Folder()
    try load(into: folder)
    try compareExports(in: folder)
    let expected = try JSON(Geonames.ask(["answers", Geonames.folder], in: folder))
    let server = try RunningServer(folder)

    let asia = try query(
      "City", #"country.continent.code == "AS" AND population > 5000000"#, "-population", server)
    #expect(
      asia.map { .array([$0["_id"] ?? .null, $0["population"] ?? .null]) } == elements(expected["asia"]))
    let tokyo = try query("City", #"ANY alternateNames == "Tokyo""#, "_id", server)
    #expect(tokyo.map { $0["_id"] } == elements(expected["tokyo"]))
    #expect(tokyo.contains { $0["name"] == .string("Tokyo") })
    let g = try query("Country", #"name BEGINSWITH "G""#, "-population", server).prefix(3)
    #expect(g.map { $0["iso"] } == elements(expected["g"]))
    try checkJapan(server, elements(expected["japan"]))
  }

  /// `GET /v1/collections/Country/JP` shows its 122 names in bytewise order of the keys.
  private func checkJapan(_ server: RunningServer, _ expected: [JSON]) throws {
    let japan = try server.send("GET", "/v1/collections/Country/JP")
    guard case .object(let names) = try japan.json["names"] else {
      Issue.record("\(japan.body)")
      return
    }
    #expect(names.count == 122)
    let order = try #require(japan.body.firstMatch(of: /"names":\{([^}]*)\}/)).1
      .matches(of: /"([^"]*)":"/).map { JSON.string(String($0.1)) }
    #expect(order == expected.map { $0[0] })
    #expect(
      expected.allSatisfy { entry in
        if case .string(let key) = entry[0] { names[key] == entry[1] } else { false }
      })
  }

  private func load(into folder: Folder) throws {
    let schema = ["schema", "apply", "\(Geonames.folder)/schema.json", "--data", folder.data]
    try #require(try Gatehouse.run(schema, in: folder).status == 0)
    for (name, count) in Self.classes {
      let file = "\(Geonames.folder)/\(name).ndjson"
      let outcome = try Gatehouse.run(["import", name, file, "--data", folder.data], in: folder)
      try #require(outcome.status == 0, "\(outcome.error)")
      let grouped = count > 999 ? "34,006" : "\(count)"
      #expect(outcome.error.contains("\(name): \(grouped) objects imported in "))
    }
  }

  private func compareExports(in folder: Folder) throws {
    for (name, _) in Self.classes {
      let exported = try Gatehouse.run(["export", name, "--data", folder.data], in: folder)
      let file = try folder.write(exported.output, to: "\(name).ndjson")
      #expect(try Geonames.ask(["same", "\(Geonames.folder)/\(name).ndjson", file], in: folder) == "true\n")
    }
  }

  private func query(
    _ objectType: String, _ filter: String, _ sort: String, _ server: RunningServer
  ) throws -> [JSON] {
    let answer = try server.send(
      "GET", "/v1/collections/\(objectType)?filter=\(filter.percentEncoded)&sort=\(sort)&limit=1000")
    #expect(answer.status == "200 OK", "\(answer.body)")
    return elements(try answer.json)
  }

  private func elements(_ value: JSON?) -> [JSON] {
    if case .array(let elements) = value { elements } else { [] }
  }
}
