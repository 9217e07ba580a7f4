import FoundationEssentials
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Streams of changes tell their caller what they would if there were nothing but what the caller may see: a client that
/// applies the events, and nothing else, has what a read shows.
@Suite(.boundedWorlds) struct VisibleStreamTests {
  private static let worlds = VisibilityTests.worlds
  private static let steps = 12

  /// A stream, and the read that shows what it tells of.
  private struct Watch {
    let objectType: String
    /// The collection, or what links to an object.
    let path: String
    let query: String
    /// The parameters that a read does not have.
    var more = ""
    /// Whether each change of what is shown is told; else only what comes and goes.
    var tellsContents = true

    var read: String { "/v1/collections/\(path)?\(VisibleQuestion.query(query))" }
    var stream: String { read + (more.isEmpty ? "" : "&" + VisibleQuestion.query(more)) }
  }

  private static func watches(_ random: inout SeededGenerator) -> [Watch] {
    var watches = [
      Watch(objectType: "Notebook", path: "Notebook", query: ""),
      Watch(objectType: "Notebook", path: "Notebook", query: "expand=cover"),
      Watch(objectType: "Notebook", path: "Notebook", query: "filter=notes.@count > 1"),
      Watch(objectType: "Notebook", path: "Notebook", query: "fields=id,notes", more: "keyPaths=notes"),
      Watch(objectType: "Tag", path: "Tag", query: "fields=id,notes", more: "keyPaths=notes"),
      Watch(objectType: "Note", path: "Note", query: "fields=id,before", more: "keyPaths=before"),
      Watch(
        objectType: "Note", path: "Note", query: "fields=id,notebook.notes.n",
        more: "keyPaths=notebook.notes.n"),
      Watch(objectType: "Note", path: "Note", query: "", more: "values=true"),
      Watch(
        objectType: "Note", path: "Note", query: "filter=n > 2", more: "keyPaths=id", tellsContents: false),
    ]
    for id in VisibleWorld.ids.prefix(3) {
      watches.append(Watch(objectType: "Note", path: "Notebook/\(id)/notes", query: "fields=id,n,text"))
      watches.append(Watch(objectType: "Note", path: "Note/\(id)/before", query: ""))
    }
    for shown in VisibleQuestion.streamed {
      watches.append(Watch(objectType: "Note", path: "Note", query: shown))
    }
    for filter in VisibleQuestion.streamedFilters.shuffled(using: &random).prefix(16) {
      let filter = filter.replacing("K", with: "\(Int.random(in: 0..<4, using: &random))")
      watches.append(Watch(objectType: "Note", path: "Note", query: "filter=\(filter)"))
    }
    return watches
  }

  @Test(arguments: 0..<worlds)
  func `events are those of what the caller may see`(world: Int) async throws {
    var random = SeededGenerator(seed: VisibilityTests.seed &* 11_000_003 &+ UInt64(world))
    let gateway = try await VisibleGateway(VisibleWorld(&random))
    let everything = try await gateway.fixture.watch("/v1/collections", gateway.caller)
    var all = try await gateway.copyOfEverything()
    var streams: [(watch: Watch, watcher: Watcher, replica: StreamReplica, applied: Int)] = []
    for watch in Self.watches(&random) {
      guard let read = try await gateway.read(watch.read) else { continue }
      guard let watcher = try await gateway.watch(watch.stream) else { continue }
      streams.append((watch, watcher, StreamReplica(watch.objectType, read), 0))
    }
    _ = await everything.events(through: "ready")
    for stream in streams { _ = await stream.watcher.events(through: "ready") }
    var told = 0
    for step in 0..<Self.steps {
      let write = try await gateway.write(&random)
      let place = "world \(world), step \(step), \(gateway.world.role), \(write)"
      let events = StreamEvent.all(in: everything.text)
      for event in events[told...] { try all.apply(event) }
      told = events.count
      let difference = all.difference(from: gateway.shown)
      try #require(difference == nil, "\(place): \(events.suffix(4)) \(difference ?? "")")
      for index in streams.indices {
        let watch = streams[index].watch
        let events = StreamEvent.all(in: streams[index].watcher.text)
        let new = events[streams[index].applied...]
        streams[index].applied = events.count
        do { for event in new { try streams[index].replica.apply(event) } } catch {
          Issue.record("\(place), \(watch.stream): \(error)")
          return
        }
        let read = try await gateway.read(watch.read) ?? []
        let fresh = StreamReplica(watch.objectType, read).objects
        let replica = streams[index].replica
        if !watch.tellsContents, Set(replica.objects.keys) == Set(fresh.keys) { continue }
        let difference = replica.difference(from: fresh)
        try #require(difference == nil, "\(place), \(watch.stream): \(Array(new)) \(difference ?? "")")
      }
    }
    await gateway.fixture.remove()
  }

