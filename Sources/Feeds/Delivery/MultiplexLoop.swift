import GatehouseStorage
import Synchronization

/// The multiplexed streams of one event loop.
///
/// Messages of the broker are taken in their order, a part at a time, so that requests have their turn in between:
///
///     begin, frames, frames … close(12) │ frames … close(13)
///                                       └ every stream that was touched is told: version 12
///
/// @unchecked Sendable: Because everything but the inbox is touched on its loop only.
public final class MultiplexLoop: @unchecked Sendable {
  /// A message of the broker to the streams of a loop.
  enum Message: Sendable {
    /// From here on the member gets what its group gets. It is shown `all` before anything else, where it is new.
    case begin(StreamMember, of: MultiplexedStream, group: Int, LogPosition, all: EncodedEvents)
    /// From here on the member, which has been told everything up to a position but for `first`, is live.
    case release(StreamMember, of: MultiplexedStream, LogPosition, first: EncodedEvents)
    /// Ends a member whose subscription has no meaning, or cannot be read.
    case refuse(StreamMember, of: MultiplexedStream, EndReason)
    case frames(EncodedEvents, events: Int, group: Int)
    case end(group: Int, EndReason)
    /// Has all subscriptions read anew.
    case resync(LogPosition)
    /// Everything up to that commit is in the messages that came before.
    case close(version: Int64)
  }

  private struct Inbox {
    var messages: [Message] = []
    /// Everything up to here is in the messages, or has been; nil: it is not known where that is.
    var version: Int64?
    var isScheduled = false
  }

  private struct Member {
    let member: StreamMember
    let stream: MultiplexedStream
  }

  /// The streams that are served before others have their turn.
  private static let portion = 128

  public let loopBroker: LoopBroker
  private let broker: MultiplexBroker
  private let inbox = Mutex(Inbox())
  /// Messages that were taken from the inbox, the next one last.
  private var messages: [Message] = []
  private var groups: [Int: [ObjectIdentifier: Member]] = [:]
  /// The streams that were told something since their last version.
  private var touched: [ObjectIdentifier: MultiplexedStream] = [:]
  /// The streams that are still to be told of a version.
  private var closing: (version: Int64, streams: [MultiplexedStream]) = (0, [])
  /// Whether there are events of commits whose end has not come.
  private var isOpen = false

  public init(on loopBroker: LoopBroker) {
    self.loopBroker = loopBroker
    broker = loopBroker.broker.multiplexes
  }

  var options: FeedOptions { loopBroker.broker.options }

  /// Begins a stream, for a place that ``EventBroker/admit(_:)`` gave, and for each subscription another one.
  public func open(
    _ requests: [SubscriptionRequest], into target: any DeliveryTarget, by owner: StreamOwner
  ) -> Subscriber {
    let subscriber = loopBroker.register(target, client: owner.client, lease: owner.lease)
    subscriber.release()
    let stream = MultiplexedStream(
      id: owner.streamID, owner: owner.principal, recordsReads: owner.recordsReads, on: self, subscriber)
    subscriber.multiplex = stream
    broker.register(stream)
    target.push(EncodedEvents(Frame.stream(stream.id)))
    // The names differ, and nothing is there yet: only too many are refused.
    do throws(MultiplexError) { try stream.add(requests) } catch {
      for request in requests { loopBroker.broker.release(request.client) }
      subscriber.finish(.unsubscribed)
    }
    return subscriber
  }

