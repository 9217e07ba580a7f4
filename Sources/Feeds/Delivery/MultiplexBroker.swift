import GatehouseStorage
import Synchronization

/// Tells multiplexed streams what commits mean to all of their subscriptions.
///
/// Each round ends in a snapshot of the store at whose version the events, places and results of all subscriptions are
/// told: that closes the version for the streams that were told something. Commits that came together are closed
/// together. Results are read here, so that streams with one subscription, which have an ``EventBroker`` of their own, wait for
/// none.
public actor MultiplexBroker {
  private nonisolated let store: Store
  private nonisolated let options: FeedOptions
  private nonisolated let replays: Replays
  /// The streams that are open, by their names.
  private nonisolated let streams = Mutex<[String: MultiplexedStream]>([:])
  private nonisolated let rounds: CommitRounds

  private var reader: LazyReader
  /// Until when the next round waits; nil: it does not.
  private var rest: ContinuousClock.Instant?
  private let groups = SubscriberGroups()
  private var members = GroupMembers<MultiplexLoop>()
  /// The results that the members of a group have.
  private var states: [Int: ResultsState] = [:]
  private var touched: [Int: TouchedObjects] = [:]

  /// The changes that are told before others have their turn.
  private static let portion = 256
  /// Until what could not be read is tried again.
  private static let retry = Duration.milliseconds(250)

  init(_ store: Store, options: FeedOptions, replays: Replays, _ tail: LogTailDemand) {
    self.store = store
    self.options = options
    self.replays = replays
    rounds = CommitRounds(tail)
    reader = LazyReader(store)
  }

  // Streams

  nonisolated func register(_ stream: MultiplexedStream) {
    streams.withLock { $0[stream.id] = stream }
  }

  nonisolated func forget(_ stream: MultiplexedStream) {
    streams.withLock { $0[stream.id] = nil }
  }

  /// Whether there is a stream of that name, whoever opened it.
  public nonisolated func hasStream(_ id: String) -> Bool { streams.withLock { $0[id] != nil } }

  /// Returns the stream of that name which the principal opened. Throws ``MultiplexError/unknownStream``.
  public nonisolated func stream(
    _ id: String, of principal: String
  ) throws(MultiplexError) -> MultiplexedStream {
    guard let stream = streams.withLock({ $0[id] }), stream.owner == principal else { throw .unknownStream }
    return stream
  }

  // Commits

  /// Makes a note, on the writer's queue.
  nonisolated func didCommit() {
    if rounds.noteCommit() { Task { await round() } }
  }

  /// Under load a round waits for more commits, as those of ``EventBroker`` do.
  private func round() async {
    if let rest { try? await Task.sleep(until: rest, clock: .continuous) }
    rounds.begin()
    let before = rounds.published
    while publishPortion() { await Task.yield() }
    rest = rounds.published - before > 1 ? .now + .nanoseconds(options.pause) : nil
  }

  /// Hands everything that has been committed by now to the loops.
  public func publishCommits() {
    while publishPortion() {}
  }

  /// Hands some of what has been committed to the loops; false: that was all, and the version is closed.
  ///
  /// Each portion is of a snapshot of its own. What changed of results is read in the last one.
  private func publishPortion() -> Bool {
    guard let producer = groups.producer else { return false }
    do throws(StorageError) {
      return try reader.get().heldSnapshot { (snapshot) throws(StorageError) in
        let hasMore = try advance(producer, to: snapshot)
        if !hasMore { close(producer, in: snapshot) }
        return hasMore
      }
    } catch {
      recover()
      return false
    }
  }

  /// Passes a portion of the changes up to a snapshot; false: those were all.
  private func advance(_ producer: EventProducer, to snapshot: Snapshot) throws(StorageError) -> Bool {
    if snapshot.schema != producer.schema { didBind(without: groups.rebind(to: snapshot.schema)) }
    try producer.look(snapshot)
    let hasMore = try producer.advance(snapshot, limit: MultiplexBroker.portion)
    postEvents(producer)
    return hasMore
  }

  /// Reads what has changed of results, and closes the version of a snapshot that the producer has reached.
  private func close(_ producer: EventProducer, in snapshot: Snapshot) {
    refreshResults(snapshot)
    let version = producer.reached.version
    precondition(version == snapshot.version, "what is closed has been told")
    precondition(version >= rounds.published, "versions are closed in their order")
    precondition(members.groupCount == groups.count, "each group has members")
    for loop in members.loops { loop.close(version) }
    rounds.published = version
  }

  private func postEvents(_ producer: EventProducer) {
    for group in producer.takeChangedGroups() {
      if group.subscription.results != nil {
        touched[group.number, default: TouchedObjects()].add(group.isTouchedAnywhere ? nil : group.touched)
        group.touched = []
        group.isTouchedAnywhere = false
        group.encoded = EncodedEvents()
      } else {
        let (events, encoded) = (group.events, group.takeEncoded())
        post(.frames(encoded, events: events, group: group.number), to: group.number)
      }
    }
  }

  private func post(_ message: MultiplexLoop.Message, to group: Int) {
    for loop in members.loops(of: group) { loop.post([message]) }
  }

  private func results() throws(StorageError) -> ResultsReader { ResultsReader(reader: try reader.get()) }

  /// Reads the results that were touched in the snapshot that is open.
  private func refreshResults(_ snapshot: Snapshot) {
    for (number, touched) in touched {
      guard let subscription = groups[number]?.subscription, let old = states[number] else {
        continue
      }
      snapshot.restartTime()
      // Without them the version of their streams could not be closed.
      guard let update = try? results().update(of: subscription, from: old, touched) else {
        states[number] = nil
        post(.end(group: number, .unreadable), to: number)
        continue
      }
      states[number] = update.new
      if let encoded = update.encoded { post(.frames(encoded, events: 1, group: number), to: number) }
    }
    touched = [:]
  }

  /// The iterator lost its way: everybody is told so, and it goes on from now. Where there is none, nobody has joined yet.
  private func recover() {
    guard groups.producer != nil, let version = try? reader.get().snapshot({ $0.version }) else { return }
    let position = LogPosition(version: version)
    didBind(without: groups.begin(with: makeProducer(from: position)))
    for loop in members.loops { loop.post([.resync(position)]) }
    // The next round reads all results, and closes the version. A disk that goes on to fail is not asked all the time.
    guard rounds.request() else { return }
    Task {
      try? await Task.sleep(for: MultiplexBroker.retry)
      await round()
    }
  }

  /// The groups were bound to a schema, but for those that have no meaning in it and end.
  private func didBind(without meaningless: [Int]) {
    for group in groups.ofResults where !meaningless.contains(group.number) {
      touched[group.number, default: TouchedObjects()].isAnywhere = true
    }
    for number in meaningless { post(.end(group: number, .schema), to: number) }
  }

  private func makeProducer(from position: LogPosition) -> EventProducer {
    let producer = EventProducer(
      from: EventPosition(position), schema: store.schema, limit: options.distantObjects,
      pageSize: options.liveChanges)
    producer.didFill = { [unowned self] in if let producer = groups.producer { postEvents(producer) } }
    return producer
  }

  // Members

  /// Lets members live: those who are new at once and together, then each of those who come back once it has caught up.
  nonisolated func serve(_ added: [StreamMember], of stream: MultiplexedStream) async {
    await store.settle()
    let new = added.filter { !$0.request.start.isPast }
    if !new.isEmpty { _ = await join(new, of: stream) }
    for member in added where member.request.start.isPast { await resume(member, of: stream) }
  }

  private nonisolated func resume(_ member: StreamMember, of stream: MultiplexedStream) async {
    let key = ObjectIdentifier(member)
    var isKnown = true
    do throws(StorageError) {
      try await replays.begin(key, member.request.subscription, from: member.request.start)
      let isThere = try await replays.replay(
        key, through: { self.rounds.live }, send: { await self.send($0, to: member, of: stream) })
      guard isThere else { return await replays.end(key) }
    } catch {
      isKnown = false
    }
    if let (live, all) = await join([member], of: stream) {
      if isKnown { isKnown = await replayRest(key, through: live, to: member, of: stream) }
      let first = isKnown ? EncodedEvents() : EncodedEvents(Frame.resync(live)).followed(by: all)
      await release(member, of: stream, at: live, first: first)
    }
    await replays.end(key)
  }

  /// Lets a member live that has caught up: behind all messages that its loop has not taken yet, whose versions are none of what it
  /// was told.
  private func release(
    _ member: StreamMember, of stream: MultiplexedStream, at position: LogPosition, first: EncodedEvents
  ) {
    stream.loop.post([.release(member, of: stream, position, first: first)])
    // In the midst of a round, the end of that closes the version.
    let version = rounds.published
    if groups.producer?.reached == LogPosition(version: version) { stream.loop.close(version) }
  }

  /// Sends what came after the end of a replay, up to where others are; false: it is not known.
  private nonisolated func replayRest(
    _ key: ObjectIdentifier, through live: LogPosition, to member: StreamMember,
    of stream: MultiplexedStream
  ) async -> Bool {
    do throws(StorageError) {
      _ = try await replays.replay(
        key, through: { live }, send: { await self.send($0, to: member, of: stream) })
      return true
    } catch {
      return false
    }
  }

  /// Returns when the client has taken it; false: it is gone, or wants it no more.
  private nonisolated func send(
    _ encoded: EncodedEvents, to member: StreamMember, of stream: MultiplexedStream
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      stream.loop.perform {
        stream.loop.loopBroker.endRevoked()
        stream.send(encoded, to: member)
        stream.wait(for: member, continuation)
      }
    }
  }

  /// Lets members be told of everything behind the position that this returns, at which they are shown what there is; the
  /// last member's is returned as well. Nil: the last one has no meaning in the schema as it is, or cannot be read.
  private func join(
    _ added: [StreamMember], of stream: MultiplexedStream
  ) -> (live: LogPosition, all: EncodedEvents)? {
    wake()
    publishCommits()
    members.know(stream.loop)
    do throws(StorageError) {
      return try reader.get().heldSnapshot { (snapshot) throws(StorageError) in
        guard let producer = groups.producer else { throw .cancelled }
        // Commits made meanwhile.
        while try advance(producer, to: snapshot) {}
        refreshResults(snapshot)
        var last: (LogPosition, EncodedEvents)?
        for member in added { last = begin(member, of: stream, producer, in: snapshot) }
        close(producer, in: snapshot)
        return last
      }
    } catch {
      for member in added { stream.loop.post([.refuse(member, of: stream, .unreadable)]) }
      recover()
      return nil
    }
  }

  /// Lets a member be told of what comes after a snapshot that the producer has reached.
  private func begin(
    _ member: StreamMember, of stream: MultiplexedStream, _ producer: EventProducer, in snapshot: Snapshot
  ) -> (LogPosition, EncodedEvents)? {
    let subscription = member.request.subscription
    guard let number = groups.number(of: subscription) else {
      stream.loop.post([.refuse(member, of: stream, .schema)])
      return nil
    }
    members.add(to: number, on: stream.loop)
    guard let all = all(of: number, subscription, producer, in: snapshot) else {
      stream.loop.post([.refuse(member, of: stream, .unreadable)])
      leave(number)
      return nil
    }
    let shown = member.beginsWithAll ? all : EncodedEvents()
    stream.loop.post([.begin(member, of: stream, group: number, producer.reached, all: shown)])
    return (producer.reached, all)
  }

  /// Returns the frame with all that there is, of results and places; without frames of others. Nil: it cannot be read.
  private func all(
    of number: Int, _ subscription: Subscription, _ producer: EventProducer, in snapshot: Snapshot
  ) -> EncodedEvents? {
    snapshot.restartTime()
    guard subscription.results != nil else {
      guard let group = groups[number] else { return nil }
      do throws(StorageError) {
        return try producer.initial(of: group, snapshot) ?? EncodedEvents()
      } catch {
        return nil
      }
    }
    guard let results = try? results(),
      let state = states[number] ?? (try? results.state(of: subscription))
    else { return nil }
    states[number] = state
    return results.initial(of: subscription, state)
  }

  private func wake() {
    guard groups.producer == nil else { return }
    let position = rounds.wake(store) { try reader.get().snapshot { LogPosition(version: $0.version) } }
    guard let position else { return }
    _ = groups.begin(with: makeProducer(from: position))
  }

  /// A member of that group is gone.
  nonisolated func leave(_ group: Int) {
    Task { await didLeave(group) }
  }

  private func didLeave(_ number: Int) {
    guard members.remove(from: number) else { return }
    groups.remove(number)
    (touched[number], states[number]) = (nil, nil)
    if members.groupCount == 0 { sleep() }
  }

  /// Nobody watches: commits are no concern any more.
  private func sleep() {
    rounds.sleep(hasBegun: groups.producer != nil)
    groups.stop()
    for loop in members.loops { loop.post([]) }
    members.forgetLoops()
  }
}

extension EncodedEvents {
  fileprivate func followed(by other: EncodedEvents) -> EncodedEvents {
    var both = self
    both += other
    return both
  }
}
