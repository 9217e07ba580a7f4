import GatehouseTelemetry
import Synchronization

/// Counts subscribers against their limits, and for the metrics.
final class SubscriberAdmission: Sendable {
  private struct Counts {
    var all = 0
    var byClient: [UInt64: Int] = [:]
  }

  private let options: FeedOptions
  private let counts = Mutex(Counts())
  private let subscribers: Gauge?
  private let delivered: Counter?
  private let dropped: Counter?

  init(_ options: FeedOptions, _ registry: Registry?) {
    self.options = options
    subscribers = registry?.gauge("gatehouse_feed_subscribers", help: "Event streams that are open.")
    delivered = registry?.counter("gatehouse_feed_events", help: "Events handed to subscribers.")
    dropped = registry?.counter(
      "gatehouse_feed_dropped", help: "Event streams that were ended because their clients were too slow.")
  }

  /// Counts a subscriber in; false, and nothing counted, when it would be one too many.
  func admit(_ client: UInt64) -> Bool {
    counts.withLock { counts in
      guard counts.all < options.subscribers,
        counts.byClient[client, default: 0] < options.subscribersPerClient, options.places?.take() ?? true
      else { return false }
      counts.all += 1
      counts.byClient[client, default: 0] += 1
      return true
    }
  }

  /// Counts a subscriber out that was admitted and never opened.
  func release(_ client: UInt64) {
    options.places?.give()
    counts.withLock { counts in
      guard let count = counts.byClient[client] else {
        preconditionFailure("a place that is given back was admitted")
      }
      precondition(counts.all > 0, "a place that is given back was admitted")
      counts.all -= 1
      counts.byClient[client] = count > 1 ? count - 1 : nil
      precondition(
        (counts.all == 0) == counts.byClient.isEmpty, "the subscribers are those of all clients together")
    }
  }

  func didOpen(shard: Int) { subscribers?.add(1, shard: shard) }

  func didClose(_ client: UInt64, shard: Int) {
    release(client)
    subscribers?.add(-1, shard: shard)
  }

  func didSend(_ events: Int, shard: Int) { delivered?.add(events, shard: shard) }
  func didDrop(shard: Int) { dropped?.add(shard: shard) }
}
