import FoundationEssentials
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Objects that a caller may not see do not exist for them: they are told what a gateway tells its administrator that has
/// no such objects, no links to them, and no hidden properties in its schema.
@Suite(.boundedWorlds) struct VisibilityTests {
  /// The worlds; `Scripts/visibility` asks in more of them.
  static let worlds = ProcessInfo.processInfo.environment["GATEHOUSE_WORLDS"].flatMap { Int($0) } ?? 6
  static let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: 0..<worlds)
  func `a caller is told of what they may see as if there were nothing else`(world: Int) async throws {
    var random = SeededGenerator(seed: Self.seed &* 1_000_003 &+ UInt64(world))
    let all = VisibleWorld(&random)
    let gateways = try await VisibleGateways(all)
    for question in VisibleQuestion.all(&random) {
      let exactly = { (credential: [String: String]) in credential.merging(["prefer": "count=exact"]) { $1 } }
      let got = try await gateways.whole.send(.get, question, exactly(gateways.caller))
      let expected = try await gateways.pruned.send(.get, question, exactly(gateways.administrator))
      let same =
        got.status == expected.status && got.fields["total-count"] == expected.fields["total-count"]
        && got.text.withoutEstimate == expected.text.withoutEstimate
      #expect(
        same,
        """
        world \(world), \(all.role): \(question)
        told \(got.status) \(got.text)
        may  \(expected.status) \(expected.text)
        """)
    }
    await gateways.remove()
  }

  /// Each change is one of an object, of what others link to, or of the rules' values.
  @Test(arguments: 0..<worlds)
  func `a stream of results shows what a fresh read shows`(world: Int) async throws {
    var random = SeededGenerator(seed: Self.seed &* 7_000_003 &+ UInt64(world))
    let all = VisibleWorld(&random)
    let gateways = try await VisibleGateways(all)
    let (fixture, caller, admin) = (gateways.whole, gateways.caller, gateways.operatorOfWhole)
    let query = VisibleQuestion.watched.randomElement(using: &random) ?? ""
    let target = "/v1/collections/Note?\(VisibleQuestion.query(query))"
    let first = try await fixture.send(.get, target, caller)
    guard first.status == 200 else {
      // A query that names what is hidden is refused as one that is read.
      let refused = try await fixture.send(
        .get, target + "&mode=results", caller.merging(["accept": "text/event-stream"]) { $1 })
      #expect((refused.status, refused.text) == (first.status, first.text))
      return await gateways.remove()
    }
    let watcher = try await fixture.watch(target + "&mode=results", caller)
    var replica = ResultsReplica()
    var applied = 0
    for step in 0..<12 {
      if step > 0 { try await change(fixture, admin, &random) }
      let read = try await fixture.send(.get, target, caller)
      try #require(read.status == 200, "\(read.text)")
      let fresh = ResultsReplica.shown(try GatehouseBSON.Value(json: read.text))
      var isEqual = false
      // The update comes when it comes; what is waited for is the state, not a time.
      for _ in 0..<20_000 {
        let events = StreamEvent.all(in: watcher.text)
        for event in events[applied...] { try replica.apply(event) }
        applied = events.count
        isEqual = replica.value == fresh && applied > 0
        if isEqual { break }
        await fixture.settle()
        await Task.yield()
      }
      try #require(
        isEqual, "world \(world), step \(step), \(all.role), \(query): \(replica.value) is not \(fresh)")
    }
    await gateways.remove()
  }

  private func change(
    _ fixture: Fixture, _ admin: [String: String], _ random: inout SeededGenerator
  ) async throws {
    let id = Int.random(in: VisibleWorld.ids, using: &random)
    let other = Int.random(in: VisibleWorld.ids, using: &random)
    let owner = Bool.random(using: &random) ? "me" : "you"
    let (path, json) =
      switch Int.random(in: 0..<8, using: &random) {
      case 0: ("Note/\(id)", #"{"owner":"\#(owner)"}"#)
      case 1: ("Note/\(id)", #"{"n":\#(other)}"#)
      case 2: ("Note/\(id)", #"{"notebook":\#(other % 4)}"#)
      case 3: ("Note/\(id)", #"{"others":[\#(other),\#(id)]}"#)
      case 4: ("Note/\(id)", #"{"mix":{"$ref":"Note","$id":\#(other)}}"#)
      case 5: ("Tag/\(id % 3)", #"{"owner":"\#(owner)"}"#)
      case 6: ("Notebook/\(id % 4)", #"{"owner":"\#(owner)"}"#)
      default: ("Notebook/\(id % 4)", #"{"name":"c\#(other)"}"#)
      }
    let answer = try await fixture.send(.patch, "/v1/collections/\(path)", admin, json: json)
    try #require(answer.status == 200, "\(answer.text)")
  }
}

/// The questions about a world.
enum VisibleQuestion {
  private static let filters = [
    "notebook.name == 'a'", "notebook == null", "notebook != null", "notebook.owner == 'me'",
    "NOT (notebook.name == 'a')", "notebook.cover.n > K", "notebook.cover.notebook.name == 'b'",
    "ANY others.n == K", "ALL others.n > K", "NONE others.n > K", "others.@count == K", "others[0].n == K",
    "others[FIRST].n > K", "others[LAST].text == 'a'", "others[1] == null", "others.@sum.n > K",
    "others.@max.n == K", "others.@avg.n > K", "ANY others.notebook.name == 'a'", "tags.@count == K",
    "ANY tags.owner == 'me'", "shelf['a'].name == 'b'", "shelf['a'] == null", "shelf.@keys == 'a'",
    "shelf.@count == K", "ANY shelf.name == 'a'", "mix == null", "mix == K", "mix != K", "mix > K",
    "mix.@type == 'object'", "mix == obj('Note', K)", "notebook == obj('Notebook', K)",
    "notebook != obj('Notebook', K)", "ANY others == obj('Note', K)", "mixes[0] == null",
    "mixes[LAST] == null",
    "mix.others.@count == K", "mix.others[0].n == K", "mix.before.@count > K", "mix.tags.@count > 0",
    "ANY mixes.@type == 'object'", "mixes.@count == K", "ANY mixes == null", "mixes[0].n == K",
    "mix.owner == 'me'", "mix[0] == null", "ANY mix[*] == K", "bag.@count == K", "ANY bag == null",
    "ANY bag == K",
    "@links.@count == K", "@links.Note.others.@count == K", "@links.Notebook.cover.@count > 0",
    "ANY @links.Note.others.n == K", "before.@count == K", "ANY before.notebook.name == 'a'",
    "SUBQUERY(others, $o, $o.n > K AND $o.notebook.owner == 'me').@count > 0",
    "SUBQUERY(notebook.notes, $o, $o.n > K).@count == 1", "place.city == 'x'", "place.at.name == 'a'",
    "place.at == null", "notebook.notes.@count > K", "ANY notebook.notes.n == K", "notebook.name == text",
    "notebook.name == place.at.name", "n + notebook.cover.n > K",
    "others.@count + K == notebook.notes.@count",
    "notebook.name IN {'a', 'b'}", "others[0].notebook.name BEGINSWITH 'a'", "notebook.name ==[c] 'A'",
  ]
  private static let orders = [
    "sort=notebook.name", "sort=-notebook.cover.n,n", "sort=mix", "sort=place.at.name",
    "distinct=notebook.name",
    "sort=notebook.name&limit=2", "distinct=mix",
  ]
  private static let shown = [
    "fields=id,notebook,others", "fields=tags,shelf", "fields=mix,mixes,bag,place", "expand=notebook",
    "expand=others", "expand=tags", "expand=shelf", "expand=notebook.cover", "expand=notebook.notes",
    "expand=others.notebook", "fields=id,before", "expand=before",
    "fields=notebook.name,others.n,place.at.name",
    "fields=b:notebook.name", "expand=place.at", "",
  ]
  private static let values = [
    "aggregate=@count,n.@sum", "aggregate=notebook.cover.n.@max", "aggregate=others.n.@sum",
    "aggregate=others.@count", "aggregate=notebook.cover.n.@avg", "sectionBy=notebook.name",
    "sectionBy=notebook.owner&sort=notebook.owner", "sectionBy=mix",
  ]
  private static let paths = [
    "notebook", "others", "others?limit=2", "others/0", "others/1/n", "others/-1", "others/-2/n", "others/9",
    "others/-9", "mixes/-1", "mixes/-4", "others?only=count", "shelf", "shelf/a",
    "shelf/a/name", "shelf?only=keys", "mix", "mixes", "mixes/0", "mixes/2", "mixes/0/n", "mix/0", "bag",
    "tags",
    "tags?limit=1", "tags?only=count", "notebook/name", "notebook/notes", "notebook/cover/n", "place",
    "place/at", "place/at/name", "others?filter=n > 2", "others?filter=notebook.name == 'a'",
    "others?aggregate=n.@sum", "others?expand=notebook", "others?sort=-n", "shelf?expand=cover",
    "others?contains=1", "others?indexOf=2", "before", "before?filter=n > 2", "mixes?contains=null",
    "tags?contains=1", "shelf?contains=a", "mixes?indexOf=[{\"$ref\":\"Note\",\"$id\":1},null]",
    "mixes?contains=[{\"$ref\":\"Tag\",\"$id\":1},{\"$ref\":\"Note\",\"$id\":2}]",
  ]

  /// The filters of streams of changes. Which objects have a constant's primary key is asked once, when a stream begins.
  static var streamedFilters: [String] { filters.filter { !$0.contains("obj(") } }

  /// The parts of objects whose changes a stream tells of without being asked: what lies behind three links.
  static let streamed = [
    "", "fields=id,notebook,others", "fields=id,tags,shelf", "fields=id,mix,mixes,bag,place",
    "expand=notebook",
    "expand=others", "expand=tags", "expand=shelf", "expand=notebook.cover", "expand=others.notebook",
    "fields=id,notebook.name,others.n,place.at.name", "fields=id,b:notebook.name", "expand=place.at",
  ]

  /// Queries whose results are watched.
  static let watched = [
    "sort=id", "filter=notebook.name == 'a'&sort=id", "sort=notebook.name,id&limit=3", "sort=-n,id&limit=4",
    "filter=ANY others.n > 2&sort=id&expand=others", "sort=id&expand=notebook.notes",
    "filter=mix == null&sort=id",
    "filter=tags.@count > 0&sort=id&fields=id,tags,before", "sort=notebook.owner,id&sectionBy=notebook.owner",
    "sort=id&distinct=notebook.name", "filter=@links.@count > 0&sort=id",
  ]

  /// The parameters with their values encoded.
  static func query(_ text: String) -> String {
    text.split(separator: "&").map { part in
      let halves = part.split(separator: "=", maxSplits: 1).map(String.init)
      return "\(halves[0])=\((halves.last ?? "").percentEncoded)"
    }.joined(separator: "&")
  }

  static func all(_ random: inout SeededGenerator) -> [String] {
    var questions = [
      "/v1/schema", "/v1/schema/Note", "/v1/schema/Notebook", "/v1/collections/Notebook",
      "/v1/collections/Tag", "/v1/collections/Tag?expand=notes",
    ]
    for filter in filters {
      let filter = filter.replacing("K", with: "\(Int.random(in: 0..<4, using: &random))")
      let show = shown.randomElement(using: &random) ?? ""
      questions.append(
        "/v1/collections/Note?filter=\(filter.percentEncoded)" + (show.isEmpty ? "" : "&\(query(show))"))
    }
    questions += [
      "filter=n > 2", "filter=notebook.owner == 'me'&sort=text", "filter=text == 'a' AND n == 1", "",
    ].map {
      "/v1/collections/Note?explain=true&" + query($0)
    }
    questions += (orders + shown + values).map { "/v1/collections/Note?" + query($0) }
    questions += [
      "expand=cover", "fields=notes", "expand=notes", "expand=notes.others", "expand=cover.notebook",
      "filter=cover.n > 1", "filter=notes.@count > 1", "filter=ANY notes.others.n == 2", "sort=-cover.n",
      "aggregate=cover.n.@sum", "filter=@links.@count > 2", "filter=@links.Place.at.@count == 1",
      "filter=ANY @links.Place.at.city == 'x'",
      "filter=SUBQUERY(@links.Place.at, $p, $p.city == 'y').@count > 0",
      "aggregate=@links.Place.at.@links.Note.place.n.@sum", "sort=name&limit=2",
    ].map { "/v1/collections/Notebook?" + query($0) }
    for id in VisibleWorld.ids {
      questions.append("/v1/collections/Note/\(id)")
      questions.append(
        "/v1/collections/Note/\(id)?\(query(shown.dropLast().randomElement(using: &random) ?? ""))")
      for path in paths {
        let halves = path.split(separator: "?", maxSplits: 1).map(String.init)
        questions.append(
          "/v1/collections/Note/\(id)/\(halves[0])" + (halves.count > 1 ? "?\(query(halves[1]))" : ""))
      }
    }
    return questions
  }
}

extension String {
  /// The text of an explanation without the number that is an estimate for whoever may see everything.
  fileprivate var withoutEstimate: String {
    guard let start = firstRange(of: "\"estimatedRows\":")?.lowerBound else { return self }
    return String(self[..<start] + self[start...].drop { $0 != "," })
  }
}
