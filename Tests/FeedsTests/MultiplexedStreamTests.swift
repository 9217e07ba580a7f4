import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseFeeds

/// Streams with many subscriptions, told by their loop; `Tests/APITests` has them with the whole gateway.
@Suite struct MultiplexedStreamTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  @Test func `a stream that ends at the last frame of a subscription gives each place back once`()
    async throws
  {
    let store = try await FeedStore(Self.schema)
    var options = FeedOptions()
    options.queueSize = 1_000
    options.subscribersPerClient = 2
    let broker = EventBroker(store.store, options: options)
    let (loop, target) = (QueueLoop(), TestTarget())
    let multiplex = MultiplexLoop(on: loop.broker(broker))
    // The stream's place, and that of its subscription.
    #expect(broker.admit(1) && broker.admit(1) && !broker.admit(1))
    let request = SubscriptionRequest(
      name: "a", Subscription(.objectType("Note")), from: .fresh, client: 1)
    _ = await loop.run {
      multiplex.open(
        [request], into: target,
        by: StreamOwner("p", streamID: "s", client: 1, lease: StreamLease(), recordsReads: false))
    }
    await target.wait(for: "version")
    target.setBusy(true)
    // With the frame of the end there is a piece of 64 KiB to send, which the client does not take.
    let events = EncodedEvents([UInt8](repeating: UInt8(ascii: "x"), count: 65_500))
    await loop.run {
      multiplex.post([.frames(events, events: 1, group: 1), .end(group: 1, .schema)])
    }
    await target.waitForEnd()
    #expect(target.end == .aborted)
    await loop.run {}
    #expect(broker.admit(1) && broker.admit(1) && !broker.admit(1))
  }

  @Test func `a stream that ends while a subscription becomes live tells nothing more of it`() async throws {
    let store = try await FeedStore(Self.schema)
    var options = FeedOptions()
    options.queueSize = 1_000
    options.subscribersPerClient = 3
    let broker = EventBroker(store.store, options: options)
    let (loop, target) = (QueueLoop(), TestTarget())
    let multiplex = MultiplexLoop(on: loop.broker(broker))
    for _ in 0..<3 { #expect(broker.admit(1)) }
    let requests = ["a", "b"].map {
      SubscriptionRequest(name: $0, Subscription(.objectType("Note")), from: .fresh, client: 1)
    }
    target.setBusy(true)
    await loop.run {
      let subscriber = multiplex.open(
        requests, into: target,
        by: StreamOwner("p", streamID: "s", client: 1, lease: StreamLease(), recordsReads: false))
      guard let stream = subscriber.multiplex, let a = stream.members["a"], let b = stream.members["b"] else {
        Issue.record("no stream")
        return
      }
      func deliver(_ size: Int, to member: StreamMember) {
        let events = EncodedEvents([UInt8](repeating: UInt8(ascii: "x"), count: size))
        stream.deliver(events, UnnamedFrames(events.bytes), events: 1, to: member)
      }
      let position = LogPosition(version: 1)
      stream.release(a, at: position, first: EncodedEvents())
      deliver(500, to: b)
      deliver(65_300, to: a)
      #expect(target.end == nil)
      // With this there is a piece of 64 KiB to send, which the client does not take.
      stream.release(b, at: position, first: EncodedEvents([UInt8](repeating: UInt8(ascii: "x"), count: 300)))
    }
    #expect(target.end == .aborted)
    await loop.run {}
    for _ in 0..<3 { #expect(broker.admit(1)) }
  }
}
