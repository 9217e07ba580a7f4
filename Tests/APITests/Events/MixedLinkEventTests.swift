import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Links that are inside mixed values: on their own, in collections, in what lives inside an object.
@Suite struct MixedLinkEventTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","any":"mixed","list":"mixed[]","box":"Box"}},\
    {"name":"Box","embedded":true,"properties":{"any":"mixed"}},\
    {"name":"Town","primaryKey":"name","properties":{"name":"string","size":"int","next":"Town"}}]
    """

  private static let ulm = #"{"$ref":"Town","$id":"Ulm"}"#

  private static let notes = """
    [{"_id":1,"any":\(ulm)},{"_id":2,"list":[7,{"deep":[\(ulm)]}]},{"_id":3,"box":{"any":\(ulm)}},\
    {"_id":4,"any":{"$ref":"Note","$id":1}},{"_id":5,"any":"Ulm"}]
    """

  /// Changes of the towns, with others of the notes in between.
  private static let changes: [(target: String, json: String)] = [
    ("/v1/collections/Town/Ulm", #"{"size":10}"#), ("/v1/collections/Town/Bonn", #"{"size":20}"#),
    ("/v1/collections/Note/1", #"{"any":null}"#), ("/v1/collections/Note/2", #"{"list":[\#(ulm)]}"#),
    ("/v1/collections/Town/Ulm", #"{"size":30}"#),
  ]

  private static let told = [
    #"4-0-0 update {"class":"Note","id":1,"version":4,"object":{"_id":1},"changed":["any"]}"#,
    #"4-0-1 update {"class":"Note","id":2,"version":4,"object":{"_id":2},"changed":["list"]}"#,
    #"4-0-2 update {"class":"Note","id":3,"version":4,"object":{"_id":3},"changed":["box"]}"#,
    #"6-0-0 update {"class":"Note","id":4,"version":6,"object":{"_id":4},"changed":["any"]}"#,
    #"6-0 update {"class":"Note","id":1,"version":6,"object":{"_id":1},"changed":["any"]}"#,
    #"7-0 update {"class":"Note","id":2,"version":7,"object":{"_id":2},"changed":["list"]}"#,
    #"8-0-0 update {"class":"Note","id":2,"version":8,"object":{"_id":2},"changed":["list"]}"#,
    #"8-0-1 update {"class":"Note","id":3,"version":8,"object":{"_id":3},"changed":["box"]}"#,
  ]

  private func with(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let towns = #"[{"name":"Bonn","size":2},{"name":"Ulm","size":1,"next":"Bonn"}]"#
      for (name, objects) in [("Town", towns), ("Note", Self.notes)] {
        let answer = try await fixture.send(.post, "/v1/collections/\(name)", json: objects)
        try #require(answer.status == 201, "\(answer.text)")
      }
      try await body(fixture)
    }
  }

  private func change(_ fixture: Fixture) async throws {
    for change in Self.changes {
      let answer = try await fixture.send(.patch, change.target, json: change.json)
      #expect(answer.status == 200, "\(answer.text)")
    }
    await fixture.settle()
  }

  @Test func `a change of what such a link leads to is one of the object that has it, and not beyond`()
    async throws
  {
    try await with { fixture in
      let live = try await fixture.watch("/v1/collections/Note?fields=_id")
      _ = await live.events(through: "ready")
      try await change(fixture)
      let events = StreamEvent.all(in: live.text).drop { $0.name != "ready" }.dropFirst()
      #expect(events.map(\.description) == Self.told)
    }
  }

  @Test func `it is told late as it would have been told at once`() async throws {
    try await with { fixture in
      try await change(fixture)
      let late = try await fixture.watch("/v1/collections/Note?fields=_id&since=3")
      let events = await late.events(through: "ready").filter { $0.data?.contains("class") == true }
      #expect(events.map(\.description) == Self.told)
    }
  }

  @Test func `a filter by the number of links is told of those inside mixed values`() async throws {
    let schema = """
      [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","any":"mixed"}},\
      {"name":"Town","primaryKey":"name","properties":{"name":"string"}}]
      """
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/Town", json: #"{"name":"Ulm"}"#)
      _ = try await fixture.send(.post, "/v1/collections/Note", json: #"{"_id":1,"any":\#(Self.ulm)}"#)
      let watcher = try await fixture.watch("/v1/collections/Town?filter=%40links.%40count%20%3D%3D%203")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(
        .post, "/v1/collections/Note", json: #"{"_id":2,"any":[\#(Self.ulm),{"a":\#(Self.ulm)}]}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Note/1", json: #"{"any":null}"#)
      await fixture.settle()
      let events = StreamEvent.all(in: watcher.text).drop { $0.name != "ready" }.dropFirst()
      let start = #"{"class":"Town","id":"Ulm","version":"#
      #expect(
        events.map(\.description) == [
          #"4-0-0 insert \#(start)4,"object":{"name":"Ulm"},"reason":"matched"}"#,
          #"5-0-0 delete \#(start)5,"reason":"unmatched"}"#,
        ])
    }
  }

  @Test func `a filter by the number of links is told of those inside embedded objects`() async throws {
    let schema = """
      [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","box":"Box","boxes":"Box[]"}},\
      {"name":"Box","embedded":true,"properties":{"town":"Town","inner":"Inner"}},\
      {"name":"Inner","embedded":true,"properties":{"any":"mixed"}},\
      {"name":"Town","primaryKey":"name","properties":{"name":"string"}}]
      """
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/Town", json: #"{"name":"Ulm"}"#)
      let note = #"{"_id":1,"box":{"town":"Ulm","inner":{"any":\#(Self.ulm)}}}"#
      _ = try await fixture.send(.post, "/v1/collections/Note", json: note)
      let start = fixture.store.version
      let target = "/v1/collections/Town?filter=%40links.%40count%20%3D%3D%203"
      let watcher = try await fixture.watch(target)
      _ = await watcher.events(through: "ready")
      let boxes = #"{"boxes":[{"town":null},{"inner":{"any":[1,\#(Self.ulm)]}}]}"#
      for json in [boxes, #"{"box":{"town":null}}"#] {
        #expect(try await fixture.send(.patch, "/v1/collections/Note/1", json: json).status == 200)
        let count = try await fixture.send(.get, target).text
        #expect(count.contains("Ulm") == (json == boxes), "\(count)")
      }
      #expect(try await fixture.send(.delete, "/v1/collections/Note/1").status == 204)
      await fixture.settle()
      let late = try await fixture.watch(target + "&since=\(start)")
      _ = await late.events(through: "ready")
      for stream in [watcher, late] {
        let events = StreamEvent.all(in: stream.text).filter { $0.data?.contains("class") == true }
        #expect(events.map { "\($0.id ?? "") \($0.name ?? "")" } == ["4-0-0 insert", "5-0-0 delete"])
      }
    }
  }

  @Test func `a filter follows linking objects behind a link in a mixed value`() async throws {
    let schema = """
      [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":7},"mix":"mixed",\
      "others":"Note[]","before":{"type":"linkingObjects","objectType":"Note","property":"others"}}}]
      """
    try await Fixture.with(schema) { fixture in
      let notes = #"[{"_id":1,"mix":{"$ref":"Note","$id":2}},{"_id":2},{"_id":3}]"#
      _ = try await fixture.send(.post, "/v1/collections/Note", json: notes)
      let watcher = try await fixture.watch(
        "/v1/collections/Note?fields=_id&filter=mix.before.%40count%20%3E%200")
      _ = await watcher.events(through: "ready")
      let change = try await fixture.send(.patch, "/v1/collections/Note/3", json: #"{"others":[2]}"#)
      #expect(change.status == 200)
      #expect(try await fixture.send(.delete, "/v1/collections/Note/3").status == 204)
      await fixture.settle()
      let events = StreamEvent.all(in: watcher.text).drop { $0.name != "ready" }.dropFirst()
      #expect(events.map { "\($0.id ?? "") \($0.name ?? "")" } == ["3-0-0 insert", "4-0-0 delete"])
    }
  }

  @Test func `key paths do not lead through mixed values`() async throws {
    try await with { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/Note?keyPaths=any.size", ["accept": "text/event-stream"])
      #expect((answer.status, answer.code) == (400, "invalid_parameter"))
      let stream = try await fixture.watch("/v1/collections/Note?fields=_id&keyPaths=any")
      _ = await stream.events(through: "ready")
      try await change(fixture)
      let events = StreamEvent.all(in: stream.text).drop { $0.name != "ready" }.dropFirst()
      #expect(events.map(\.description) == [Self.told[4]])
    }
  }
}
