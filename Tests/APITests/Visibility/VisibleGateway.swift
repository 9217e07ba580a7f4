import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// A gateway with a world, somebody who writes everything, and somebody who sees what the world's rules show.
final class VisibleGateway {
  let fixture: Fixture
  private(set) var world: VisibleWorld
  let caller: [String: String]
  private let writer: [String: String]
  private var number = 0
  /// The worlds after writes of one change, by versions.
  private var past: [Int64: VisibleWorld] = [:]

  init(_ world: VisibleWorld) async throws {
    self.world = world
    fixture = try await Fixture(VisibleWorld.schema())
    let json = "{\"operations\":[\(world.operations().joined(separator: ","))]}"
    let answer = try await fixture.send(.post, "/v1/transactions", json: json)
    try #require(answer.status == 200, "\(answer.text)")
    (writer, caller) = try await fixture.callers(under: world.role)
  }

  /// Writes something, and returns when everybody has been told.
  func write(_ random: inout SeededGenerator) async throws -> VisibleWorld.Write {
    number += 1
    let write = world.write(number: number, &random)
    let path = "/v1/collections/\(write.path)"
    let answer =
      if let json = write.json {
        try await fixture.send(write.method, path, writer, json: json)
      } else { try await fixture.send(write.method, path, writer) }
    try #require(answer.status < 300, "\(write): \(answer.text)")
    await fixture.settle()
    if write.isOne { past[fixture.store.version] = world }
    return write
  }

  /// A stream of the caller's; nil where it leads to a hidden property.
  func watch(_ target: String) async throws -> Watcher? {
    do { return try await fixture.watch(target, caller) } catch let error as Fixture.Unwatchable {
      if world.hidden.isEmpty { throw error }
      return nil
    }
  }

  /// The value that the caller reads; nil: it is not there.
  func value(_ target: String) async throws -> Value? {
    let answer = try await fixture.send(.get, target, caller)
    if answer.status == 404 { return nil }
    try #require(answer.status == 200, "\(target): \(answer.text)")
    return try Value(json: answer.text)
  }

  /// The events that a stream of the caller's tells of the past.
  func past(_ target: String) async throws -> [StreamEvent] {
    let watcher = try await fixture.watch(target, caller)
    let events = await watcher.events(through: "ready")
    await watcher.leave()
    return events
  }

  /// Checks that an event of the past shows nothing but what could be seen at the change, and may be seen now.
  func check(_ event: StreamEvent, _ place: String) throws {
    guard let data = try event.data.map({ text throws in try Value(json: text) }),
      let object = data["object"],
      let version = event.id?.split(separator: "-").first.flatMap({ Int64($0) }), let then = past[version],
      case .string(let objectType)? = data["class"], case .int32(let id)? = data["id"]
    else { return }
    let link = VisibleWorld.Link(objectType: objectType, id: Int(id))
    let shown = then.visible(in: world).objects[link] ?? "null"
    #expect(
      object.withSortedSets == (try Value(json: shown)).withSortedSets, "\(place): \(event), not \(shown)")
  }

  /// The changes behind a version, of all classes, as the caller reads them page by page.
  func changes(since start: Int64) async throws -> [Value] {
    var changes: [Value] = []
    var next = "\(start)"
    while true {
      let answer = try await fixture.send(.get, "/v1/changes?limit=3&since=\(next)", caller)
      try #require(answer.status == 200, "\(answer.text)")
      let page = try Value(json: answer.text)
      changes += page["changes"]?.elements ?? []
      guard answer.fields["link"] != nil, case .string(let position)? = page["next"] else { return changes }
      next = position
    }
  }

  /// Checks that a change of the log shows nothing but what could be seen at it, and may be seen now.
  func check(change: Value, _ place: String) throws {
    guard let after = change["after"], case .document(let members) = after,
      case .string(let objectType)? = change["class"], case .int32(let id)? = change["id"],
      let version = change["version"]?.integer, let then = past[version]
    else { return }
    let link = VisibleWorld.Link(objectType: objectType, id: Int(id))
    let shown = try Value(json: then.visible(in: world).objects[link] ?? "null").withSortedSets
    let told = after.withSortedSets
    for name in members.elements.map(\.key) {
      #expect(told[name] == shown[name], "\(place): \(change.text), not \(shown.text)")
    }
  }

  /// The elements of what the caller reads; nil: it is not there.
  func read(_ target: String) async throws -> [Value]? {
    let answer = try await fixture.send(.get, target, caller)
    if [400, 403, 404].contains(answer.status) { return nil }
    try #require(answer.status == 200, "\(target): \(answer.text)")
    return try Value(json: answer.text).elements
  }

  func copyOfEverything() async throws -> StreamReplica {
    var parts: [StreamReplica] = []
    for name in ["Note", "Notebook", "Tag"] {
      parts.append(StreamReplica(name, try await read("/v1/collections/\(name)") ?? []))
    }
    return StreamReplica(parts)
  }

  /// The objects that the caller may see, from the plain values of the world.
  var shown: [String: Value] {
    Dictionary(
      world.visible.objects.map { link, json in
        let id = Value.int32(Int32(link.id))
        return (
          StreamReplica.name(link.objectType, id), ((try? Value(json: json)) ?? .null).withSortedSets
        )
      }
    ) { $1 }
  }
}
