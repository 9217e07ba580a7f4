import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Runs each line of curl in `Properties.md` against a server, so that what the page promises stays true.
struct PropertiesPageTests {
  private static let schema = """
    [{"name":"Country","primaryKey":"code","properties":{"code":"string","name":"string?","population":"int?",
      "names":"string?{}","scores":"int{}","neighbours":"Country{}","cities":"City[]","tags":"string<>",
      "continent":"Continent?","location":"Place?","anything":"mixed",
      "places":{"type":"linkingObjects","objectType":"City","property":"country"}}},
     {"name":"City","primaryKey":"_id","properties":{"_id":"int","name":"string","population":"int","country":"Country?"}},
     {"name":"Continent","primaryKey":"code","properties":{"code":"string","name":"string"}},
     {"name":"Place","embedded":true,"properties":{"latitude":"double","longitude":"double"}}]
    """

  /// Japan before each line.
  private static let japan = """
    {"name":"Japan","population":126529100,"names":{"de":"Japan","fr":"Japon","pl":"Nippon"},"scores":{"x":3,"y":5},
     "neighbours":{"near":"KP","far":"CN"},"cities":[7,8,9,7,9,8],"tags":["a","b","c"],"continent":"EU",
     "location":{"latitude":36.5,"longitude":138.5},
     "anything":{"list":["first"],"friend":{"$ref":"Country","$id":"CN"}}}
    """

