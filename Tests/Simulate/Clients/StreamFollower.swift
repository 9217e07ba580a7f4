import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage

/// A client that watches a class, comes back after each end with the last position that it has got, and keeps everything.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class StreamFollower: @unchecked Sendable {
  private struct Event {
    let id: String
    let name: String
    let object: Int
    let members: [String: Plain]?
  }

  private let index: Int
  private let world: World
  private let stream: StreamClient
  private var events: [Event] = []
  /// The position from which on it knows everything; nil: it has none yet.
  private var origin: LogPosition?
  private var position: String?

  init(_ index: Int, in world: World, _ generator: SeededGenerator) {
    self.index = index
    self.world = world
    stream = StreamClient(index, in: world, generator)
    stream.follow { [self] in
      var fields = ["accept": "text/event-stream"]
      if let position { fields["last-event-id"] = position }
      return World.request(.get, "/v1/collections/Item", fields)
    } _: { [self] frame in
      take(StreamFrame(frame))
    }
  }

  private func take(_ frame: StreamFrame) {
    Simulation.note("w\(index): \(frame.id ?? "-") \(frame.name ?? "-") \(frame.data ?? "")")
    if let id = frame.id {
      position = id
      if origin == nil { origin = StreamFrame.place(of: id) }
    }
    if frame.name == "resync" { return beginAnew(frame.data) }
    guard let id = frame.id, let name = frame.name, let data = frame.data,
      ["insert", "update", "delete"].contains(name)
    else { return }
    guard let value = try? Value(json: data, as: .plain), let object = value["id"]?.integer else {
      return Simulation.fail("w\(index) was sent \(data)")
    }
    // Events because of a linked object have a third part, and are not looked at.
    guard id.split(separator: "-").count == 2 else { return }
    events.append(Event(id: id, name: name, object: object, members: value["object"]?.members))
  }

  /// Changes that cannot be read cannot be told: a client knows that it has missed something.
  private func beginAnew(_ data: String?) {
    guard world.mayLoseEvents else { return Simulation.fail("w\(index) is to read anew: \(data ?? "")") }
    guard let data, let text = try? Value(json: data, as: .plain)["position"]?.text else {
      return Simulation.fail("w\(index) is to read anew from nowhere: \(data ?? "")")
    }
    events = []
    // It may be a change in the middle of a commit that it cannot be told, and goes on behind.
    (origin, position) = (StreamFrame.place(of: text), text)
  }

  /// Forgets what a crash may have taken back.
  func forget(after last: Int64) {
    func isLost(_ id: String) -> Bool { (Int64(id.split(separator: "-")[0]) ?? 0) > last }
    // A stream tells what is durable, or nothing.
    for event in events where isLost(event.id) {
      Simulation.fail("w\(index) was told of \(event.id), which a crash has taken back to \(last)")
      return
    }
  }

  /// Takes everything by the stream that it has.
  func stay() { stream.stay() }

  /// Ends without a look at what has come.
  func stop() { stream.finish() }

  /// Waits until everything has come, and holds it against the log.
  func finish(_ log: PlainStore, last: Int64) async throws {
    for _ in 0..<600 {
      if let position, (Int64(position.split(separator: "-")[0]) ?? 0) >= last { break }
      if origin != nil, let event = log.events.last, events.last?.id == event.id { break }
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    stream.finish()
    guard let origin else { throw Failure("w\(index) was never told where it is") }
    let expected = log.events.filter { StreamFrame.place(of: $0.id) > origin }
    for (place, event) in expected.enumerated() {
      guard place < events.count else {
        throw Failure(
          "w\(index) was never told of \(event.id), and of \(expected.count - place) in all, up to \(last)")
      }
      let told = events[place]
      guard told.id == event.id, told.name == event.name, told.object == event.object else {
        throw Failure("w\(index) was told of \(told.id) \(told.name) \(told.object) instead of \(event)")
      }
      if let members = told.members { try compare(members, told, log) }
    }
    guard events.count == expected.count else {
      throw Failure("w\(index) was told of \(events[expected.count].id), which is not in the log, or twice")
    }
  }

  private func version(of id: String) -> Int64 { StreamFrame.version(of: id) }

  /// Holds an object that an event has against the object at that version. Properties that came later are left out, and the new ones where
  /// they may have been away when it was told.
  private func compare(_ members: [String: Plain], _ event: Event, _ log: PlainStore) throws {
    let state = log.states[Int(version(of: event.id))]
    for (name, value) in state[event.object] ?? [:] where members[name] != value {
      if world.scenario.hasClassChanges, value == .null, members[name] == nil { continue }
      throw Failure(
        "w\(index) was told at \(event.id) that \(name) of \(event.object) is \(String(describing: members[name])), not \(value)"
      )
    }
  }
}
