import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

@Suite struct ResultsStreamTests {
  @Test func `results tell indices, old and new`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch(
        "/v1/collections/City?mode=results&sort=-population&fields=name,population&filter=population%20%3E%201000000&limit=3"
      )
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(.patch, "/v1/collections/City/4", json: #"{"population":9000000}"#)
      _ = await watcher.events(4)
      _ = try await fixture.send(.patch, "/v1/collections/City/1", json: #"{"name":"Edo"}"#)
      _ = await watcher.events(5)
      _ = try await fixture.send(.delete, "/v1/collections/City/1")
      let events = await watcher.events(6)
      let city = { (name: String, population: Int) in #"{"name":"\#(name)","population":\#(population)}"# }
      #expect(
        events.map(\.description) == [
          #"3 initial {"version":3,"objects":[\#(city("Tokyo", 8_336_599)),\#(city("Berlin", 3_426_354)),\#(city("Osaka", 2_592_413))]}"#,
          "3", #"ready {"position":"3"}"#,
          #"4 update {"version":4,"deletions":[2],"insertions":[0],"modifications":[],"modificationsNew":[],"inserted":[\#(city("Osaka", 9_000_000))],"modified":[]}"#,
          #"5 update {"version":5,"deletions":[],"insertions":[],"modifications":[1],"modificationsNew":[1],"inserted":[],"modified":[\#(city("Edo", 8_336_599))]}"#,
          #"6 update {"version":6,"deletions":[1],"insertions":[2],"modifications":[],"modificationsNew":[],"inserted":[\#(city("Paris", 2_138_551))],"modified":[]}"#,
        ])
    }
  }

