public import GatehouseStorage
public import GatehouseTelemetry

/// Tells everybody what every commit means to them: one evaluation per commit and filter, one encoding per shape.
public actor EventBroker {
  public nonisolated let options: FeedOptions
  nonisolated let admission: SubscriberAdmission
  private nonisolated let store: Store
  private nonisolated let replays: Replays
  private nonisolated let results: ResultSets
  /// Tells the streams that have many subscriptions.
  public nonisolated let multiplexes: MultiplexBroker
  /// Shows the log to those for whom there are rules.
  public nonisolated let visibleLog: VisibleChangeLog
  nonisolated let rounds: CommitRounds

  private var reader: LazyReader
  /// Until when the next round waits; nil: it does not.
  private var rest: ContinuousClock.Instant?
  private let groups = SubscriberGroups()
  private var members = GroupMembers<LoopBroker>()

  /// The changes that are told before others have their turn.
  private static let portion = 256

  public init(_ store: Store, options: FeedOptions = FeedOptions(), metrics: Registry? = nil) {
    self.store = store
    self.options = options
    admission = SubscriberAdmission(options, metrics)
    reader = LazyReader(store)
    replays = Replays(store, options, metrics: metrics)
    results = ResultSets(store)
    let tail = LogTailDemand(store)
    rounds = CommitRounds(tail)
    visibleLog = VisibleChangeLog(store, options: options)
    multiplexes = MultiplexBroker(store, options: options, replays: replays, tail)
    store.observeCommits { [weak self] in self?.didCommit() }
    metrics?.read("gatehouse_feed_lag_commits", help: "Commits that subscribers have not been told of yet.") {
      [weak self] in
      guard let self, rounds.isAwake else { return 0 }
      return Double(max(0, store.version - rounds.published))
    }
  }

  /// Makes a place for a subscriber; false: there are enough of them.
  public nonisolated func admit(_ client: UInt64) -> Bool { admission.admit(client) }

  /// Gives a place back for which no stream was opened.
  public nonisolated func release(_ client: UInt64) { admission.release(client) }

  // Commits

  /// Makes a note, on the writer's queue.
  private nonisolated func didCommit() {
    multiplexes.didCommit()
    if rounds.noteCommit() { Task { await round() } }
  }

  /// Under load a round waits for more commits: each costs a look at the file and wakes the loops, however much there
  /// is to tell. A commit that comes alone is told at once.
  private func round() async {
    if let rest { try? await Task.sleep(until: rest, clock: .continuous) }
    rounds.begin()
    let before = groups.producer?.reached.version
    // Others have their turn in between, such as who joins.
    while publishPortion() { await Task.yield() }
    let isBusy = (groups.producer?.reached.version ?? 0) - (before ?? .max) > 1
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
    guard let producer = groups.producer else { return false }
    defer { rounds.published = groups.producer?.reached.version ?? 0 }
    do throws(StorageError) {
      return try reader.get().snapshot { (snapshot) throws(StorageError) in
        if snapshot.schema != producer.schema {
          didBind(without: groups.rebind(to: snapshot.schema), producer)
        }
        try producer.look(snapshot)
        let hasMore = try producer.advance(snapshot, limit: EventBroker.portion)
        precondition(producer.reached.version <= snapshot.version, "what is told is in the snapshot")
        post(producer, through: producer.reached)
        return hasMore
      }
    } catch {
      recover()
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
      for loopBroker in members.loops(of: group.number) {
        messages[ObjectIdentifier(loopBroker), default: []].append(message)
      }
    }
    for loopBroker in members.loops {
      loopBroker.post(messages[ObjectIdentifier(loopBroker)] ?? [], through: position)
    }
  }

  /// Begins to watch behind a position.
  private func makeProducer(from position: LogPosition) -> EventProducer {
    let producer = EventProducer(
      from: EventPosition(position), schema: store.schema, limit: options.distantObjects,
      pageSize: options.liveChanges)
    producer.didFill = { [unowned self] in
      if let producer = groups.producer { post(producer, through: nil) }
    }
    return producer
  }

  /// The iterator lost its way: everybody is told so, and it goes on from now.
  private func recover() {
    guard let version = try? reader.get().snapshot({ $0.version }) else { return }
    restart(at: LogPosition(version: version))
    for loopBroker in members.loops {
      loopBroker.post([.resync(LogPosition(version: version))], through: LogPosition(version: version))
    }
  }

  private func restart(at position: LogPosition) {
    let producer = makeProducer(from: position)
    didBind(without: groups.begin(with: producer), producer)
  }

  /// The groups were bound to a schema, but for those that have no meaning in it and end.
  private func didBind(without meaningless: [Int], _ producer: EventProducer) {
    for group in groups.ofResults where !meaningless.contains(group.number) {
      results.note(group.number, nil)
    }
    for number in meaningless {
      for loopBroker in members.loops(of: number) {
        loopBroker.post([.end(group: number, .schema)], through: producer.reached)
      }
    }
  }

  // Subscribers

  /// Brings a subscriber from where it starts to now, and lets it live.
  nonisolated func serve(
    _ subscriber: Subscriber, _ subscription: Subscription, from start: StreamStart
  ) async {
    // All who join at once wait for one sync of the disk, and no event loop does.
    await store.settle()
    guard subscription.results == nil else {
      guard let group = await joinResults(subscriber, subscription) else {
        return subscriber.loopBroker.perform { subscriber.finish(.schema) }
      }
      return await results.join(subscriber, subscription, group: group)
    }
    let key = ObjectIdentifier(subscriber)
    let start = subscription.hasPast ? start : .fresh
    var isKnown = true
    // Who is far behind joins the others once it has caught up: what is new need not wait for it before.
    if start.isPast {
      do throws(StorageError) {
        try await replays.begin(key, subscription, from: start)
        let isThere = try await replays.replay(
          key, through: { self.rounds.live }, send: { await self.send($0, to: subscriber) })
        guard isThere else { return await replays.end(key) }
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
      _ = try await replays.replay(
        key, through: { live }, send: { await self.send($0, to: subscriber) })
      return true
    } catch {
      return false
    }
  }

  /// Returns when the client has taken it; false: it is gone.
  private nonisolated func send(_ encoded: EncodedEvents, to subscriber: Subscriber) async -> Bool {
    await withCheckedContinuation { continuation in
      subscriber.loopBroker.perform {
        subscriber.loopBroker.endRevoked()
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
    // Where the log could not be read, it may have come to rest in the midst of what it has looked at.
    if groups.producer?.isCaughtUp == false { recover() }
    guard let producer = groups.producer, producer.isCaughtUp, let number = groups.number(of: subscription)
    else {
      if members.groupCount == 0 { sleep() }
      return nil
    }
    members.add(to: number, on: loopBroker)
    checkMembers()
    return (number, producer)
  }

  private func initial(_ number: Int, _ producer: EventProducer) -> EncodedEvents? {
    guard let group = groups[number], case .property = group.subscription.scope else { return nil }
    do throws(StorageError) {
      return try reader.get().snapshot { (snapshot) throws(StorageError) in
        // Commits made meanwhile are for later.
        try producer.look(snapshot)
        return try producer.initial(of: group, snapshot)
      }
    } catch {
      recover()
      return nil
    }
  }

  private func wake() {
    guard groups.producer == nil else { return }
    let position = rounds.wake(store) { try reader.get().snapshot { LogPosition(version: $0.version) } }
    guard let position else { return }
    _ = groups.begin(with: makeProducer(from: position))
  }

  /// A subscriber of that group is gone. Called on its loop.
  nonisolated func leave(_ group: Int) {
    Task { await didLeave(group) }
  }

  private func didLeave(_ number: Int) {
    guard members.remove(from: number) else { return }
    if groups[number]?.subscription.results != nil { Task { await results.forget(number) } }
    groups.remove(number)
    checkMembers()
    if members.groupCount == 0 { sleep() }
  }

  private func checkMembers() {
    precondition(members.groupCount == groups.count, "each group has members")
  }

  /// Nobody watches: commits are no concern any more.
  private func sleep() {
    rounds.sleep(hasBegun: groups.producer != nil)
    groups.stop()
    members.forgetLoops()
  }
}
