import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

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
  private var generator: SeededGenerator
  private var events: [Event] = []
  /// The position from which on it knows everything; nil: it has none yet.
  private var origin: Int64?
  private var position: String?
  private var isOver = false
  private var sink: Sink?

  init(_ index: Int, in world: World, _ generator: SeededGenerator) {
    self.index = index
    self.world = world
    self.generator = generator
    Task { await follow() }
  }

  private func follow() async {
    while !isOver {
      await world.untilUp()
      guard let service = world.service, !isOver else { continue }
      var fields = ["accept": "text/event-stream"]
      if let position { fields["last-event-id"] = position }
      let request = World.request(.get, "/v1/collections/Item", fields)
      guard let answer = await service.answer(request, onLoop: index), let source = answer.source else {
        await world.pause(1...100)
        continue
      }
      let sink = Sink(source, SeededGenerator(seed: generator.next())) { [weak self] in self?.take($0) }
      self.sink = sink
      service.start(source, into: sink, onLoop: index)
      sink.beSlow(on: service, index)
      await withCheckedContinuation { done in
        sink.whenEnded { done.resume() }
        service.atEnd { sink.end() }
      }
      self.sink = nil
    }
  }

  /// Takes a frame: `id`, `event` and `data`.
  private func take(_ frame: Substring) {
    var (id, name, data): (String?, String?, String?) = (nil, nil, nil)
    for line in frame.split(separator: "\n") {
      let value = String(line.split(separator: ": ", maxSplits: 1).last ?? "")
      if line.hasPrefix("id: ") { id = value }
      if line.hasPrefix("event: ") { name = value }
      if line.hasPrefix("data: ") { data = value }
    }
    Simulation.note("w\(index): \(id ?? "-") \(name ?? "-")")
    if let id {
      position = id
      if origin == nil { origin = Int64(id.split(separator: "-")[0]) }
    }
    if name == "resync" { return beginAnew(data) }
    guard let id, let name, let data, ["insert", "update", "delete"].contains(name) else { return }
    guard let value = try? Value(json: data, as: .plain), let object = value["id"]?.integer else {
      return Simulation.fail("w\(index) was sent \(data)")
    }
    // Events because of a linked object have a third part, and are not looked at.
    guard id.split(separator: "-").count == 2 else { return }
    events.append(Event(id: id, name: name, object: object, members: value["object"]?.members))
  }

  /// Changes that cannot be read cannot be told: a client knows that it has missed something.
  private func beginAnew(_ data: String?) {
    guard world.hasFailedReads else { return Simulation.fail("w\(index) is to read anew: \(data ?? "")") }
    guard let data, let text = try? Value(json: data, as: .plain)["position"]?.text else {
      return Simulation.fail("w\(index) is to read anew from nowhere: \(data ?? "")")
    }
    events = []
    (origin, position) = (version(of: text), text)
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

  /// Waits until everything has come, and holds it against the log.
  func finish(_ log: PlainStore, last: Int64) async throws {
    for _ in 0..<600 {
      if let position, (Int64(position.split(separator: "-")[0]) ?? 0) >= last { break }
      if origin != nil, let event = log.events.last, events.last?.id == event.id { break }
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    isOver = true
    defer { sink?.end() }
    guard let origin else { throw Failure("w\(index) was never told where it is") }
    let expected = log.events.filter { version(of: $0.id) > origin }
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

  private func version(of id: String) -> Int64 { Int64(id.split(separator: "-")[0]) ?? 0 }

  /// Holds an object that an event has against the object at that version. Properties that came later are left out.
  private func compare(_ members: [String: Plain], _ event: Event, _ log: PlainStore) throws {
    let state = log.states[Int(version(of: event.id))]
    for (name, value) in state[event.object] ?? [:] where members[name] != value {
      throw Failure(
        "w\(index) was told at \(event.id) that \(name) of \(event.object) is \(String(describing: members[name])), not \(value)"
      )
    }
  }
}

/// The connection of a client that takes what it is sent at once, or is slow for a while.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Sink: PushSink, @unchecked Sendable {
  private let source: any PushSource
  private let take: (Substring) -> Void
  private var generator: SeededGenerator
  private var text = ""
  private var hasEnded = false
  private var ended: (() -> Void)?
  private(set) var isBusy = false

  init(_ source: any PushSource, _ generator: SeededGenerator, take: @escaping (Substring) -> Void) {
    self.source = source
    self.generator = generator
    self.take = take
  }

  func push(_ bytes: [UInt8]) {
    // Nobody reads on a connection that has ended.
    guard !hasEnded else { return }
    text += String(decoding: bytes, as: UTF8.self)
    while let end = text.firstRange(of: "\n\n") {
      take(text[..<end.lowerBound])
      text = String(text[end.upperBound...])
    }
  }

  func complete() { end() }

  func abort() {
    source.end()
    end()
  }

  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    ended?()
    ended = nil
  }

  func whenEnded(_ body: @escaping () -> Void) { if hasEnded { body() } else { ended = body } }

  /// Stops to take anything, now and then, and begins again; or leaves.
  func beSlow(on service: Service, _ index: Int) {
    let time = Duration.milliseconds(Int.random(in: 1...300, using: &generator))
    service.run(onLoop: index, after: time) { [weak self] in
      guard let self, !hasEnded else { return }
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        source.end()
        end()
      case 1..<4:
        isBusy = !isBusy
        if !isBusy { source.resume() }
      default:
        if isBusy {
          isBusy = false
          source.resume()
        }
      }
      if !hasEnded { beSlow(on: service, index) }
    }
  }
}
