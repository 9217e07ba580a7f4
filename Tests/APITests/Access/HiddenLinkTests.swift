import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Links to objects that their reader may not see, and null, are one and the same: in events, in sets, and in what becomes of
/// both.
@Suite struct HiddenLinkTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":0},"book":"Book",\
    "books":"Book[]","any":"mixed","bag":"mixed<>"}},\
    {"name":"Page","primaryKey":"_id","properties":{"_id":"int","book":"Book","pages":"Page[]"}},\
    {"name":"Book","primaryKey":"_id","properties":{"_id":"int","owner":"string","price":{"type":"double","default":0},\
    "due":"date?"}}]
    """
  private static let roles = """
    {"member":{"classes":{"Note":{"read":true,"write":true},"Page":{"read":true},\
    "Book":{"read":"owner == 'me'","write":true,"fields":{"price":{"read":false}}}}}}
    """

  private struct Gateway {
    let fixture: Fixture
    let administrator: [String: String]
    let member: [String: String]

    func write(_ method: GatehouseHTTP.Method, _ path: String, _ json: String) async throws {
      let answer = try await fixture.send(method, "/v1/collections/\(path)", administrator, json: json)
      try #require(answer.status < 300, "\(answer.text)")
    }

    func delete(_ path: String) async throws {
      #expect(try await fixture.send(.delete, "/v1/collections/\(path)", administrator).status == 204)
    }

    func read(_ path: String) async throws -> String {
      try await fixture.send(.get, "/v1/collections/\(path)", member).text
    }

    /// Returns what a stream has told since `ready`.
    func told(_ watcher: Watcher) async -> [String] {
      await fixture.settle()
      return StreamEvent.all(in: watcher.text).drop { $0.name != "ready" }.dropFirst().map(\.description)
    }
  }

  /// Book 1 is the member's, books 7 and 8 are hidden from them.
  private func with(_ body: (Gateway) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let access = fixture.gateway.context.access
      let keys = try await ["admin", "member"].asyncMap { role in
        ["authorization": "Bearer \(try await access.makeKey(name: "", role: role, classes: []).text)"]
      }
      let gateway = Gateway(fixture: fixture, administrator: keys[0], member: keys[1])
      #expect(try await fixture.send(.put, "/v1/roles", keys[0], json: Self.roles).status == 200)
      try await gateway.write(
        .post, "Book",
        """
        [{"_id":1,"owner":"me","price":2.5,"due":"2026-01-02T03:04:05Z"},{"_id":7,"owner":"you"},\
        {"_id":8,"owner":"you"}]
        """)
      try await body(gateway)
    }
  }

  @Test func `who sets a hidden link anew, or another one, is told of like who sets null`() async throws {
    try await with { gateway in
      try await gateway.write(
        .post, "Note",
        #"[{"_id":1,"book":7,"books":[7],"any":{"$ref":"Book","$id":7},"bag":[{"$ref":"Book","$id":7}]},{"_id":2}]"#
      )
      let watcher = try await gateway.fixture.watch(
        "/v1/collections/Note?fields=_id,n,book&values=true", gateway.member)
      _ = await watcher.events(through: "ready")
      let start = gateway.fixture.store.version
      for number in [7, 8] {
        let link = #"{"$ref":"Book","$id":\#(number)}"#
        try await gateway.write(
          .put, "Note/1", #"{"n":3,"book":\#(number),"books":[\#(number)],"any":\#(link),"bag":[\#(link)]}"#)
        try await gateway.write(.put, "Note/2", #"{"n":3,"book":null,"books":[],"any":null,"bag":[]}"#)
      }
      // Nobody learns that something hidden has become something else that is hidden.
      try await gateway.write(.patch, "Note/1", #"{"book":7}"#)
      try await gateway.write(.patch, "Note/2", #"{"book":null}"#)
      let told = await gateway.told(watcher).map { $0.split(separator: #","object""#).last.map(String.init) }
      #expect(told.count == 4)
      #expect(told[0] == told[1]?.replacing(#""_id":2"#, with: #""_id":1"#))
      #expect(told[2] == told[3]?.replacing(#""_id":2"#, with: #""_id":1"#))
      #expect(told[0]?.contains(#""changed":["n"]"#) == true, "\(told)")
      let changes = try await gateway.fixture.send(.get, "/v1/changes?since=\(start)", gateway.member).text
      #expect(changes.components(#""changed":["n"]"#) == 4, "\(changes)")
      #expect(changes.components(#""changed""#) == 4, "\(changes)")
    }
  }

  @Test func `a set stays without a hidden object when that is deleted`() async throws {
    try await with { gateway in
      try await gateway.write(
        .post, "Note", #"{"_id":1,"bag":[{"$ref":"Book","$id":7},"a",{"$ref":"Book","$id":1}]}"#)
      let shown = #"{"bag":["a",{"$ref":"Book","$id":1}]}"#
      #expect(try await gateway.read("Note/1?fields=bag") == shown)
      let watcher = try await gateway.fixture.watch("/v1/collections/Note", gateway.member)
      _ = await watcher.events(through: "ready")
      try await gateway.delete("Book/7")
      #expect(try await gateway.read("Note/1?fields=bag") == shown)
      #expect(await gateway.told(watcher) == [])
      try await gateway.delete("Book/1")
      #expect(try await gateway.read("Note/1?fields=bag") == #"{"bag":["a"]}"#)
      let told = await gateway.told(watcher)
      #expect(told.count == 1 && told[0].contains(#""bag":["a"]},"changed":["bag"]"#), "\(told)")
    }
  }

  @Test func `a path is watched beyond a link in a mixed value as it is read`() async throws {
    try await with { gateway in
      try await gateway.write(.post, "Note", #"{"_id":1,"any":{"$ref":"Book","$id":1}}"#)
      #expect(try await gateway.read("Note/1/any/due") == #""2026-01-02T03:04:05Z""#)
      let due = try await gateway.fixture.watch("/v1/collections/Note/1/any/due", gateway.member)
      let hidden = try await gateway.fixture.watch("/v1/collections/Note/1/any/price", gateway.member)
      let shown = try await gateway.fixture.watch("/v1/collections/Note/1/any/price", gateway.administrator)
      var initial: [String] = []
      for watcher in [due, hidden, shown] {
        let first = await watcher.events(through: "ready").first { $0.name == "initial" }
        initial.append(first?.data?.split(separator: #","value":"#).last.map(String.init) ?? "")
      }
      #expect(initial == [#""2026-01-02T03:04:05Z"}"#, "null}", "2.5}"])
      try await gateway.write(.patch, "Book/1", #"{"due":"2026-02-02T00:00:00Z","price":3}"#)
      try await gateway.write(.patch, "Note/1", #"{"any":{"$ref":"Book","$id":7}}"#)
      let dueEvents = await gateway.told(due)
      #expect(dueEvents.count == 2, "\(dueEvents)")
      #expect(dueEvents.first?.hasSuffix(#""value":"2026-02-02T00:00:00Z"}"#) == true, "\(dueEvents)")
      #expect(dueEvents.last?.contains(" delete ") == true, "\(dueEvents)")
      #expect(await gateway.told(hidden) == [])
      let prices = await gateway.told(shown).map { $0.split(separator: #","value":"#).last.map(String.init) }
      #expect(prices == ["3.0}", "0.0}"])
    }
  }

  @Test(
    arguments: [
      (.post, "Book", #"{"_id":7,"owner":"me"}"#, 409, "object_exists"),
      (.put, "Book/7", #"{"owner":"me"}"#, 409, "object_exists"),
      (.patch, "Book/7", #"{"owner":"me"}"#, 404, "object_not_found"),
      (.delete, "Book/7", "", 404, "object_not_found"),
      (.get, "Book/7", "", 404, "object_not_found"),
    ] as [(GatehouseHTTP.Method, String, String, UInt16, String)])
  func `each way to make an object tells that its key is taken, and no other does`(
    method: GatehouseHTTP.Method, path: String, json: String, status: UInt16, code: String
  ) async throws {
    try await with { gateway in
      let target = "/v1/collections/\(path)"
      let answer =
        json.isEmpty
        ? try await gateway.fixture.send(method, target, gateway.member)
        : try await gateway.fixture.send(method, target, gateway.member, json: json)
      #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
      if method == .put {
        // As if it were not there, where a precondition asks.
        let fields = gateway.member.merging(["if-match": "*"]) { $1 }
        #expect(try await gateway.fixture.send(method, target, fields, json: json).status == 412)
      }
    }
  }

  @Test func `an object whose links lead to itself is told of what becomes of a link behind them`()
    async throws
  {
    try await with { gateway in
      try await gateway.write(.post, "Page", #"[{"_id":2,"book":1},{"_id":4}]"#)
      for id in [2, 4] { try await gateway.write(.patch, "Page/\(id)", #"{"pages":[2]}"#) }
      let path = "/v1/collections/Page?keyPaths=pages.book&fields=_id"
      let watchers = try await [gateway.member, gateway.administrator].asyncMap {
        try await gateway.fixture.watch(path, $0)
      }
      for watcher in watchers { _ = await watcher.events(through: "ready") }
      try await gateway.delete("Book/1")
      for watcher in watchers {
        let told = await gateway.told(watcher)
        let changes = told.map { $0.drop { $0 != "{" }.replacing(#/"version":\d+,/#, with: "") }
        #expect(
          changes.sorted() == [
            #"{"class":"Page","id":2,"object":{"_id":2},"changed":["book","pages"]}"#,
            #"{"class":"Page","id":4,"object":{"_id":4},"changed":["pages"]}"#,
          ])
      }
    }
  }
}

extension String {
  fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}

extension Array {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
