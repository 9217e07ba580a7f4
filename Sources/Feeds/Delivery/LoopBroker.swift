import GatehouseStorage
import Synchronization

/// The subscribers of one event loop.
///
/// Messages of the event broker are delivered a part at a time, so that requests have their turn in between; what comes
/// meanwhile is put together, so that a subscriber gets it in one write.
///
/// @unchecked Sendable: Because everything but the inbox is touched on its loop only.
public final class LoopBroker: @unchecked Sendable {
  /// A message of the broker to the subscribers of a loop.
  enum Message: Sendable {
    /// From here on the subscriber gets what its group gets.
    case join(Subscriber, group: Int)
    case frames(EncodedEvents, events: Int, group: Int)
    /// Ends a group: in the schema as it is, its subscription has no meaning.
    case end(group: Int, EndReason)
    /// Has all subscribers read anew.
    case resync(LogPosition)
    /// From here on the subscriber, which has the results that the frames show, gets what becomes of them.
    case begin(Subscriber, group: Int, EncodedEvents, LogPosition)
    /// Ends a stream whose subscription has no meaning.
    case refuse(Subscriber, group: Int)
    case update(ResultsUpdate, group: Int)
  }

  private struct Inbox {
    var messages: [Message] = []
    /// Everything up to here is in the messages, or has been.
    var position = LogPosition(version: 0)
    /// The owners whose streams are to end.
    var revocations: [(owner: StreamLease.Owner, reason: EndReason)] = []
    var isScheduled = false
  }

  /// The subscribers that are served before others have their turn.
  private static let portion = 128

  public let broker: EventBroker
  private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
  let shard: Int
  private let inbox = Mutex(Inbox())
  private var groups: [Int: [Subscriber]] = [:]
  private var all: [ObjectIdentifier: Subscriber] = [:]
  /// The subscribers that depend on each owner.
  private var owned: [StreamLease.Owner: Set<ObjectIdentifier>] = [:]
  private var deliveries = DeliveryQueue<Subscriber>()
  let clock: @Sendable () -> UInt64

  /// `clock` gives the time in nanoseconds, `schedule` has to call what it is given on the loop, later. `shard` is the loop's part of the metrics.
  public init(
    _ broker: EventBroker, shard: Int, clock: @escaping @Sendable () -> UInt64,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.broker = broker
    self.shard = shard
    self.clock = clock
    self.schedule = schedule
  }

  /// Begins a stream, for a place that ``EventBroker/admit(_:)`` gave.
  public func open(
    _ subscription: Subscription, from start: StreamStart, into target: any DeliveryTarget, client: UInt64,
    lease: StreamLease = StreamLease()
  ) -> Subscriber {
    let subscriber = register(target, client: client, lease: lease)
    Task { await broker.serve(subscriber, subscription, from: start) }
    return subscriber
  }

  /// Begins a stream of which nothing is known yet but who watches.
  func register(_ target: any DeliveryTarget, client: UInt64, lease: StreamLease) -> Subscriber {
    let (options, now) = (broker.options, clock())
    let age = options.lifetime - UInt64.random(in: 0...options.lifetime / 10)
    let subscriber = Subscriber(
      target, loopBroker: self, client: client, silentUntil: now + options.heartbeat,
      lifetime: options.lifetime == 0 ? .max : now + age, lease: lease)
    all[ObjectIdentifier(subscriber)] = subscriber
    for owner in lease.owners { owned[owner, default: []].insert(ObjectIdentifier(subscriber)) }
    broker.admission.didOpen(shard: shard)
    target.push(EncodedEvents(Frame.opening(retry: options.retry)))
    return subscriber
  }

  /// Heartbeats, and streams that are old enough.
  public func tick() {
    let now = clock()
    let position = settledPosition()
    for subscriber in all.values {
      if let deadline = subscriber.lease.deadline, deadline.time <= now {
        subscriber.finish(deadline.reason)
      } else if subscriber.lifetime <= now {
        subscriber.finish(.lifetime)
      } else if subscriber.silentUntil <= now {
        subscriber.silentUntil = now + broker.options.heartbeat
        if let stream = subscriber.multiplex { stream.beat() } else { subscriber.beat(at: position) }
      }
    }
  }

  /// Ends the streams that depend on the owner, before they are sent anything more. From any thread.
  public func end(_ owner: StreamLease.Owner, _ reason: EndReason) {
    inbox.withLock { $0.revocations.append((owner, reason)) }
    schedule { self.endRevoked() }
  }

  /// Ends the streams whose rights were withdrawn. Called before anything is sent.
  func endRevoked() {
    let revocations = inbox.withLock { inbox in
      let revocations = inbox.revocations
      if !revocations.isEmpty { inbox.revocations = [] }
      return revocations
    }
    for (owner, reason) in revocations {
      for key in owned[owner] ?? [] { all[key]?.finish(reason) }
    }
  }

  /// Ends all streams.
  public func drain() {
    for subscriber in all.values { subscriber.finish(.shutdown) }
  }

