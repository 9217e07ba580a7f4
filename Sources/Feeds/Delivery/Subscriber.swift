import Storage

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

  let branch: Branch
  /// Counts against the client's limit.
  let client: UInt64
  /// Where it is among those of its group, and which group that is; nil: in none.
  var place: (group: Int, index: Int)?
  private weak var outlet: (any Outlet)?
  private var stage = Stage.held
  private var queue: [Parcel] = []
  private var queued = 0
  /// What has become of results since the client took the last of it.
  private var update: ResultsUpdate?
  /// Who waits for room in a held stream.
  private var waiter: CheckedContinuation<Bool, Never>?
  /// When a heartbeat is due, and when the stream is old enough.
  var silentUntil: UInt64
  let lifetime: UInt64
  /// What it depends on beside that.
  let lease: StreamLease
  /// The last position that the client was told without an event.
  private var position: LogPosition?

  init(
    _ outlet: any Outlet, branch: Branch, client: UInt64, silentUntil: UInt64, lifetime: UInt64,
    lease: StreamLease
  ) {
    self.outlet = outlet
    self.branch = branch
    self.client = client
    self.silentUntil = silentUntil
    self.lifetime = lifetime
    self.lease = lease
  }

  var isEnded: Bool { stage == .ended }
  /// Whether everything that was handed to the loop has been sent.
  var isUpToDate: Bool { stage == .live && queue.isEmpty && update == nil }

  /// Sends events, or keeps them where the client or older events are behind; false when that is too much.
  func deliver(_ parcel: Parcel, limit: Int) -> Bool {
    guard stage != .ended, let outlet else { return true }
    if stage == .live, queue.isEmpty, !outlet.isBusy {
      outlet.push(parcel)
      return true
    }
    queued += parcel.bytes.count
    guard queued <= limit else { return false }
    queue.append(parcel)
    return true
  }

  /// Sends what has become of results; where the client is behind, it is told later, all at once.
  func deliver(_ update: ResultsUpdate) {
    guard stage == .live, let outlet else { return }
    self.update = self.update.map { $0.merged(with: update) } ?? update
    if !outlet.isBusy { sendUpdate() }
  }

  private func sendUpdate() {
    if let parcel = update?.parcel { outlet?.push(parcel) }
    update = nil
  }

  /// Sends what is older than live events.
  func send(_ parcel: Parcel) {
    if stage != .ended { outlet?.push(parcel) }
  }

  /// Calls back when there is room; false: the stream has ended.
  func wait(_ continuation: CheckedContinuation<Bool, Never>) {
    guard stage != .ended, let outlet else { return continuation.resume(returning: false) }
    guard outlet.isBusy else { return continuation.resume(returning: true) }
    waiter = continuation
  }

  /// Everything older has been sent.
  func release(at position: LogPosition) {
    guard stage == .held else { return }
    stage = .live
    send(Parcel(Frame.position(position) + Frame.ready(position)))
    self.position = position
    resume()
  }

  /// Tells that the stream is alive, and where it is.
  func beat(at position: LogPosition?) {
    guard let outlet, !outlet.isBusy else { return }
    if let position, position != self.position, isUpToDate {
      self.position = position
      outlet.push(Parcel(Frame.position(position) + Frame.heartbeat))
    } else {
      outlet.push(Parcel(Frame.heartbeat))
    }
  }

  /// The client has taken everything.
  public func resume() {
    if let waiter {
      self.waiter = nil
      return waiter.resume(returning: true)
    }
    guard stage == .live, let outlet else { return }
    while !queue.isEmpty, !outlet.isBusy { outlet.push(takeQueued()) }
    if update != nil, !outlet.isBusy { sendUpdate() }
  }

  /// The client is gone.
  public func end() {
    guard stage != .ended else { return }
    stage = .ended
    queue = []
    update = nil
    outlet = nil
    waiter?.resume(returning: false)
    waiter = nil
    branch.remove(self)
  }

  /// Ends the stream and says why. What waits is not sent: the client comes back for it, if it may.
  public func finish(_ reason: EndReason) {
    guard let outlet, stage != .ended else { return }
    end()
    outlet.finish(Frame.end(reason))
  }

  /// Ends the connection.
  func drop() {
    let outlet = outlet
    end()
    outlet?.abort()
  }

  /// So much of what waits as goes out in one write.
  private func takeQueued() -> Parcel {
    var piece = queue[0]
    var count = 1
    while count < queue.count, piece.bytes.count < 65_536 {
      piece += queue[count]
      count += 1
    }
    queue.removeFirst(count)
    queued -= piece.bytes.count
    return piece
  }
}
