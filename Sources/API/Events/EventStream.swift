import GatehouseFeeds
import GatehouseHTTP

/// The answer to somebody who watches: between a connection, which takes bytes, and a subscriber, which has them.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its connection only.
final class EventStream: PushSource, DeliveryTarget, @unchecked Sendable {
  private let loopBroker: LoopBroker
  private let client: UInt64
  /// The subscription that is to be opened; nil once it is.
  private var request: (subscription: Subscription, start: StreamStart)?
  /// Tells what the stream depends on; asked when it is opened, since until then nobody can end it.
  private let validity: @Sendable () -> SessionValidity
  private var sink: (any PushSink)?
  private var subscriber: Subscriber?
  /// Records events before the client gets them; nil: nothing is recorded.
  private let recorder: ReadRecorder?

  /// Makes a stream for a client who has been admitted; `validity` is asked on the loop.
  init(
    _ subscription: Subscription, from start: StreamStart, on loopBroker: LoopBroker, client: UInt64,
    validity: @escaping @Sendable () -> SessionValidity, recorder: ReadRecorder? = nil
  ) {
    self.validity = validity
    self.recorder = recorder
    request = (subscription, start)
    self.loopBroker = loopBroker
    self.client = client
  }

  deinit {
    // The client left before it had its answer, or asked for the head only.
    if request != nil { loopBroker.broker.release(client) }
  }

  func start(_ sink: any PushSink) {
    guard let request else { return }
    self.request = nil
    self.sink = sink
    let validity = validity()
    subscriber = loopBroker.open(
      request.subscription, from: request.start, into: self, client: client, lease: validity.lease)
    if let reason = validity.end { subscriber?.finish(reason) }
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
