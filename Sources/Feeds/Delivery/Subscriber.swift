import GatehouseStorage

/// One stream: what waits for its client, and when it is due. Touched on its event loop only.
///
///     held ──everything up to now has been sent──▶ live ──client leaves, too slow, too old──▶ ended
///
/// @unchecked Sendable: Because everything of it is touched on its loop only.
public final class Subscriber: @unchecked Sendable {
  private enum Stage {
    /// Live events wait: older ones come first.
    case held
    case live
    case ended
  }

  let loopBroker: LoopBroker
  /// Counts against the client's limit.
  let client: UInt64
  /// Where it is among those of its group, and which group that is; nil: in none.
  var place: (group: Int, index: Int)?
  private weak var target: (any DeliveryTarget)?
  private var stage = Stage.held
  private var queue: [EncodedEvents] = []
  private var queued = 0
  /// The change of results since the client took the last one.
  private var update: ResultsUpdate?
  /// The tasks that wait for room, to send what is older than live events.
  private var waiters: [CheckedContinuation<Bool, Never>] = []
  /// The subscriptions of a multiplexed stream; nil: it has but one, or is ended.
  var multiplex: MultiplexedStream?
  /// When a heartbeat is due, and when the stream is old enough.
  var silentUntil: UInt64
  let lifetime: UInt64
  /// The owners and the deadline that the stream ends with.
  let lease: StreamLease
  /// The last position that the client was told without an event.
  private var position: LogPosition?

  init(
    _ target: any DeliveryTarget, loopBroker: LoopBroker, client: UInt64, silentUntil: UInt64,
    lifetime: UInt64,
    lease: StreamLease
  ) {
    self.target = target
    self.loopBroker = loopBroker
    self.client = client
    self.silentUntil = silentUntil
    self.lifetime = lifetime
    self.lease = lease
  }

  var isEnded: Bool { stage == .ended }
  /// Whether everything that was handed to the loop has been sent.
  var isUpToDate: Bool { stage == .live && queue.isEmpty && update == nil }

  /// Sends events, or keeps them where the client or older events are behind; false when that is too much.
  func deliver(_ encoded: EncodedEvents, limit: Int) -> Bool {
    guard stage != .ended, let target else { return true }
    if stage == .live, queue.isEmpty, !target.isBusy {
      target.push(encoded)
      return true
    }
    queued += encoded.bytes.count
    guard queued <= limit else { return false }
    queue.append(encoded)
    return true
  }

  /// Sends what has become of results; where the client is behind, it is told later, all at once.
  func deliver(_ update: ResultsUpdate) {
    guard stage == .live, let target else { return }
    self.update = self.update.map { $0.merged(with: update) } ?? update
    if !target.isBusy { sendUpdate() }
  }

  private func sendUpdate() {
    if let encoded = update?.encoded { target?.push(encoded) }
    update = nil
  }

  /// Sends what is older than live events.
  func send(_ encoded: EncodedEvents) {
    if stage != .ended { target?.push(encoded) }
  }

  /// Calls back when there is room; false: the stream has ended.
  func wait(_ continuation: CheckedContinuation<Bool, Never>) {
    guard stage != .ended, let target else { return continuation.resume(returning: false) }
    guard target.isBusy else { return continuation.resume(returning: true) }
    waiters.append(continuation)
  }

  /// Everything older has been sent.
  func release(at position: LogPosition) {
    guard stage == .held else { return }
    stage = .live
    send(EncodedEvents(Frame.position(position) + Frame.ready(position)))
    self.position = position
    resume()
  }

  /// Nothing is older than what is delivered.
  func release() {
    guard stage == .held else { return }
    precondition(queue.isEmpty, "nothing waits where nothing is older")
    stage = .live
  }

  /// Tells that the stream is alive, and where it is.
  func beat(at position: LogPosition?) {
    guard let target, !target.isBusy else { return }
    if let position, self.position.map({ $0 < position }) ?? true, isUpToDate {
      self.position = position
      target.push(EncodedEvents(Frame.position(position) + Frame.heartbeat))
    } else {
      target.push(EncodedEvents(Frame.heartbeat))
    }
  }

  /// The client has taken everything.
  public func resume() {
    guard stage != .ended, let target else { return }
    if stage == .live {
      while !queue.isEmpty, !target.isBusy { target.push(takeQueued()) }
      if update != nil, !target.isBusy { sendUpdate() }
    }
    if stage == .held || !target.isBusy { resumeWaiters(true) }
  }

  private func resumeWaiters(_ isThere: Bool) {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: isThere) }
  }

  /// The client is gone.
  public func end() {
    guard stage != .ended else { return }
    stage = .ended
    queue = []
    update = nil
    target = nil
    resumeWaiters(false)
    loopBroker.remove(self)
    let multiplex = multiplex
    self.multiplex = nil
    multiplex?.didEnd()
  }

  /// Ends the stream and says why. What waits is not sent: the client comes back for it, if it may.
  public func finish(_ reason: EndReason) {
    guard let target, stage != .ended else { return }
    end()
    target.finish(Frame.end(reason))
  }

  /// Ends the connection.
  func drop() {
    let target = target
    end()
    target?.abort()
  }

  /// So much of what waits as goes out in one write.
  private func takeQueued() -> EncodedEvents {
    var piece = queue[0]
    var count = 1
    while count < queue.count, piece.bytes.count < 65_536 {
      piece += queue[count]
      count += 1
    }
    queue.removeFirst(count)
    queued -= piece.bytes.count
    precondition(queued >= 0 && (!queue.isEmpty || queued == 0), "what waits is what is counted")
    return piece
  }
}
