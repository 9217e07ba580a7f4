import GatehouseFeeds
import GatehouseHTTP
import GatehouseStorage

/// Opens event streams for the endpoints of one event loop.
///
/// `@unchecked Sendable`. Because the loop's broker is set once, before the loop has requests.
final class EventAccess: @unchecked Sendable {
  let data: DataAccess
  let broker: EventBroker
  /// The tickets that open streams in the place of a credential.
  let tickets: Tickets
  /// The loop's event streams; nil before the loop is known.
  private(set) var loopBroker: LoopBroker?
  /// The loop's streams with many subscriptions; nil before the loop is known.
  private(set) var multiplexLoop: MultiplexLoop?
  /// Opens the event stream of a URL, behind a position, with the rights of a call; set once, by the gateway.
  var open: @Sendable (Target, String?, Call) async throws -> Response = { _, _, _ in throw APIError.stopping
  }

  /// Returns the same call of all shards of the group, where it is asked of all; empty: it is asked of this store.
  func callsInShards(_ call: Call) async throws -> [(call: Call, events: EventAccess)] {
    try await data.callsInShards(call).map { ($0.call, $0.context.events) }
  }

  init(_ data: DataAccess, broker: EventBroker, tickets: Tickets) {
    self.data = data
    self.broker = broker
    self.tickets = tickets
  }

  /// Begins to work on a loop. Called once.
  func start(on loop: any Loop) {
    precondition(loopBroker == nil, "a loop begins once")
    let loopBroker = LoopBroker(
      broker, shard: loop.index, clock: { [weak loop] in loop?.now.nanoseconds ?? 0 },
      schedule: { [weak loop] body in loop?.later(body) })
    self.loopBroker = loopBroker
    multiplexLoop = MultiplexLoop(on: loopBroker)
  }

  /// Ends the streams of those whose rights are withdrawn.
  func end(for revocations: Revocations) {
    revocations.observe { [weak loopBroker] owner, reason in
      loopBroker?.end(owner, reason)
    }
  }
}
