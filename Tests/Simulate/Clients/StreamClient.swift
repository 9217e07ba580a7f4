import CGatehouseSimulation
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage

/// A client that has one event stream open at a time.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class StreamClient: @unchecked Sendable {
  private let index: Int
  private let world: World
  private var generator: SeededGenerator
  private var isOver = false
  private var isPatient = false
  private var sink: Sink?
  private var makeRequest: () -> Request = { Request(method: .get, target: Target(path: "/")) }
  private var refused: (Answer) -> Void = { _ in }
  private var take: (Substring) -> Void = { _ in }

  init(_ index: Int, in world: World, _ generator: SeededGenerator) {
    self.index = index
    self.world = world
    self.generator = generator
  }

  /// Opens streams, one when the other has ended, until ``finish()``: `refused` gets the answers that are none, `take` the frames.
  func follow(
    _ request: @escaping () -> Request, refused: @escaping (Answer) -> Void = { _ in },
    _ take: @escaping (Substring) -> Void
  ) {
    (makeRequest, self.refused, self.take) = (request, refused, take)
    Task { await follow() }
  }

  private func follow() async {
    while !isOver {
      await world.untilUp()
      guard let service = world.reach(), !isOver else { continue }
      let answer = await service.answer(makeRequest(), onLoop: index)
      guard let source = answer?.source else {
        if let answer { refused(answer) }
        await world.pause(1...100)
        continue
      }
      let start = sim_now()
      await run(source, on: service)
      // Where a stream cannot be served, as where the disk has failed, the next one would end as soon.
      if sim_now() < start + 1_000_000 { await world.pause(1...100) }
    }
  }

  private func run(_ source: any PushSource, on service: Service) async {
    let sink = Sink(source, SeededGenerator(seed: generator.next()), take: take)
    self.sink = sink
    if isPatient { sink.stay() }
    service.start(source, into: sink, onLoop: index)
    sink.beSlow(on: service, index)
    await withCheckedContinuation { done in
      sink.whenEnded { done.resume() }
      service.atEnd { sink.end() }
    }
    self.sink = nil
  }

  /// Takes everything at once from now on, and leaves no stream: by that it would be told all it has missed.
  func stay() {
    isPatient = true
    sink?.stay()
  }

  /// Ends the stream, and opens no other.
  func finish() {
    isOver = true
    sink?.end()
  }
}

/// A frame of an event stream.
struct StreamFrame {
  var id: String?
  var name: String?
  var data: String?

  init(_ frame: Substring) {
    for line in frame.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      // A space comes behind it.
      let value = String(Substring(line[colon...].dropFirst(2)))
      switch String(Substring(line[..<colon])) {
      case "id": id = value
      case "event": name = value
      case "data": data = value
      default: break
      }
    }
  }

  /// The change, or the end of the commit, that a position is behind.
  static func place(of position: String) -> LogPosition {
    LogPosition(text: position) ?? LogPosition(version: version(of: position))
  }

  /// The version in a position.
  static func version(of position: String) -> Int64 { Int64(position.split(separator: "-")[0]) ?? 0 }
}
