import GatehouseStorage

/// One stream with many subscriptions, whose events it puts together commit by commit.
///
/// A `version` frame says that everything of all subscriptions up to a commit has been told, and nothing beyond. As long as
/// a subscription catches up there is none.
///
/// @unchecked Sendable: Because everything of it that changes is touched on its loop only.
public final class MultiplexedStream: @unchecked Sendable {
  /// The name by which its client changes it; nobody can guess it.
  public let id: String
  /// The principal that opened it.
  let owner: String
  public let loop: MultiplexLoop
  /// The queue of frames for the client; nil: the stream has ended.
  private var subscriber: Subscriber?
  private(set) var members: [String: StreamMember] = [:]
  /// The members that catch up, and the bytes of live events that wait for that.
  private var held = 0
  private var heldBytes = 0
  /// Frames that have not been handed on, and how many events are in them.
  private var pending = EncodedEvents()
  private var events = 0
  /// Whether reads are recorded before the client gets them.
  public let recordsReads: Bool

  /// The bytes of frames that are put together before they are handed on.
  private static let pieceSize = 64 << 10

  init(id: String, owner: String, recordsReads: Bool, on loop: MultiplexLoop, _ subscriber: Subscriber) {
    self.id = id
    self.owner = owner
    self.recordsReads = recordsReads
    self.loop = loop
    self.subscriber = subscriber
  }

  var isEnded: Bool { subscriber == nil }

  // Subscriptions

  /// Adds subscriptions: all of them, or none. They have been admitted; where this throws, they still are. Called on the
  /// loop.
  public func add(_ requests: [SubscriptionRequest]) throws(MultiplexError) {
    guard !isEnded else { throw .unknownStream }
    if let taken = requests.first(where: { members[$0.name] != nil }) { throw .nameTaken(taken.name) }
    guard members.count + requests.count <= loop.options.subscriptionsPerStream else {
      throw .tooManySubscriptions
    }
    let added = requests.map(StreamMember.init)
    for member in added { members[member.request.name] = member }
    held += added.count
    loop.serve(added, of: self)
  }

  /// Takes a subscription out. Called on the loop.
  public func remove(_ name: String) throws(MultiplexError) {
    guard !isEnded else { throw .unknownStream }
    guard let member = members[name] else { throw .unknownSubscription }
    end(member, .unsubscribed)
  }

  /// Ends one subscription, and says why.
  func end(_ member: StreamMember, _ reason: EndReason) {
    guard members[member.request.name] === member else { return }
    let wasHeld = member.isHeld
    heldBytes -= member.heldBytes
    append(EncodedEvents(Frame.end(reason)), of: member, events: 0)
    drop(member)
    if wasHeld { held -= 1 }
    checkHeld()
    flush()
    loop.didTouch(self)
  }

  private func drop(_ member: StreamMember) {
    // With the stream, which the last frame may have ended, its members have.
    if member.isEnded { return }
    member.end()
    members[member.request.name] = nil
    loop.remove(member)
  }

  // Events

  /// Tells what was found for a member, or keeps it as long as older events come first.
  func deliver(_ encoded: EncodedEvents, _ frames: UnnamedFrames, events: Int, to member: StreamMember) {
    guard member.hold(encoded) else {
      append(encoded, frames, of: member, events: events)
      return
    }
    heldBytes += encoded.bytes.count
    if heldBytes > loop.options.queueSize { abort() }
  }

  /// Tells a member what is older than live events.
  func send(_ encoded: EncodedEvents, to member: StreamMember) {
    guard !member.isEnded else { return }
    append(encoded, of: member, events: 0)
    flush()
  }

  /// Everything up to a position has been told to a member, but for `first`; from here on it is live.
  func release(_ member: StreamMember, at position: LogPosition, first: EncodedEvents) {
    guard member.isHeld else { return }
    append(first, of: member, events: 0)
    append(EncodedEvents(Frame.ready(position)), of: member, events: 0)
    // The client may be too slow for these, which ends the stream: then nothing is to be told any more.
    guard member.isHeld else { return }
    for encoded in member.release() {
      heldBytes -= encoded.bytes.count
      append(encoded, of: member, events: 1)
    }
    held -= 1
    checkHeld()
    loop.didTouch(self)
  }

  private func checkHeld() {
    precondition(held >= 0 && heldBytes >= 0, "what is told was held")
    precondition(held > 0 || heldBytes == 0, "nothing is held where nobody catches up")
    precondition(isEnded || held <= members.count, "who catches up is a member")
  }

  /// Ends what belongs to a commit; false: a member catches up.
  func close(_ version: Int64) -> Bool {
    if held == 0 { pending.bytes += Frame.version(version) }
    flush()
    return held == 0
  }

  /// Calls back when there is room; false: the stream or the member has ended.
  func wait(for member: StreamMember, _ continuation: CheckedContinuation<Bool, Never>) {
    guard !member.isEnded, let subscriber else { return continuation.resume(returning: false) }
    subscriber.wait(continuation)
  }

  /// Tells that the stream is alive, and of which version what it has told is.
  func beat() {
    guard let subscriber else { return }
    guard held == 0, pending.bytes.isEmpty, subscriber.isUpToDate, let version = loop.settledVersion else {
      return subscriber.beat(at: nil)
    }
    _ = subscriber.deliver(EncodedEvents(Frame.heartbeat(version: version)), limit: .max)
  }

  private func append(_ encoded: EncodedEvents, of member: StreamMember, events: Int) {
    if !encoded.bytes.isEmpty { append(encoded, UnnamedFrames(encoded.bytes), of: member, events: events) }
  }

  private func append(
    _ encoded: EncodedEvents, _ frames: UnnamedFrames, of member: StreamMember, events: Int
  ) {
    member.append(frames, to: &pending.bytes)
    pending.shown += encoded.shown
    self.events += events
    if pending.bytes.count >= MultiplexedStream.pieceSize { flush() }
  }

  private func flush() {
    guard let subscriber, !pending.bytes.isEmpty else { return }
    let piece = pending
    pending = EncodedEvents()
    if !loop.deliver(piece, events: events, to: subscriber) { abort() }
    events = 0
  }

  // The end

  /// The client does not take what waits for it.
  private func abort() {
    guard let subscriber else { return }
    loop.didDrop()
    subscriber.drop()
  }

  /// The stream is over: nothing of it is told any more.
  func didEnd() {
    subscriber = nil
    pending = EncodedEvents()
    for member in members.values { drop(member) }
    loop.didEnd(self)
  }
}
