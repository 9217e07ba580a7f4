import FoundationEssentials
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

private let schema = """
  [{"name":"Item","primaryKey":"id","properties":{"id":"int","n":"int","owner":"string","topic":"Topic?","next":"Item?",\
  "tags":"string[]"}},\
  {"name":"Topic","primaryKey":"id","properties":{"id":"int","name":"string","boss":"Topic?","words":"string[]",\
  "items":{"type":"linkingObjects","objectType":"Item","property":"topic"}}}]
  """
private let roles = #"{"member":{"classes":{"Item":{"read":"owner == 'me'"},"Topic":{"read":true}}}}"#

/// A caller and what they watch, by names.
private struct Spectator {
  let credential: [String: String]
  let resources: [(name: String, url: String)]

  static let administrator = [
    ("items", "/v1/collections/Item"), ("big", "/v1/collections/Item?filter=n>50"),
    ("linked", "/v1/collections/Item?filter=topic.name=='a'&fields=id,n"),
    ("topics", "/v1/collections/Topic?fields=id,name,boss"),
    ("top", "/v1/collections/Item?mode=results&sort=-n,id&limit=5"),
    ("named", "/v1/collections/Item?mode=results&sort=topic.name,id&fields=id,topic.name"),
    ("sections", "/v1/collections/Item?mode=results&sectionBy=owner&sort=owner,id&limit=20"),
    ("name", "/v1/collections/Topic/1/name"),
    ("holders", "/v1/collections/Topic/1/items?mode=results&sort=id"),
  ]
  static let member = [
    ("mine", "/v1/collections/Item?fields=id,n,owner"),
    ("big", "/v1/collections/Item?filter=n>50&fields=id,n"),
    ("top", "/v1/collections/Item?mode=results&sort=-n,id&limit=5"),
    ("chained", "/v1/collections/Item?mode=results&filter=next.n>50&sort=id&fields=id,next"),
    ("sections", "/v1/collections/Item?mode=results&sectionBy=topic.name&sort=topic.name,id&limit=20"),
    ("topics", "/v1/collections/Topic?mode=results&sort=id&fields=id,name,items"),
    ("holders", "/v1/collections/Topic/1/items?mode=results&sort=id"),
  ]

