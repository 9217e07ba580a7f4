import GatehouseModel
public import GatehouseStorage
public import GatehouseTelemetry
import Synchronization

/// Tells everybody what every commit means to them: one evaluation per commit and filter, one encoding per shape.
public actor EventBroker {
  /// A group, and the loops on which it has subscribers.
  private struct Members {
    let group: SubscriberGroup
    var loopBrokers: [ObjectIdentifier: LoopBroker] = [:]
    var count = 0
  }

  public nonisolated let options: FeedOptions
  nonisolated let admission: SubscriberAdmission
  private nonisolated let store: Store
  private nonisolated let replays: Replays
  private nonisolated let results: ResultSets
  /// Whether a round is to come.
  private nonisolated let isSignalled = Atomic(false)
  /// Whether anybody watches.
  private nonisolated let isAwake = Atomic(false)
  /// The version up to which everybody was told.
  private nonisolated let published = Atomic<Int64>(0)

  private let reader: Reader
  /// Until when the next round waits; nil: it does not.
  private var rest: ContinuousClock.Instant?
  private var producer: EventProducer?
  private var members: [Int: Members] = [:]
  private var numbers: [Subscription: Int] = [:]
  private var lastNumber = 0

  /// The changes that are told before others have their turn.
  private static let portion = 256

  public init(_ store: Store, options: FeedOptions = FeedOptions(), metrics: Registry? = nil)
    throws(StorageError)
  {
    self.store = store
    self.options = options
    admission = SubscriberAdmission(options, metrics)
    reader = try store.makeReader()
    replays = Replays(store, options, metrics: metrics)
    results = try ResultSets(store)
    store.observeCommits { [weak self] in self?.didCommit() }
    metrics?.read("gatehouse_feed_lag_commits", help: "Commits that subscribers have not been told of yet.") {
      [weak self] in
      guard let self, isAwake.load(ordering: .relaxed) else { return 0 }
      return Double(max(0, store.version - published.load(ordering: .relaxed)))
    }
  }

  /// Makes a place for a subscriber; false: there are enough of them.
  public nonisolated func admit(_ client: UInt64) -> Bool { admission.admit(client) }

  /// Gives a place back for which no stream was opened.
  public nonisolated func release(_ client: UInt64) { admission.release(client) }

  // Commits

  /// Makes a note, on the writer's queue.
  private nonisolated func didCommit() {
    guard isAwake.load(ordering: .relaxed), !isSignalled.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    Task { await round() }
  }

  /// Under load a round waits for more commits: each costs a look at the file and wakes the loops, however much there
  /// is to tell. A commit that comes alone is told at once.
  private func round() async {
    if let rest { try? await Task.sleep(until: rest, clock: .continuous) }
    isSignalled.store(false, ordering: .releasing)
    let before = producer?.reached.version
    // Others have their turn in between, such as who joins.
    while publishPortion() { await Task.yield() }
    let isBusy = (producer?.reached.version ?? 0) - (before ?? .max) > 1
    rest = isBusy ? .now + .nanoseconds(options.pause) : nil
  }

  /// Hands everything that has been committed by now to the loops.
  public func publishCommits() {
    while publishPortion() {}
  }

  /// Hands some of what has been committed to the loops; false: that was all.
  ///
  /// Each portion is of a snapshot of its own: however much there is to tell, none stays open for long.
  private func publishPortion() -> Bool {
    guard let producer else { return false }
    defer { published.store(self.producer?.reached.version ?? 0, ordering: .relaxed) }
    do throws(StorageError) {
      return try reader.snapshot { (snapshot) throws(StorageError) in
        if snapshot.schema != producer.schema { rebind(producer, snapshot.schema) }
        try producer.look(snapshot)
        let hasMore = try producer.advance(snapshot, limit: EventBroker.portion)
        post(producer, through: producer.reached)
        return hasMore
      }
    } catch {
      recover(from: error)
      return false
    }
  }

  /// Hands what was told to the loops; with it everything up to `position`, where it is given, is told.
  private func post(_ producer: EventProducer, through position: LogPosition?) {
    var messages: [ObjectIdentifier: [LoopBroker.Message]] = [:]
    for group in producer.takeChangedGroups() {
      guard group.subscription.results == nil else {
        results.note(group.number, group.isTouchedAnywhere ? nil : group.touched)
        group.touched = []
        group.isTouchedAnywhere = false
        group.encoded = EncodedEvents()
        continue
      }
      let message = LoopBroker.Message.frames(group.encoded, events: group.events, group: group.number)
      group.encoded = EncodedEvents()
      group.events = 0
      for loopBroker in members[group.number]?.loopBrokers.keys ?? [:].keys {
        messages[loopBroker, default: []].append(message)
      }
    }
    for loopBroker in loopBrokers.values {
      loopBroker.post(messages[ObjectIdentifier(loopBroker)] ?? [], through: position)
    }
  }

  /// Begins to watch behind a position.
  private func makeProducer(from position: LogPosition) -> EventProducer {
    let producer = EventProducer(
      from: EventPosition(position), schema: store.schema, limit: options.distantObjects)
    producer.didFill = { [unowned self] in
      if let producer = self.producer { post(producer, through: nil) }
    }
    return producer
  }

  /// The loops that have subscribers.
  private var loopBrokers: [ObjectIdentifier: LoopBroker] = [:]

  /// The iterator lost its way: everybody is told so, and it goes on from now.
  private func recover(from error: StorageError) {
    guard let version = try? reader.snapshot({ $0.version }) else { return }
    restart(at: LogPosition(version: version))
    for loopBroker in loopBrokers.values {
      loopBroker.post([.resync(LogPosition(version: version))], through: LogPosition(version: version))
    }
  }

  private func restart(at position: LogPosition) {
    let producer = makeProducer(from: position)
    self.producer = producer
    bindAll(producer, producer.schema)
  }

  // The schema

  private func rebind(_ producer: EventProducer, _ schema: Schema) {
    producer.removeAll(schema: schema)
    bindAll(producer, schema)
  }

  /// Binds all groups to the schema, and ends those that have no meaning in it.
  private func bindAll(_ producer: EventProducer, _ schema: Schema) {
    for (number, members) in members {
      do throws(SubscriptionError) {
        let bound = try members.group.subscription.bound(in: schema)
        members.group.rebind(bound)
        producer.add(members.group, bound)
        if members.group.subscription.results != nil { results.note(number, nil) }
      } catch {
        for loopBroker in members.loopBrokers.values {
          loopBroker.post([.end(group: number, .schema)], through: producer.reached)
        }
      }
    }
  }

  // Subscribers

  /// Brings a subscriber from where it starts to now, and lets it live.
  nonisolated func serve(
    _ subscriber: Subscriber, _ subscription: Subscription, from start: StreamStart
  ) async {
    guard subscription.results == nil else {
      guard let group = await joinResults(subscriber, subscription) else {
        return subscriber.loopBroker.perform { subscriber.finish(.schema) }
      }
      return await results.join(subscriber, subscription, group: group)
    }
    let key = ObjectIdentifier(subscriber)
    var isKnown = true
    // Who is far behind joins the others once it has caught up: what is new need not wait for it before.
    if start.isPast {
      do throws(StorageError) {
        try await replays.begin(key, subscription, from: start)
        guard try await replay(key, through: nil, to: subscriber) else { return await replays.end(key) }
      } catch {
        isKnown = false
      }
    }
    if let (live, initial) = await join(subscriber, subscription) {
      if isKnown, start.isPast { isKnown = await replayRest(key, through: live, to: subscriber) }
      subscriber.loopBroker.perform { [isKnown] in
        if !isKnown { subscriber.send(EncodedEvents(Frame.resync(live))) }
        if let initial, start == .fresh || !isKnown { subscriber.send(initial) }
        subscriber.release(at: live)
      }
    } else {
      subscriber.loopBroker.perform { subscriber.finish(.schema) }
    }
    await replays.end(key)
  }

  /// Sends what came after the end of a replay, up to where others are; false: it is not known.
  private nonisolated func replayRest(
    _ key: ObjectIdentifier, through live: LogPosition, to subscriber: Subscriber
  ) async -> Bool {
    do throws(StorageError) {
      _ = try await replay(key, through: live, to: subscriber)
      return true
    } catch {
      return false
    }
  }

  /// Sends what a replay has up to a position, or, where none is given, to where others are; false: the client is gone.
  ///
  /// Pieces without events say how far they go: a client that loses its connection comes back there.
  private nonisolated func replay(
    _ key: ObjectIdentifier, through last: LogPosition?, to subscriber: Subscriber
  ) async throws(StorageError) -> Bool {
    while true {
      let live = LogPosition(
        version: isAwake.load(ordering: .relaxed) ? published.load(ordering: .relaxed) : .max)
      switch try await replays.next(key, through: last ?? live) {
      case .preparing: guard await send(EncodedEvents(), to: subscriber) else { return false }
      case .events(let encoded, let position):
        let encoded = encoded.bytes.isEmpty ? EncodedEvents(Frame.position(position)) : encoded
        guard await send(encoded, to: subscriber) else { return false }
      case .end(let encoded): return await send(encoded, to: subscriber)
      }
    }
  }

  /// Returns when the client has taken it; false: it is gone.
  private nonisolated func send(_ encoded: EncodedEvents, to subscriber: Subscriber) async -> Bool {
    await withCheckedContinuation { continuation in
      subscriber.loopBroker.perform {
        if !encoded.bytes.isEmpty { subscriber.send(encoded) }
        subscriber.wait(continuation)
      }
    }
  }

  /// Lets the subscriber be told of everything behind the position that this returns, with what is there by then if
  /// a place is watched; nil: what it watches has no meaning in the schema as it is.
  private func join(
    _ subscriber: Subscriber, _ subscription: Subscription
  ) -> (live: LogPosition, initial: EncodedEvents?)? {
    guard let (number, producer) = enter(subscriber.loopBroker, subscription) else { return nil }
    subscriber.loopBroker.post([.join(subscriber, group: number)], through: producer.reached)
    return (producer.reached, initial(number, producer))
  }

  /// Counts a subscriber in whose results are kept elsewhere; nil: they have no meaning in the schema as it is.
  private func joinResults(_ subscriber: Subscriber, _ subscription: Subscription) -> Int? {
    enter(subscriber.loopBroker, subscription)?.number
  }

  private func enter(_ loopBroker: LoopBroker, _ subscription: Subscription) -> (
    number: Int, producer: EventProducer
  )? {
    wake()
    publishCommits()
    guard let producer, let number = number(of: subscription, in: producer) else { return nil }
    let key = ObjectIdentifier(loopBroker)
    members[number]?.loopBrokers[key] = loopBroker
    members[number]?.count += 1
    loopBrokers[key] = loopBroker
    return (number, producer)
  }

  private func initial(_ number: Int, _ producer: EventProducer) -> EncodedEvents? {
    guard let group = members[number]?.group, case .property = group.subscription.scope else { return nil }
    do throws(StorageError) {
      return try reader.snapshot { (snapshot) throws(StorageError) in
        // Commits made meanwhile are for later.
        try producer.look(snapshot)
        return try producer.initial(of: group, snapshot)
      }
    } catch {
      recover(from: error)
      return nil
    }
  }

  private func wake() {
    guard producer == nil else { return }
    published.store(store.version, ordering: .relaxed)
    isAwake.store(true, ordering: .sequentiallyConsistent)
    store.keepTail(true)
    guard let position = try? reader.snapshot({ LogPosition(version: $0.version) }) else { return }
    producer = makeProducer(from: position)
  }

  private func number(of subscription: Subscription, in producer: EventProducer) -> Int? {
    if let number = numbers[subscription] { return number }
    guard let bound = try? subscription.bound(in: producer.schema) else { return nil }
    lastNumber += 1
    let group = SubscriberGroup(number: lastNumber, subscription, bound)
    members[lastNumber] = Members(group: group)
    numbers[subscription] = lastNumber
    producer.add(group, bound)
    return lastNumber
  }

  /// A subscriber of that group is gone. Called on its loop.
  nonisolated func leave(_ group: Int) {
    Task { await didLeave(group) }
  }

  private func didLeave(_ number: Int) {
    guard var found = members[number] else { return }
    found.count -= 1
    guard found.count == 0 else {
      members[number] = found
      return
    }
    members[number] = nil
    numbers[found.group.subscription] = nil
    producer?.remove(found.group)
    if found.group.subscription.results != nil { Task { await results.forget(number) } }
    if members.isEmpty { sleep() }
  }

  /// Nobody watches: commits are no concern any more.
  private func sleep() {
    isAwake.store(false, ordering: .sequentiallyConsistent)
    store.keepTail(false)
    producer = nil
    loopBrokers = [:]
  }
}