  // From the event broker

  /// Takes messages, from any thread; with them everything up to `position`, where it is given, is told.
  func post(_ messages: [Message], through position: LogPosition? = nil) {
    let mustSchedule = inbox.withLock { inbox in
      inbox.messages += messages
      if let position {
        precondition(position >= inbox.position, "positions are told in the order of the log")
        inbox.position = position
      }
      if messages.isEmpty || inbox.isScheduled { return false }
      inbox.isScheduled = true
      return true
    }
    if mustSchedule { schedule { self.work() } }
  }

  /// Calls `body` on the loop.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    schedule(body)
  }

  // On the loop

  func remove(_ subscriber: Subscriber) {
    guard all.removeValue(forKey: ObjectIdentifier(subscriber)) != nil else { return }
    for owner in subscriber.lease.owners {
      owned[owner]?.remove(ObjectIdentifier(subscriber))
      if owned[owner]?.isEmpty == true { owned[owner] = nil }
    }
    broker.admission.didClose(subscriber.client, shard: shard)
    guard let (group, index) = subscriber.place, var members = groups.removeValue(forKey: group) else {
      return
    }
    precondition(members[index] === subscriber, "a subscriber knows its place")
    members.swapAt(index, members.count - 1)
    members[index].place?.index = index
    members.removeLast()
    if !members.isEmpty { groups[group] = members }
    subscriber.place = nil
    broker.leave(group)
  }

  /// Delivers a portion, and comes back for the rest.
  private func work() {
    endRevoked()
    takeMessages()
    deliver(atMost: LoopBroker.portion)
    let isDone = inbox.withLock { inbox in
      inbox.isScheduled = !deliveries.isEmpty || !inbox.messages.isEmpty
      return !inbox.isScheduled
    }
    if !isDone { schedule { self.work() } }
  }

  private func takeMessages() {
    var messages: [Message] = []
    inbox.withLock { swap(&messages, &$0.messages) }
    for message in messages {
      switch message {
      case .frames(let encoded, let events, let group):
        if let subscribers = groups[group] { deliveries.add(encoded, events: events, to: group, subscribers) }
      case .end:
        // They get everything that came before.
        deliver(atMost: .max)
        apply(message)
      case .join, .resync, .begin, .refuse, .update:
        deliveries.close()
        apply(message)
      }
    }
  }

  private func deliver(atMost limit: Int) {
    let silentUntil = clock() + broker.options.heartbeat
    var (portion, sent) = (limit, 0)
    while portion > 0, let (encoded, events, subscribers) = deliveries.take(atMost: portion) {
      portion -= subscribers.count
      sent += events * deliver(encoded, to: subscribers, silentUntil)
    }
    broker.admission.didSend(sent, shard: shard)
  }

  /// Returns how many got it.
  private func deliver(
    _ encoded: EncodedEvents, to subscribers: ArraySlice<Subscriber>, _ silentUntil: UInt64
  ) -> Int {
    var count = 0
    for subscriber in subscribers where !subscriber.isEnded {
      subscriber.silentUntil = silentUntil
      if subscriber.deliver(encoded, limit: broker.options.queueSize) {
        count += 1
      } else {
        broker.admission.didDrop(shard: shard)
        subscriber.drop()
      }
    }
    return count
  }

  private func apply(_ message: Message) {
    switch message {
    case .join(let subscriber, let group): join(subscriber, group)
    case .begin(let subscriber, let group, let encoded, let position):
      join(subscriber, group)
      subscriber.send(encoded)
      subscriber.release(at: position)
    case .refuse(let subscriber, let group):
      join(subscriber, group)
      subscriber.finish(.schema)
    case .update(let update, let group):
      let silentUntil = clock() + broker.options.heartbeat
      let subscribers = groups[group] ?? []
      for subscriber in subscribers {
        subscriber.silentUntil = silentUntil
        subscriber.deliver(update)
      }
      broker.admission.didSend(subscribers.count, shard: shard)
    case .end(let group, let reason):
      for subscriber in groups[group] ?? [] { subscriber.finish(reason) }
    case .resync(let position):
      // A client that had the position, and lost its connection before it was told, would never know what it has missed.
      let encoded = EncodedEvents(Frame.resync(position) + Frame.position(position))
      // Who has not joined yet is told from a later position on, and of what it missed before by what it joins with.
      deliveries.add(encoded, events: 1, to: groups.values.flatMap(\.self))
    case .frames: break
    }
  }

  private func join(_ subscriber: Subscriber, _ group: Int) {
    guard !subscriber.isEnded else { return broker.leave(group) }
    precondition(subscriber.place == nil, "a subscriber is in one group")
    subscriber.place = (group, groups[group, default: []].count)
    groups[group, default: []].append(subscriber)
  }

  /// Where everything has been handed to the subscribers; nil: something is on its way.
  private func settledPosition() -> LogPosition? {
    inbox.withLock { inbox in
      deliveries.isEmpty && inbox.messages.isEmpty ? inbox.position : nil
    }
  }
}
