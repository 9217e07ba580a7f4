import CGatehouseSimulation
import GatehouseHTTP

/// A caller from whom objects and a property are hidden, who watches what changes.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class IntruderStream: @unchecked Sendable {
  private let world: World
  private let stream: StreamClient
  private var position: String?

  init(_ index: Int, in world: World) {
    self.world = world
    stream = StreamClient(index, in: world, world.scenario.generator(52 + UInt64(index)))
    stream.follow { [self] in
      var fields = ["accept": "text/event-stream"]
      if let position { fields["last-event-id"] = position }
      return World.request(.get, "/v1/collections/Item", by: world.keys["member"] ?? "", fields)
    } _: { [self] frame in
      take(frame)
    }
  }

  private func take(_ text: Substring) {
    for mark in ["HIDDEN", "FOREIGN"] where text.contains(mark) {
      Simulation.fail("the intruder's stream was sent \(mark): \(text)")
    }
    let frame = StreamFrame(text)
    Simulation.note("i: \(frame.id ?? "-") \(frame.name ?? "-")")
    if let id = frame.id { position = id }
    // Events of before members were shut out may be on their way.
    guard let since = world.access.closedSince, let id = frame.id, StreamFrame.version(of: id) > since else {
      return
    }
    if text.contains("OWN") {
      Simulation.fail("members see nothing since \(since), and one was sent \(text)")
    }
  }

  func finish() { stream.finish() }
}
