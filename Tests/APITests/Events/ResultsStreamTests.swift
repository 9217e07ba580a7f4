import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
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
