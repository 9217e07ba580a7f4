import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Properties, maps and lists, watched at their paths.
@Suite struct PathStreamTests {
  private static let schema = """
    [{"name":"A","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":0},"list":"int[]","set":"int<>","map":"int?{}",\
    "links":"B[]","byName":"B{}","link":"B","any":"mixed"}},\
    {"name":"B","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":0},\
    "m":{"type":"int","default":0},"c":"B",\
    "as":{"type":"linkingObjects","objectType":"A","property":"links"}}}]
    """

  private func watch(
    _ target: String, _ fields: [String: String] = [:], _ body: (Fixture, Watcher) async throws -> Void
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/B", json: #"[{"_id":1},{"_id":2,"c":1},{"_id":3}]"#)
      _ = try await fixture.send(
        .post, "/v1/collections/A",
        json:
          #"{"_id":1,"list":[1,2,3],"set":[5],"map":{"a":1,"b":null},"links":[1,2],"byName":{"x":1,"y":2},"link":3,"any":{"k":[1]}}"#
      )
      let watcher = try await fixture.watch(target, fields)
      _ = await watcher.events(through: "ready")
      try await body(fixture, watcher)
    }
  }

  /// The events, with what is the same in all of them left out.
  private func told(_ watcher: Watcher, _ fixture: Fixture) async -> [String] {
    await fixture.settle()
    return StreamEvent.all(in: watcher.text).filter { $0.data != nil }.map { event in
      let data = event.data ?? ""
      let rest = data.split(separator: #""version":"#).last.map(String.init) ?? data
      return "\(event.id ?? "-") \(event.name ?? "") \(rest)"
    }
  }

  @Test func `a property tells its value, whatever it was written by, and that it is gone`() async throws {
    try await watch("/v1/collections/A/1/n") { fixture, watcher in
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"n":4}"#)
      _ = try await fixture.send(.put, "/v1/collections/A/1/n", json: "4")
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"list":[]}"#)
      _ = try await fixture.send(.delete, "/v1/collections/A/1")
      #expect(
        await told(watcher, fixture) == [
          #"3 initial 3,"value":0}"#, #"- ready {"position":"3"}"#, #"4-0 update 4,"value":4}"#,
          #"5-0 update 5,"value":4}"#, #"7-0 delete 7,"reason":"deleted"}"#,
        ])
    }
  }

  @Test func `a map tells which keys came, went and changed`() async throws {
    try await watch("/v1/collections/A/1/map") { fixture, watcher in
      _ = try await fixture.send(.put, "/v1/collections/A/1/map/c", json: "3")
      _ = try await fixture.send(.put, "/v1/collections/A/1/map/b", json: "2")
      _ = try await fixture.send(.delete, "/v1/collections/A/1/map/a")
      _ = try await fixture.send(.put, "/v1/collections/A/1/map", json: #"{"b":2,"c":4,"d":5}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"n":4}"#)
      #expect(
        await told(watcher, fixture) == [
          #"3 initial 3,"value":{"a":1,"b":null}}"#, #"- ready {"position":"3"}"#,
          #"4-0 update 4,"deletions":[],"insertions":["c"],"modifications":[],"values":{"c":3}}"#,
          #"5-0 update 5,"deletions":[],"insertions":[],"modifications":["b"],"values":{"b":2}}"#,
          #"6-0 update 6,"deletions":["a"],"insertions":[],"modifications":[],"values":{}}"#,
          #"7-0 update 7,"deletions":[],"insertions":["d"],"modifications":["c"],"values":{"c":4,"d":5}}"#,
        ])
    }
  }

  @Test func `a map has two keys that are one text to Unicode`() async throws {
    try await watch("/v1/collections/A/1/map") { fixture, watcher in
      let path = "/v1/collections/A/1"
      _ = try await fixture.send(.patch, path, json: #"{"map":{"a":null,"b":null,"\#u{e9}":1,"e\u0301":2}}"#)
      _ = try await fixture.send(.patch, path, json: #"{"map":{"e\u0301":3}}"#)
      _ = try await fixture.send(.delete, path + "/map/%C3%A9")
      #expect(
        await told(watcher, fixture).suffix(3).map { Array($0.utf8) }
          == [
            #"4-0 update 4,"deletions":["a","b"],"insertions":["e\#u{301}","\#u{e9}"],"modifications":[],"values":{"e\#u{301}":2,"\#u{e9}":1}}"#,
            #"5-0 update 5,"deletions":[],"insertions":[],"modifications":["e\#u{301}"],"values":{"e\#u{301}":3}}"#,
            #"6-0 update 6,"deletions":["\#u{e9}"],"insertions":[],"modifications":[],"values":{}}"#,
          ].map { Array($0.utf8) })
    }
  }

  @Test func `a list tells indices, old and new`() async throws {
    try await watch("/v1/collections/A/1/list") { fixture, watcher in
      _ = try await fixture.send(.post, "/v1/collections/A/1/list?at=1", json: "[7,8]")
      _ = try await fixture.send(.put, "/v1/collections/A/1/list/0", json: "1")
      _ = try await fixture.send(
        .post, "/v1/transactions",
        json: #"{"operations":[{"op":"list.move","class":"A","id":1,"path":"list","from":0,"to":4}]}"#)
      _ = try await fixture.send(.put, "/v1/collections/A/1/list", json: "[7,9,3,1]")
      #expect(
        await told(watcher, fixture).dropFirst(2).map { String($0.prefix { $0 != "v" }) } == [
          #"4-0 update 4,"deletions":[],"insertions":[1,2],"modifications":[],"modificationsNew":[],"inserted":[7,8],"modified":[]}"#,
          #"5-0 update 5,"deletions":[],"insertions":[],"modifications":[0],"modificationsNew":[0],"inserted":[],"modified":[1]}"#,
          #"6-0 update 6,"deletions":[0],"insertions":[4],"modifications":[],"modificationsNew":[],"inserted":[1],"modified":[]}"#,
          #"7-0 update 7,"deletions":[1,2],"insertions":[1],"modifications":[],"modificationsNew":[],"inserted":[9],"modified":[]}"#,
        ])
    }
  }

  @Test func `a list of objects tells of what lies behind its links, too`() async throws {
    let modified = { (version: Int, index: Int, shown: String) in
      #"\#(version)-0 update \#(version),"deletions":[],"insertions":[],"modifications":[\#(index)],"modificationsNew":[\#(index)],"inserted":[],"modified":[\#(shown)]}"#
    }
    try await watch("/v1/collections/A/1/links") { fixture, watcher in
      _ = try await fixture.send(.patch, "/v1/collections/B/2", json: #"{"n":1}"#)
      _ = try await fixture.send(.patch, "/v1/collections/B/3", json: #"{"n":1}"#)
      _ = try await fixture.send(.patch, "/v1/collections/B/1", json: #"{"n":1}"#)
      _ = try await fixture.send(.delete, "/v1/collections/B/1")
      #expect(
        await told(watcher, fixture).dropFirst(2) == [
          modified(4, 1, "2"),
          #"6-0 update 6,"deletions":[],"insertions":[],"modifications":[0,1],"modificationsNew":[0,1],"inserted":[],"modified":[1,2]}"#,
          #"7-1 update 7,"deletions":[0],"insertions":[],"modifications":[],"modificationsNew":[],"inserted":[],"modified":[]}"#,
          modified(7, 0, "2").replacing("7-0", with: "7-2"),
        ])
    }
    try await watch("/v1/collections/A/1/links?keyPaths=n&fields=n") { fixture, watcher in
      _ = try await fixture.send(.patch, "/v1/collections/B/2", json: #"{"m":1}"#)
      _ = try await fixture.send(.patch, "/v1/collections/B/2", json: #"{"n":1}"#)
      #expect(await told(watcher, fixture).dropFirst(2) == [modified(5, 1, #"{"n":1}"#)])
    }
    try await watch("/v1/collections/A/1/byName?keyPaths=") { fixture, watcher in
      _ = try await fixture.send(.patch, "/v1/collections/B/2", json: #"{"n":1}"#)
      _ = try await fixture.send(.delete, "/v1/collections/B/2")
      #expect(
        await told(watcher, fixture).dropFirst(2) == [
          #"5-1 update 5,"deletions":[],"insertions":[],"modifications":["y"],"values":{"y":null}}"#
        ])
    }
  }

  @Test func `a path is watched through links, and into a mixed value`() async throws {
    try await watch("/v1/collections/A/1/link/n") { fixture, watcher in
      _ = try await fixture.send(.patch, "/v1/collections/B/3", json: #"{"n":1}"#)
      _ = try await fixture.send(.patch, "/v1/collections/B/2", json: #"{"n":2}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"link":2}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"link":null}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"link":2}"#)
      #expect(
        await told(watcher, fixture) == [
          #"3 initial 3,"value":0}"#, #"- ready {"position":"3"}"#, #"4-0 update 4,"value":1}"#,
          #"6-0 update 6,"value":2}"#, #"7-0 delete 7,"reason":"deleted"}"#, #"8-0 insert 8,"value":2}"#,
        ])
    }
    try await watch("/v1/collections/A/1/any/k/0") { fixture, watcher in
      _ = try await fixture.send(.put, "/v1/collections/A/1/any/k/0", json: "2")
      _ = try await fixture.send(.put, "/v1/collections/A/1/any/l", json: "2")
      #expect(await told(watcher, fixture).dropFirst(2) == [#"4-0 update 4,"value":2}"#])
    }
  }

  @Test func `linking objects are watched like objects of a class`() async throws {
    try await watch("/v1/collections/B/3/as?fields=_id") { fixture, watcher in
      _ = try await fixture.send(.post, "/v1/collections/A/1/links", json: "3")
      _ = try await fixture.send(.put, "/v1/collections/A/1/links", json: "[1]")
      #expect(
        await told(watcher, fixture).dropFirst() == [
          #"4-0 insert 4,"object":{"_id":1},"reason":"matched"}"#, #"5-0 delete 5,"reason":"unmatched"}"#,
        ])
    }
  }

  @Test func `a filter of linking objects is one by itself`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/B", json: #"{"_id":3}"#)
      for filter in ["n%20%3D%3D%201)%20OR%20(TRUEPREDICATE", "TRUEPREDICATE)%20OR%20(_id%20%3D%3D%201"] {
        for accept in ["text/event-stream", "*/*"] {
          let answer = try await fixture.send(
            .get, "/v1/collections/B/3/as?filter=\(filter)", ["accept": accept])
          #expect((answer.status, answer.code) == (400, "invalid_query"))
        }
      }
    }
  }

  @Test(arguments: ["and", "a b", "==", "it's", "ANY x"])
  func `linking objects are found by a property whatever its name is`(name: String) async throws {
    let schema = """
      [{"name":"P","primaryKey":"_id","properties":{"_id":"int","\(name)":"T"}},{"name":"T","primaryKey":"_id",\
      "properties":{"_id":"int","back":{"type":"linkingObjects","objectType":"P","property":"\(name)"}}}]
      """
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/T", json: #"[{"_id":1},{"_id":2}]"#)
      let target = "/v1/collections/T/1/back"
      let watcher = try await fixture.watch("\(target)?fields=_id&filter=_id%20%3C%203")
      _ = await watcher.events(through: "ready")
      let objects = #"[{"_id":1,"\#(name)":1},{"_id":2,"\#(name)":2},{"_id":3,"\#(name)":1}]"#
      #expect(try await fixture.send(.post, "/v1/collections/P", json: objects).status == 201)
      #expect(await told(watcher, fixture).dropFirst() == [#"3-0 insert 3,"object":{"_id":1}}"#])
      #expect(try await fixture.send(.get, "\(target)?fields=_id").text == #"[{"_id":1},{"_id":3}]"#)
    }
  }

  @Test func `whoever comes back gets every change of a list after the position`() async throws {
    try await watch("/v1/collections/A/1/list?since=0") { fixture, watcher in
      for number in 4..<8 {
        _ = try await fixture.send(.post, "/v1/collections/A/1/list?at=0", json: "\(number)")
      }
      _ = try await fixture.send(.delete, "/v1/collections/A/1/list/0")
      await fixture.settle()
      let all = StreamEvent.all(in: watcher.text).filter { $0.data != nil && $0.id != nil }
      #expect(all.first?.name == "insert")
      #expect(all.count == 6)
      for (index, event) in all.enumerated() {
        let again = try await fixture.watch(
          "/v1/collections/A/1/list", ["last-event-id": event.id ?? ""])
        let rest = await again.events(through: "ready").filter { $0.data != nil && $0.id != nil }
        #expect(rest == Array(all[(index + 1)...]))
      }
    }
  }

  @Test(arguments: [
    ("n?keyPaths=n", "invalid_parameter"), ("list?fields=n", "invalid_parameter"),
    ("links?keyPaths=x", "invalid_parameter"), ("list?filter=TRUEPREDICATE", "invalid_parameter"),
    ("nothing", "unknown_property"), ("list?mode=results", "invalid_parameter"),
  ])
  func `what cannot be watched is refused`(path: String, code: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/A/1/\(path)", ["accept": "text/event-stream"])
      #expect(answer.code == code)
    }
  }
}