  private static func fill(_ server: RunningServer) throws {
    let objects = [
      ("Continent", #"[{"code":"AS","name":"Asia"},{"code":"EU","name":"Europe"}]"#),
      (
        "Country",
        #"[{"code":"CN","name":"China","population":1411778724,"continent":"AS"},{"code":"KP","name":"Korea","population":25549819}]"#
      ),
      ("Country", #"{"code":"JP"}"#),
      (
        "City",
        """
        [{"_id":7,"name":"Tokyo","population":9733276,"country":"JP"},{"_id":8,"name":"Osaka","population":2753862,"country":"JP"},
         {"_id":9,"name":"Pyongyang","population":3222000,"country":"KP"}]
        """
      ),
    ]
    for (name, content) in objects {
      let answer = try server.send("POST", "/v1/collections/\(name)?mode=all", body: content)
      try #require(answer.status.hasPrefix("20"), "\(answer.body)")
    }
  }

  /// Each line, the status of its answer, and the content, or what is there afterwards (a place, and its content).
  private static let lines: [(command: String, status: Int, content: String, place: String?)] = [
    (#"curl -X POST $V/collections/Country -d '{"code":"KR"}'"#, 201, "{}", "Country/KR/names"),
    (#"curl "$O/names?only=count""#, 200, "3", nil),
    (#"curl "$O/names?only=keys""#, 200, #"["de","fr","pl"]"#, nil),
    (#"curl "$O/names?only=values""#, 200, #"["Japan","Japon","Nippon"]"#, nil),
    (#"curl "$O/names?limit=50""#, 200, #"{"de":"Japan","fr":"Japon","pl":"Nippon"}"#, nil),
    (#"curl -X PUT $O/names/de -d '"Japan"'"#, 204, #""Japan""#, "Country/JP/names/de"),
    (#"curl $O/names/de"#, 200, #""Japan""#, nil),
    (#"curl -X PUT $O/names/xx -d null"#, 201, "null", "Country/JP/names/xx"),
    (#"curl -X DELETE $O/names/de"#, 204, #"{"fr":"Japon","pl":"Nippon"}"#, "Country/JP/names"),
    (#"curl -X PUT $O/names/fr -d '"Japon"'"#, 204, #""Japon""#, "Country/JP/names/fr"),
    (
      #"curl -X PATCH "$O/names?uniquing=old" -d '{"de":"x","es":"Japón"}'"#, 204,
      #"{"de":"Japan","es":"Japón","fr":"Japon","pl":"Nippon"}"#, "Country/JP/names"
    ),
    (#"curl -X DELETE $O/names"#, 204, "{}", "Country/JP/names"),
    (#"curl -X PUT $O/names -d '{"de":"Japan"}'"#, 204, #"{"de":"Japan"}"#, "Country/JP/names"),
    (
      #"curl -G $O/names --data-urlencode 'filter=self BEGINSWITH "J"'"#, 200,
      #"{"de":"Japan","fr":"Japon"}"#, nil
    ),
    (#"curl "$O/names?contains=de""#, 200, "true", nil),
    (#"curl "$O/names?sort=-self""#, 200, #"["Nippon","Japon","Japan"]"#, nil),
    (#"curl "$O/neighbours?sort=-population""#, 200, #"["CN","KP"]"#, nil),
    (#"curl "$O/scores?aggregate=@min,@max""#, 200, #"{"@min":3,"@max":5}"#, nil),
    (#"curl "$O/neighbours?aggregate=population.@sum""#, 200, #"{"population.@sum":1437328543}"#, nil),
    (#"curl "$O/neighbours?aggregate=population.@avg""#, 200, #"{"population.@avg":718664271.5}"#, nil),
    (#"curl -i $O/names"#, 200, #"{"de":"Japan","fr":"Japon","pl":"Nippon"}"#, nil),
    (#"curl -H 'If-None-Match: "17"' $O/names"#, 200, #"{"de":"Japan","fr":"Japon","pl":"Nippon"}"#, nil),
    (#"curl "$V/changes?since=1&class=Country&limit=1""#, 200, "", nil),
    (#"curl "$O/cities?limit=50""#, 200, "[7,8,9,7,9,8]", nil),
    (#"curl $O/cities/-1"#, 200, "8", nil),
    (#"curl -X PUT $O/cities/0 -d 7"#, 204, "[7,8,9,7,9,8]", "Country/JP/cities"),
    (#"curl -X POST $O/cities -d '[7,8]'"#, 204, "[7,8,9,7,9,8,7,8]", "Country/JP/cities"),
    (#"curl -X POST "$O/cities?at=0" -d 7"#, 204, "[7,7,8,9,7,9,8]", "Country/JP/cities"),
    (#"curl -X DELETE $O/cities/-1"#, 204, "[7,8,9,7,9]", "Country/JP/cities"),
    (#"curl -X DELETE "$O/cities?from=2&count=3""#, 204, "[7,8,8]", "Country/JP/cities"),
    (#"curl -X DELETE $O/cities"#, 204, "[]", "Country/JP/cities"),
    (
      #"curl -X PATCH $O/cities -d '{"move":{"from":5,"to":0}}'"#, 204, "[8,7,8,9,7,9]", "Country/JP/cities"
    ),
    (#"curl "$O/cities?indexOf=7""#, 200, "0", nil),
    (#"curl "$O/cities?aggregate=population.@max""#, 200, #"{"population.@max":9733276}"#, nil),
    (#"curl -X POST $O/tags -d '["a","b"]'"#, 204, #"["a","b","c"]"#, "Country/JP/tags"),
    (#"curl -X PATCH $O/tags -d '{"subtract":["a"]}'"#, 204, #"["b","c"]"#, "Country/JP/tags"),
    (#"curl -X PATCH $O/tags -d '{"intersect":["a"]}'"#, 204, #"["a"]"#, "Country/JP/tags"),
    (#"curl -X DELETE $O/tags"#, 204, "[]", "Country/JP/tags"),
    (#"curl -G $O/tags --data-urlencode 'contains="a"'"#, 200, "true", nil),
    (
      #"curl "$O/places?sort=-population&fields=name""#, 200, #"[{"name":"Tokyo"},{"name":"Osaka"}]"#, nil
    ),
    (#"curl -X PUT $O/continent -d '"AS"'"#, 204, #""AS""#, "Country/JP/continent"),
    (#"curl $O/continent/name"#, 200, #""Europe""#, nil),
    (
      #"curl -X PATCH $O/location -d '{"latitude":35}'"#, 204, #"{"latitude":35.0,"longitude":138.5}"#,
      "Country/JP/location"
    ),
    (#"curl $O/anything/list/0"#, 200, #""first""#, nil),
    (#"curl $O/anything/friend/name"#, 200, #""China""#, nil),
    (
      #"curl "$O/neighbours?fields=name,continent.name""#, 200,
      #"{"far":{"name":"China","continent":{"name":"Asia"}},"near":{"name":"Korea","continent":null}}"#, nil
    ),
  ]

  private static func commands(of page: String) -> [String] {
    page.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { line in
      line.matches(of: /`(curl [^`]*)`/).map { String($0.1) }
    }
  }

  @Test func `every line of curl on the page of properties does what the page says`() throws {
    let page = try String(
      contentsOf: URL(filePath: "\(Machine.root)/Sources/API/API.docc/Properties.md"), encoding: .utf8)
    #expect(Self.commands(of: page) == Self.lines.map(\.command))
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") else {
      return print("There is no /usr/bin/curl: the page's lines were not run.")
    }
    let folder = try Folder()
    let schema = try folder.write(Self.schema, to: "schema.json")
    try #require(
      try Gatehouse.run(["schema", "apply", schema, "--data", folder.data], in: folder).status == 0)
    let server = try RunningServer(folder)
    try Self.fill(server)
    for line in Self.lines {
      let reset = try server.send("PUT", "/v1/collections/Country/JP", body: Self.japan)
      try #require(reset.status.hasPrefix("20"), "\(reset.body)")
      let (status, content) = try run(line.command, server, in: folder)
      #expect(status == line.status, "\(line.command): \(content)")
      if let place = line.place {
        #expect(try server.send("GET", "/v1/collections/\(place)").body == line.content, "\(line.command)")
      } else if !line.content.isEmpty {
        #expect(content == line.content, "\(line.command)")
      }
    }
    #expect(server.stop() == 0)
  }

  /// The status and the content that curl got.
  private func run(
    _ command: String, _ server: RunningServer, in folder: Folder
  ) throws -> (status: Int, content: String) {
    let script = """
      V=http://127.0.0.1:\(server.port)/v1
      O=$V/collections/Country/JP
      curl() { command curl -s -w '\\n%{http_code}' -H 'Content-Type: application/json' "$@"; }
      \(command)
      """
    let output = folder.file("answer")
    let shell = try ChildProcess(
      "/bin/bash", ["-c", script], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write(folder.file("errors"))])
    #expect(shell.wait() == 0, "\(command)")
    // To Swift a carriage return and a line feed are one character.
    let lines = try folder.contents(output).replacing("\r\n", with: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    // The head that `-i` shows ends with an empty line.
    let content = lines.dropLast().last ?? ""
    return (Int(lines.last ?? "") ?? 0, String(content))
  }
}
