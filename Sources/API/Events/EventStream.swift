import GatehouseFeeds
import GatehouseHTTP

/// The answer to somebody who watches: between a connection, which takes bytes, and a subscriber, which has them.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its connection only.
final class EventStream: PushSource, DeliveryTarget, @unchecked Sendable {
  /// The subscriptions of a stream that has been granted.
  enum Opening {
    case one(Subscription, from: StreamStart, on: LoopBroker)
    /// Many, by the principal whose stream it is, and the stream's name.
    case many([SubscriptionRequest], id: String, owner: String, on: MultiplexLoop)

    /// The event loop's streams.
    var loopBroker: LoopBroker {
      switch self {
      case .one(_, _, let loopBroker): loopBroker
      case .many(_, _, _, let loop): loop.loopBroker
      }
    }
  }

  /// Nil once it is opened, or taken.
  private var opening: Opening?
  private let loopBroker: LoopBroker
  private let client: UInt64
  /// Tells what the stream depends on; asked when it is opened, since until then nobody can end it.
  private let validity: @Sendable () -> SessionValidity
  private var sink: (any PushSink)?
  private var subscriber: Subscriber?
  /// Records events before the client gets them; nil: nothing is recorded.
  private let recorder: ReadRecorder?

  /// Makes a stream for a client who has been admitted; `validity` is asked on the loop.
  init(
    _ opening: Opening, client: UInt64, validity: @escaping @Sendable () -> SessionValidity,
    recorder: ReadRecorder? = nil
  ) {
    self.validity = validity
    self.recorder = recorder
    self.opening = opening
    loopBroker = opening.loopBroker
    self.client = client
  }

  deinit {
    // The client left before it had its answer, or asked for the head only.
    guard let opening else { return }
    loopBroker.broker.release(client)
    if case .many(let requests, _, _, _) = opening {
      for request in requests { loopBroker.broker.release(request.client) }
    }
  }

  /// Takes the one subscription of a stream that is not to be opened, with the place that was made for it.
  func take(named name: String) -> SubscriptionRequest? {
    guard case .one(let subscription, let start, _)? = opening else { return nil }
    opening = nil
    return SubscriptionRequest(name: name, subscription, from: start, client: client)
  }

  func start(_ sink: any PushSink) {
    guard let opening else { return }
    precondition(self.sink == nil && subscriber == nil, "a stream of client \(client) is opened once")
    self.opening = nil
    self.sink = sink
    let validity = validity()
    let subscriber =
      switch opening {
      case .one(let subscription, let start, let loopBroker):
        loopBroker.open(subscription, from: start, into: self, client: client, lease: validity.lease)
      case .many(let requests, let id, let owner, let loop):
        loop.open(
          requests, into: self,
          by: StreamOwner(
            owner, streamID: id, client: client, lease: validity.lease, recordsReads: recorder != nil))
      }
    self.subscriber = subscriber
    if let reason = validity.end { subscriber.finish(reason) }
  }

  func resume() { subscriber?.resume() }

  func end() {
    sink = nil
    subscriber?.end()
    subscriber = nil
  }

  var isBusy: Bool { recorder?.isBusy == true || (sink?.isBusy ?? true) }

  func push(_ encoded: EncodedEvents) {
    guard let recorder else { return send(encoded.bytes) }
    recorder.see(encoded, in: self)
  }

  /// Sends what has been recorded, or need not be.
  func send(_ bytes: [UInt8]) { sink?.push(bytes) }

  /// Resumes the subscriber, if the connection has room.
  func proceed() {
    if sink?.isBusy == false { subscriber?.resume() }
  }

  func finish(_ frame: [UInt8]) {
    subscriber = nil
    sink?.push(frame)
    sink?.complete()
    sink = nil
  }

  func abort() { sink?.abort() }
}

extension Response {
  /// The answer that is an event stream.
  init(_ stream: any PushSource) {
    self.init(status: .ok, body: .pushed(stream))
    fields.append("content-type", MediaType.eventStream.name)
    fields.append("cache-control", "no-store")
    // nginx would keep events until it has a buffer full of them.
    fields.append("x-accel-buffering", "no")
    fields.append("vary", "accept")
  }
}
