import GatehouseFeeds
import GatehouseHTTP
import GatehouseStorage

/// Opens event streams for the endpoints of one event loop.
///
/// `@unchecked Sendable`. Because the loop's broker is set once, before the loop has requests.
final class EventAccess: @unchecked Sendable {
  let data: DataAccess
  let broker: EventBroker
  /// The loop's event streams; nil before the loop is known.
  private(set) var loopBroker: LoopBroker?

  init(_ data: DataAccess, broker: EventBroker) {
    self.data = data
    self.broker = broker
  }

  /// Begins to work on a loop. Called once.
  func start(on loop: any Loop) {
    loopBroker = LoopBroker(
      broker, shard: loop.index, clock: { [weak loop] in loop?.now.nanoseconds ?? 0 },
      schedule: { [weak loop] body in loop?.later(body) })
  }

  /// Ends the streams of those whose rights are withdrawn.
  func end(for revocations: Revocations) {
    revocations.observe { [weak loopBroker] owner, reason in
      loopBroker?.perform { [weak loopBroker] in loopBroker?.end(owner, reason) }
    }
  }
}