  /// The subscriptions as the content of a request has them. Events of objects are told from the first on; results and
  /// places begin with what is there.
  func list(where isWanted: (String) -> Bool = { _ in true }) -> String {
    let items = resources.filter { isWanted($0.name) }.map { name, url in
      let beginsWithAll = url.contains("mode=results") || name == "name"
      return #"{"name":"\#(name)","url":"\#(url)"\#(beginsWithAll ? "" : #","lastEventId":"1""#)}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  /// The URL that a fresh read has.
  static func read(_ url: String) -> String { url.replacing("mode=results&", with: "") }
}

/// Writes at random, watches, and compares what a stream shows at each version with reads that were made at that version.
private struct VersionExercise {
  let fixture: Fixture
  let administrator: [String: String]
  let spectators: [Spectator]
  var generator: SeededGenerator
  /// The answers of reads, by version, spectator and name.
  private var reads: [Int64: [[String: String]]] = [:]
  private var replicas: [MultiplexedReplica]
  private var sinks: [FrameSink] = []
  /// The versions that were compared, and the states in them; versions of commits between which nobody read.
  private(set) var compared = 0
  private(set) var states = 0
  private(set) var unread = 0

  init(seed: UInt64) async throws {
    let fixture = try await Fixture(schema)
    let roles = try await fixture.send(.put, "/v1/roles", json: roles)
    try #require(roles.status == 200, "\(roles.text)")
    func key(_ role: String) async throws -> [String: String] {
      let text = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: []).text
      return ["authorization": "Bearer \(text)"]
    }
    let administrator = try await key("admin")
    let spectators = [
      Spectator(credential: administrator, resources: Spectator.administrator),
      Spectator(credential: try await key("member"), resources: Spectator.member),
    ]
    (self.fixture, self.administrator, self.spectators) = (fixture, administrator, spectators)
    replicas = spectators.map { _ in MultiplexedReplica() }
    generator = SeededGenerator(seed: seed)
    let first = try await fixture.send(
      .post, "/v1/collections/Topic", administrator, json: #"{"id":1,"name":"a"}"#)
    try #require(first.status == 201, "\(first.text)")
    for spectator in spectators {
      let response = await fixture.respond(
        .post, "/v1/streams", spectator.credential.merging(["content-type": "application/json"]) { $1 },
        Array(spectator.list().utf8))
      guard case .pushed(let source) = response.body else {
        throw Fixture.Unwatchable(answer: try await Answer(response).text)
      }
      sinks.append(FrameSink(source, on: fixture.loop))
    }
    try await read()
  }

  /// Makes so many commits.
  mutating func run(_ commits: Int) async throws {
    var made = 0
    while made < commits {
      // Several writers at once: of the versions between, nobody reads.
      let count = chance(20) ? Int.random(in: 2...6, using: &generator) : 1
      let requests = (0..<count).map { _ in request() }
      await withTaskGroup { group in
        for (method, target, json) in requests {
          group.addTask { [fixture, administrator] in
            _ = try? await fixture.send(method, target, administrator, json: json)
          }
        }
      }
      made += count
      try await read()
      if chance(40) { try await disturb() }
      if chance(16) { try await compare() }
    }
    for sink in sinks where sink.isBusy { await sink.setBusy(false) }
    try await settle()
    try await compare()
    let last = fixture.store.version
    for (index, replica) in replicas.enumerated() {
      #expect(Set(replica.states.keys) == Set(spectators[index].resources.map(\.name)), "\(replica.ended)")
    }
    #expect(reads[last] != nil)
  }

  /// Has a client be slow for a while, or take a subscription out and add it again.
  private mutating func disturb() async throws {
    let index = Int.random(in: sinks.indices, using: &generator)
    // The log is kept for so long only.
    guard chance(2), fixture.store.version < 3_000 else {
      return await sinks[index].setBusy(!sinks[index].isBusy)
    }
    let (spectator, stream) = (spectators[index], replicas[index].stream)
    guard let name = spectator.resources.map(\.name).randomElement(using: &generator), !stream.isEmpty else {
      return
    }
    let path = "/v1/streams/\(stream)/subscriptions"
    let taken = try await fixture.send(.delete, "\(path)/\(name)", spectator.credential)
    #expect(taken.status == 204, "\(taken.text)")
    let added = try await fixture.send(
      .post, path, spectator.credential, json: spectator.list { $0 == name })
    #expect(added.status == 201, "\(added.text)")
  }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  /// Reads everything that is watched, as of the last commit.
  private mutating func read() async throws {
    let version = fixture.store.version
    var all: [[String: String]] = []
    for spectator in spectators {
      var texts: [String: String] = [:]
      for (name, url) in spectator.resources {
        let answer = try await fixture.send(.get, Spectator.read(url), spectator.credential)
        #expect(answer.status == 200, "\(url): \(answer.text)")
        texts[name] = answer.text
      }
      all.append(texts)
    }
    #expect(fixture.store.version == version)
    reads[version] = all
  }

  /// Applies what has come, and compares at each version.
  private mutating func compare() async throws {
    for index in sinks.indices {
      #expect(!sinks[index].isAborted)
      for event in sinks[index].take() {
        guard let version = try replicas[index].apply(event) else { continue }
        try compare(index, at: version)
      }
    }
    // A slow client may still be told of them.
    if sinks.allSatisfy({ !$0.isBusy }), reads.count > 2_000 {
      try await settle()
      reads = reads.filter { $0.key > fixture.store.version - 1_000 }
    }
  }

  private mutating func compare(_ index: Int, at version: Int64) throws {
    guard let expected = reads[version]?[index] else {
      unread += 1
      return
    }
    compared += 1
    for (name, state) in replicas[index].states {
      states += 1
      let shown = try MultiplexedReplica.shown(expected[name] ?? "", like: state)
      guard state.text != shown else { continue }
      Issue.record("version \(version), \(name): \(state.text) is not \(shown)")
    }
  }

  /// Returns when everything has been told.
  private func settle() async throws {
    await fixture.gateway.context.events.broker.multiplexes.publishCommits()
    for _ in 0..<4 { await fixture.loop.run {} }
  }

  /// Returns a random write; some change nothing, or are refused.
  private mutating func request() -> (GatehouseHTTP.Method, String, String) {
    let id = Int.random(in: 1...30, using: &generator)
    let topic = Int.random(in: 1...4, using: &generator)
    let owner = ["me", "you", "she"].randomElement(using: &generator) ?? "me"
    let n = Int.random(in: 0...100, using: &generator)
    let (item, other) = ("/v1/collections/Item/\(id)", Int.random(in: 1...30, using: &generator))
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1, 2:
      return (.put, item, #"{"n":\#(n),"owner":"\#(owner)","topic":\#(topic),"next":null,"tags":["x"]}"#)
    case 3: return (.patch, item, #"{"n":\#(n)}"#)
    case 4: return (.patch, item, #"{"owner":"\#(owner)"}"#)
    case 5: return (.patch, item, #"{"topic":\#(n < 20 ? "null" : "\(topic)")}"#)
    case 6: return (.patch, item, #"{"next":\#(n < 20 ? "null" : "\(other)")}"#)
    case 7: return (.delete, item, "")
    case 8:
      let name = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
      return (
        .put, "/v1/collections/Topic/\(topic)", #"{"name":"\#(name)","boss":\#(topic % 4 + 1),"words":[]}"#
      )
    case 9 where topic > 1: return (.delete, "/v1/collections/Topic/\(topic)", "")
    case 10: return (.patch, "/v1/collections/Item?filter=n>\(n)", #"{"n":\#(100 - n)}"#)
    default:
      let first = #"{"op":"update","class":"Item","id":\#(id),"set":{"n":\#(n)}}"#
      let second = #"{"op":"update","class":"Topic","id":\#(topic),"set":{"name":"b"}}"#
      return (.post, "/v1/transactions", #"{"operations":[\#(first),\#(second)]}"#)
    }
  }
}

// `Scripts/versions` makes a million commits.
@Suite struct StreamVersionTests {
  @Test func `at each version a stream shows of all subscriptions what reads at that version show`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let commits = environment["GATEHOUSE_COMMITS"].flatMap(Int.init) ?? 600
    let seed = environment["GATEHOUSE_SEED"].flatMap(UInt64.init) ?? 1
    var exercise = try await VersionExercise(seed: seed)
    try await exercise.run(commits)
    print(
      "\(exercise.compared) versions, \(exercise.states) states, \(exercise.unread) versions between reads")
    #expect(exercise.compared > commits / 4)
    await exercise.fixture.remove()
  }
}
