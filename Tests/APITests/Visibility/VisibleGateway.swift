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
    let roles = try await fixture.send(.put, "/v1/roles", json: world.role)
    try #require(roles.status == 200, "\(roles.text)")
    let access = fixture.gateway.context.access
    caller = [
      "authorization": "Bearer \(try await access.makeKey(name: "", role: "member", classes: []).text)"
    ]
    writer = [
      "authorization": "Bearer \(try await access.makeKey(name: "", role: "admin", classes: []).text)"
    ]
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