  /// Calls `body` on the loop.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    loopBroker.perform(body)
  }

  // For streams

  func serve(_ members: [StreamMember], of stream: MultiplexedStream) {
    Task { [broker] in await broker.serve(members, of: stream) }
  }

  /// A stream was told something that is to be followed by a version.
  func didTouch(_ stream: MultiplexedStream) {
    if !closing.streams.isEmpty {
      // Nothing of a later commit has been taken as long as streams are told of a version.
      if !closing.streams.contains(where: { $0 === stream }) { closing.streams.append(stream) }
    } else if let version = settledVersion {
      if !stream.close(version) { touch(stream) }
    } else {
      touch(stream)
    }
  }

  func deliver(_ encoded: EncodedEvents, events: Int, to subscriber: Subscriber) -> Bool {
    subscriber.silentUntil = loopBroker.clock() + options.heartbeat
    loopBroker.broker.admission.didSend(events, shard: loopBroker.shard)
    return subscriber.deliver(encoded, limit: options.queueSize)
  }

  func didDrop() {
    loopBroker.broker.admission.didDrop(shard: loopBroker.shard)
  }

  /// A member is gone.
  func remove(_ member: StreamMember) {
    loopBroker.broker.release(member.request.client)
    guard let group = member.group else { return }
    guard groups[group]?.removeValue(forKey: ObjectIdentifier(member)) != nil else {
      preconditionFailure("who leaves a group is in it")
    }
    if groups[group]?.isEmpty == true { groups[group] = nil }
    broker.leave(group)
  }

  func didEnd(_ stream: MultiplexedStream) {
    touched[ObjectIdentifier(stream)] = nil
    closing.streams.removeAll { $0 === stream }
    broker.forget(stream)
  }

  /// The version of everything that has been told; nil: something is on its way.
  var settledVersion: Int64? {
    guard !isOpen, messages.isEmpty, closing.streams.isEmpty else { return nil }
    return inbox.withLock { $0.messages.isEmpty ? $0.version : nil }
  }

  // From the broker

  /// Takes messages of commits that are not closed, from any thread.
  func post(_ messages: [Message]) {
    post(messages, through: nil)
  }

  /// Everything up to that commit has been posted; from any thread. Streams that are told nothing of it cost nothing.
  func close(_ version: Int64) {
    let isOpen = inbox.withLock { inbox in
      precondition((inbox.version ?? 0) <= version, "versions are closed in their order")
      defer { inbox.version = version }
      return inbox.version == nil
    }
    if isOpen { post([.close(version: version)], through: version) }
  }

  private func post(_ messages: [Message], through version: Int64?) {
    let mustSchedule = inbox.withLock { inbox in
      inbox.messages += messages
      inbox.version = version
      if messages.isEmpty || inbox.isScheduled { return false }
      inbox.isScheduled = true
      return true
    }
    if mustSchedule { perform { self.work() } }
  }

  /// Serves some streams, and comes back for the rest.
  private func work() {
    loopBroker.endRevoked()
    var portion = MultiplexLoop.portion
    while portion > 0 {
      if let stream = closing.streams.popLast() {
        portion -= 1
        if !stream.close(closing.version) { touch(stream) }
      } else if let message = nextMessage() {
        portion -= apply(message)
      } else {
        break
      }
    }
    let isDone = inbox.withLock { inbox in
      inbox.isScheduled = !messages.isEmpty || !closing.streams.isEmpty || !inbox.messages.isEmpty
      return !inbox.isScheduled
    }
    if !isDone { perform { self.work() } }
  }

  private func nextMessage() -> Message? {
    if messages.isEmpty {
      inbox.withLock { swap(&messages, &$0.messages) }
      messages.reverse()
    }
    return messages.popLast()
  }

  /// Returns how many streams it was for.
  private func apply(_ message: Message) -> Int {
    precondition(
      closing.streams.isEmpty, "nothing of a later commit is taken while streams are told of a version")
    isOpen = true
    switch message {
    case .begin(let member, let stream, let group, let position, let all):
      begin(Member(member: member, stream: stream), group, at: position, all: all)
    case .release(let member, let stream, let position, let first):
      stream.release(member, at: position, first: first)
    case .refuse(let member, let stream, let reason): stream.end(member, reason)
    case .frames(let encoded, let events, let group):
      guard let members = groups[group] else { return 0 }
      let frames = UnnamedFrames(encoded.bytes)
      for one in members.values {
        one.stream.deliver(encoded, frames, events: events, to: one.member)
        touch(one.stream)
      }
      return members.count
    case .end(let group, let reason):
      for one in (groups[group] ?? [:]).values { one.stream.end(one.member, reason) }
    case .resync(let position):
      let encoded = EncodedEvents(Frame.resync(position))
      let frames = UnnamedFrames(encoded.bytes)
      for one in groups.values.flatMap(\.values) where one.member.request.subscription.results == nil {
        one.stream.deliver(encoded, frames, events: 0, to: one.member)
        touch(one.stream)
      }
    case .close(let version):
      precondition(closing.version <= version, "versions are closed in their order")
      isOpen = false
      closing = (version, Array(touched.values))
      touched = [:]
    }
    return 1
  }

  private func touch(_ stream: MultiplexedStream) {
    if !stream.isEnded { touched[ObjectIdentifier(stream)] = stream }
  }

  private func begin(_ one: Member, _ group: Int, at position: LogPosition, all: EncodedEvents) {
    guard !one.member.isEnded else { return broker.leave(group) }
    precondition(one.member.group == nil && one.member.isHeld, "a member joins once, and waits then")
    one.member.group = group
    groups[group, default: [:]][ObjectIdentifier(one.member)] = one
    if !one.member.request.start.isPast { one.stream.release(one.member, at: position, first: all) }
  }
}

/// Who opens a multiplexed stream.
public struct StreamOwner: Sendable {
  /// The principal that may change it.
  let principal: String
  /// The stream's name, which nobody can guess.
  let streamID: String
  let client: UInt64
  let lease: StreamLease
  /// Whether what it shows is recorded before the client gets it.
  let recordsReads: Bool

  public init(
    _ principal: String, streamID: String, client: UInt64, lease: StreamLease, recordsReads: Bool
  ) {
    self.principal = principal
    self.streamID = streamID
    self.client = client
    self.lease = lease
    self.recordsReads = recordsReads
  }
}