  @Test func `results with sections tell of these`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch(
        "/v1/collections/City?mode=results&sort=country.code,name&sectionBy=country.code&fields=name")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(.patch, "/v1/collections/City/2", json: #"{"country":"JP"}"#)
      let events = await watcher.events(4)
      #expect(
        events.last?.description
          == #"4 update {"version":4,"sectionsToDelete":[0],"sectionsToInsert":[],"deletions":[],"insertions":[[1,0]],"modifications":[],"keys":[],"inserted":[{"name":"Berlin"}],"modified":[]}"#
      )
    }
  }

  private static let linked = """
    [{"name":"A","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":0},"b":"B","mix":"mixed"}},\
    {"name":"B","primaryKey":"_id","properties":{"_id":"int","c":"C","as":{"type":"linkingObjects","objectType":"A","property":"b"}}},\
    {"name":"C","primaryKey":"_id","properties":{"_id":"int","d":"D"}},\
    {"name":"D","primaryKey":"_id","properties":{"_id":"int","e":"E"}},\
    {"name":"E","primaryKey":"_id","properties":{"_id":"int","f":"F"}},\
    {"name":"F","primaryKey":"_id","properties":{"_id":"int","n":{"type":"int","default":0}}}]
    """

  /// Who follows a stream has what a read shows, whatever of the shown objects changes.
  @Test(
    arguments: [
      "expand=as", "fields=_id,as", "fields=_id,n:as.n", "expand=as.b.as", "fields=as._id",
      "expand=c.d.e.f",
      "filter=ALL%20%40links.A.b%20!%3D%20obj('A',%202)&expand=as",
      "filter=ANY%20as%20%3D%3D%20obj('A',%201)", "sort=c.d.e.f.n,_id",
      "sort=c.d.e.f.n,_id&sectionBy=c.d.e.f.n&fields=_id",
    ], ["", "&mode=results"])
  func `what fields and expand show of other objects is followed, as far as they lead`(
    query: String, mode: String
  ) async throws {
    if mode.isEmpty, query.hasPrefix("sort") { return }
    try await Fixture.with(Self.linked) { fixture in
      for (name, json) in [
        ("F", #"[{"_id":1},{"_id":2,"n":5}]"#), ("E", #"[{"_id":1,"f":1},{"_id":2,"f":2}]"#),
        ("D", #"[{"_id":1,"e":1},{"_id":2,"e":2}]"#), ("C", #"[{"_id":1,"d":1},{"_id":2,"d":2}]"#),
        ("B", #"[{"_id":1,"c":1},{"_id":2,"c":2}]"#), ("A", #"[{"_id":1,"b":1},{"_id":2}]"#),
      ] {
        #expect(try await fixture.send(.post, "/v1/collections/\(name)", json: json).status == 201)
      }
      let target = "/v1/collections/B?\(query)"
      let watcher = try await fixture.watch(target + mode)
      _ = await watcher.events(through: "ready")
      var before = try await fixture.send(.get, target).text
      for (path, json) in [
        ("A/1", #"{"n":7}"#), ("A/2", #"{"b":1}"#), ("A/1", #"{"b":2}"#), ("A/2", #"{"b":null}"#),
        ("F/1", #"{"n":9}"#),
      ] {
        let count = StreamEvent.all(in: watcher.text).count
        #expect(try await fixture.send(.patch, "/v1/collections/\(path)", json: json).status == 200)
        let after = try await fixture.send(.get, target).text
        if after != before { _ = await watcher.events(count + 1) }
        before = after
      }
    }
  }

  @Test func `the key of a section is shown as a read shows it`() async throws {
    try await Fixture.with(Self.linked) { fixture in
      let date = #"{"$date":"2026-01-02T03:04:05Z"}"#
      let objects = #"[{"_id":1,"mix":{"$ref":"A","$id":2}},{"_id":2,"mix":\#(date)}]"#
      #expect(try await fixture.send(.post, "/v1/collections/A", json: objects).status == 201)
      let target = "/v1/collections/A?sort=_id&sectionBy=mix&fields=_id"
      let read = try await fixture.send(.get, target).text.replacing(#""count":1,"#, with: "")
      let watcher = try await fixture.watch(target + "&mode=results")
      let first = await watcher.events(through: "ready").first
      #expect(first?.data == #"{"version":\#(fixture.store.version),"sections":\#(read)}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/2", json: #"{"mix":{"$ref":"A","$id":1}}"#)
      let update = await watcher.events(4).last?.data
      #expect(update?.contains(#""keys":[{"$ref":"A","$id":1}]"#) == true, "\(update ?? "")")
    }
  }

  @Test func `what a slow client misses comes as one update`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch("/v1/collections/City?mode=results&sort=name")
      _ = await watcher.events(through: "ready")
      await watcher.setBusy(true)
      let second = try await fixture.watch("/v1/collections/City?mode=results&sort=name")
      _ = await second.events(through: "ready")
      var count = 3
      for (id, name) in [(1, "Z"), (2, "A"), (1, "B"), (3, "Y")] {
        _ = try await fixture.send(.patch, "/v1/collections/City/\(id)", json: #"{"name":"\#(name)"}"#)
        count += 1
        _ = await second.events(count)
      }
      await fixture.loop.run {}
      #expect(StreamEvent.all(in: watcher.text).count == 3)
      await watcher.setBusy(false)
      let events = await watcher.events(4)
      #expect(events.count == 4)
      var replica = ResultsReplica()
      for event in events { try replica.apply(event) }
      let fresh = try await fixture.send(.get, "/v1/collections/City?sort=name").text
      #expect(try Value(json: fresh) == .array(replica.objects))
    }
  }

  // `Scripts/replay-results` makes a hundred thousand of them.
  @Test(arguments: [
    "sort=-population,name&limit=20", "filter=population%20%3E%2040&limit=12", "sort=name&distinct=name",
    "sort=country.name,name&sectionBy=country.name&limit=25",
    "filter=country.population%20%3E%203&sort=country.population&fields=name,country.name",
    "sort=name&sectionBy=country.name&limit=7", "sort=-population,_id&sectionBy=name&limit=5",
  ])
  func `a client that applies the updates has what a fresh query has`(query: String) async throws {
    try await Fixture.with { fixture in
      for code in ["A", "B", "C"] {
        _ = try await fixture.send(
          .post, "/v1/collections/Country", json: #"{"code":"\#(code)","name":"\#(code)","population":3}"#)
      }
      let watcher = try await fixture.watch("/v1/collections/City?mode=results&\(query)")
      _ = await watcher.events(through: "ready")
      var chance = SeededGenerator(seed: 7)
      var replica = ResultsReplica()
      var applied = 0
      for step in 0..<60 {
        try await change(fixture, &chance)
        let fresh = ResultsReplica.shown(
          try Value(json: try await fixture.send(.get, "/v1/collections/City?\(query)").text))
        var isEqual = false
        // The update comes when it comes; what is waited for is the state, not a time.
        for _ in 0..<20_000 {
          let events = StreamEvent.all(in: watcher.text)
          for event in events[applied...] { try replica.apply(event) }
          applied = events.count
          isEqual = replica.value == fresh
          if isEqual { break }
          await fixture.settle()
          await Task.yield()
        }
        try #require(isEqual, "step \(step): \(replica.value) is not \(fresh)")
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `sections of a stream are those of a page, whatever the order and the limit`(seed: UInt64) async throws
  {
    try await Fixture.with { fixture in
      var chance = SeededGenerator(seed: seed)
      for code in ["A", "B", "C"] {
        _ = try await fixture.send(
          .post, "/v1/collections/Country", json: #"{"code":"\#(code)","name":"\#(code)","population":3}"#)
      }
      for _ in 0..<60 { try await change(fixture, &chance) }
      for _ in 0..<12 {
        let sort =
          ["population,_id", "-name,_id", "_id", "country.name,-_id"].randomElement(using: &chance) ?? ""
        let section = ["name", "country.name", "population", "_id"].randomElement(using: &chance) ?? ""
        let limit = Int.random(in: 1...12, using: &chance)
        let filter = Bool.random(using: &chance) ? "" : "&filter=population%20%3E%2030%20LIMIT(9)"
        let distinct = Bool.random(using: &chance) ? "" : "&distinct=name,country.name"
        let query = "sort=\(sort)&sectionBy=\(section)&limit=\(limit)\(filter)\(distinct)"
        let watcher = try await fixture.watch("/v1/collections/City?mode=results&\(query)")
        var replica = ResultsReplica()
        for event in await watcher.events(through: "ready") { try replica.apply(event) }
        let fresh = try await fixture.send(.get, "/v1/collections/City?\(query)")
        #expect(replica.value == ResultsReplica.shown(try Value(json: fresh.text)), "\(query)")
        await watcher.leave()
      }
    }
  }

  private func change(_ fixture: Fixture, _ chance: inout SeededGenerator) async throws {
    let id = Int.random(in: 0..<40, using: &chance)
    let population = Int.random(in: 0..<100, using: &chance)
    let code = ["A", "B", "C"].randomElement(using: &chance) ?? "A"
    let name = ["x", "y", "z", "w"].randomElement(using: &chance) ?? "x"
    switch Int.random(in: 0..<10, using: &chance) {
    case 0..<5:
      let body = #"{"name":"\#(name)","population":\#(population),"country":"\#(code)"}"#
      _ = try await fixture.send(.put, "/v1/collections/City/\(id)", json: body)
    case 5, 6:
      _ = try await fixture.send(
        .patch, "/v1/collections/City/\(id)", json: #"{"population":\#(population)}"#)
    case 7:
      let body = #"{"name":"\#(name)","population":\#(population % 6)}"#
      _ = try await fixture.send(.patch, "/v1/collections/Country/\(code)", json: body)
    default: _ = try await fixture.send(.delete, "/v1/collections/City/\(id)")
    }
  }

  @Test(arguments: [
    ("mode=x", "invalid_parameter"), ("mode=results&since=0", "invalid_parameter"),
    ("mode=results&limit=1001", "limit_out_of_range"), ("sort=name", "invalid_parameter"),
    ("mode=results&sort=x", "invalid_query"), ("mode=results&sectionBy=x", "invalid_query"),
  ])
  func `what cannot be watched is refused`(query: String, code: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/City?\(query)", ["accept": "text/event-stream"])
      #expect(answer.code == code)
    }
  }
}