  /// The contents of the past must be visible both at the change and now; the client comes back with what it could see when it
  /// left.
  @Test(arguments: 0..<worlds)
  func `a client that comes back gets what it may see of the past, and ends with what a read shows`(
    world: Int
  ) async throws {
    var random = SeededGenerator(seed: VisibilityTests.seed &* 13_000_003 &+ UInt64(world))
    let gateway = try await VisibleGateway(VisibleWorld(&random))
    let watches = Self.watches(&random).filter(\.tellsContents)
    for _ in 0..<Int.random(in: 0..<6, using: &random) { _ = try await gateway.write(&random) }
    let start = gateway.fixture.store.version
    var all = try await gateway.copyOfEverything()
    var logged = all
    var copies: [(watch: Watch, replica: StreamReplica)] = []
    for watch in watches {
      guard let read = try await gateway.read(watch.read), let watcher = try await gateway.watch(watch.stream)
      else { continue }
      await watcher.leave()
      copies.append((watch, StreamReplica(watch.objectType, read)))
    }
    for _ in 0..<2 * Self.steps { _ = try await gateway.write(&random) }
    let place = "world \(world), \(gateway.world.role), since \(start)"
    let events = try await gateway.past("/v1/collections?since=\(start)")
    for event in events {
      try gateway.check(event, place)
      try all.apply(event, comesBack: true)
    }
    let difference = all.difference(from: gateway.shown)
    #expect(difference == nil, "\(place): \(events) \(difference ?? "")")
    // Who sees everything gets the log itself, with changes of single elements.
    let changes = gateway.world.showsEverything ? [] : try await gateway.changes(since: start)
    for change in changes {
      try gateway.check(change: change, place)
      try logged.apply(change: change)
    }
    let loggedDifference = gateway.world.showsEverything ? nil : logged.difference(from: gateway.shown)
    #expect(loggedDifference == nil, "\(place): \(changes.map(\.text)) \(loggedDifference ?? "")")
    for (watch, copy) in copies {
      guard let read = try await gateway.read(watch.read) else { continue }
      var copy = copy
      let target = watch.stream + (watch.stream.hasSuffix("?") ? "" : "&") + "since=\(start)"
      let events = try await gateway.past(target)
      for event in events { try copy.apply(event, comesBack: true) }
      let difference = copy.difference(from: StreamReplica(watch.objectType, read).objects)
      #expect(difference == nil, "\(place), \(watch.stream): \(events) \(difference ?? "")")
    }
    await gateway.fixture.remove()
  }

  private static let places = [
    "others", "others/0", "others/-1", "shelf", "shelf/a", "mix", "mixes", "mixes/0", "bag", "tags",
    "notebook",
    "notebook/name", "notebook/cover", "notebook/cover/n", "place", "place/at", "place/at/name", "text",
  ]

  @Test(arguments: 0..<worlds)
  func `a stream of a place tells what is there for the caller`(world: Int) async throws {
    var random = SeededGenerator(seed: VisibilityTests.seed &* 17_000_003 &+ UInt64(world))
    let gateway = try await VisibleGateway(VisibleWorld(&random))
    var streams: [(target: String, watcher: Watcher, replica: PlaceReplica, applied: Int)] = []
    for id in VisibleWorld.ids {
      guard try await gateway.value("/v1/collections/Note/\(id)") != nil else { continue }
      for path in Self.places {
        let target = "/v1/collections/Note/\(id)/\(path)"
        guard let watcher = try await gateway.watch(target) else { continue }
        streams.append((target, watcher, PlaceReplica(), 0))
      }
    }
    for stream in streams { _ = await stream.watcher.events(through: "ready") }
    for step in 0...Self.steps {
      let write = step == 0 ? nil : try await gateway.write(&random)
      for index in streams.indices {
        let target = streams[index].target
        let events = StreamEvent.all(in: streams[index].watcher.text)
        let new = events[streams[index].applied...]
        streams[index].applied = events.count
        for event in new { try streams[index].replica.apply(event) }
        let fresh = try await gateway.value(target)
        let replica = streams[index].replica.value
        try #require(
          replica?.withoutNull == fresh?.withoutNull,
          """
          world \(world), step \(step), \(gateway.world.role), \(write?.path ?? "") \(write?.json ?? ""), \(target): \
          \(Array(new)): \(replica?.text ?? "nothing") is not \(fresh?.text ?? "nothing")
          """)
      }
    }
    await gateway.fixture.remove()
  }
}

extension Value {
  /// Nil where it is null: nobody can tell it from nothing.
  fileprivate var withoutNull: Value? { self == .null ? nil : withSortedSets }
}
