import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import Synchronization

/// Tells those who come back what they missed, a piece of one after a piece of the other.
///
/// A replay is a position: what it takes to go on from there is a ``EventProducer`` that does not look ahead, which waits for
/// whoever comes to its place next. Those who watch the same from the same position share it, and its last pieces.
actor Replays {
  /// The next piece of a replay.
  enum Step: Sendable {
    /// Events, perhaps none, and the position behind what was looked at.
    case events(EncodedEvents, through: LogPosition)
    /// Nothing yet: what is needed to know the past is being looked for.
    case preparing
    /// Events, perhaps none, behind which there are no more.
    case end(EncodedEvents)
  }

  private struct ReplayIterator {
    let producer: EventProducer
    let group: SubscriberGroup
  }

  /// A stream that comes back.
  private struct Replay {
    var cursor: ReplayCursor
    /// The bytes that it was given last, which may still be on their way.
    var sent = 0
  }

  /// The knowledge of the past that all iterators share.
  private struct Shared {
    var schema: Schema?
    var index = HistoryIndex()
    /// The bytes of pages that the reader may keep.
    var pages = 0
  }

  private let store: Store
  private let options: FeedOptions
  private let walked: Counter?
  private var reader: LazyReader
  private var shared = Shared()
  private var replays: [ObjectIdentifier: Replay] = [:]
  private var iterators: [ReplayCursor: ReplayIterator] = [:]
  private var pieces = ReplayPieces()
  /// The bytes that were held after the last step, about.
  private nonisolated let held = Atomic(0)

  init(_ store: Store, _ options: FeedOptions, metrics: Registry? = nil) {
    self.store = store
    self.options = options
    reader = LazyReader(store)
    walked = metrics?.counter(
      "gatehouse_feed_replayed_changes", help: "Changes looked at for event streams that came back.")
    metrics?.read(
      "gatehouse_feed_replay_bytes", help: "Bytes held for event streams that come back, about."
    ) { [weak self] in Double(self?.memorySize ?? 0) }
  }

  /// The bytes that all replays hold, about: at most ``ReplayMemory/total`` for each.
  nonisolated var memorySize: Int { held.load(ordering: .relaxed) }

  /// Throws ``StorageError/positionExpired``.
  func begin(
    _ key: ObjectIdentifier, _ subscription: Subscription, from start: StreamStart
  ) throws(StorageError) {
    let position = try reader.get().snapshot { (snapshot) throws(StorageError) in
      try snapshot.position(of: start)
    }
    precondition(replays[key] == nil, "a stream comes back once at a time")
    replays[key] = Replay(cursor: ReplayCursor(subscription: subscription, position: position))
    shareMemory()
  }

  func end(_ key: ObjectIdentifier) {
    replays[key] = nil
    discardIterators()
    if replays.isEmpty { forgetPast() }
    shareMemory()
  }

  /// With a reader go its pages, and the file in which the index was. One that has the pages of one replay and no index is kept for the
  /// next stream that comes back: to open it takes longer than most replays.
  private func forgetPast() {
    if shared.pages > options.replayMemory.pages || shared.index.changes != nil { reader = LazyReader(store) }
    shared = Shared()
  }

  /// The next step, up to that position, or to the end of the log where that comes before it.
  func next(_ key: ObjectIdentifier, through last: LogPosition) throws(StorageError) -> Step {
    guard let cursor = replays[key]?.cursor else { return .end(EncodedEvents()) }
    let step = try step(key, cursor, through: last)
    replays[key]?.sent = step.size
    shareMemory()
    return step
  }

  /// Sends what a replay has up to a position, which is asked for each piece; false: `send` says that the client is gone.
  ///
  /// Pieces without events say how far they go: a client that loses its connection comes back there.
  nonisolated func replay(
    _ key: ObjectIdentifier, through last: @Sendable () -> LogPosition,
    send: @Sendable (EncodedEvents) async -> Bool
  ) async throws(StorageError) -> Bool {
    while true {
      switch try await next(key, through: last()) {
      case .preparing: guard await send(EncodedEvents()) else { return false }
      case .events(let encoded, let position):
        let encoded = encoded.bytes.isEmpty ? EncodedEvents(Frame.position(position)) : encoded
        guard await send(encoded) else { return false }
      case .end(let encoded): return await send(encoded)
      }
    }
  }

  private func step(
    _ key: ObjectIdentifier, _ cursor: ReplayCursor, through last: LogPosition
  ) throws(StorageError) -> Step {
    // A commit is in the file, and others are told of it, a moment before it is published.
    let end = last.version == .max ? LogPosition(version: store.version) : last
    if cursor.position == EventPosition(end) { return .end(EncodedEvents()) }
    if let piece = pieces[cursor], piece.end <= last {
      move(key, to: piece.end)
      return .events(piece.encoded, through: piece.end)
    }
    let known = iterators.removeValue(forKey: cursor)
    let (iterator, pause) = try reader.get().snapshot { (snapshot) throws(StorageError) in
      let isSame = try prepare(snapshot)
      try limitPages(snapshot)
      let iterator: ReplayIterator
      if isSame, let known { iterator = known } else { iterator = try makeIterator(cursor, snapshot) }
      return (iterator, try advance(iterator, snapshot, through: last))
    }
    walked?.add(iterator.producer.takeCount(), shard: 0)
    _ = iterator.producer.takeChangedGroups()
    let encoded = iterator.group.takeEncoded().trimmed
    let reached = iterator.producer.reached
    if reached != cursor.position.logged { move(key, to: reached) }
    if let replay = replays[key] { iterators[replay.cursor] = iterator }
    discardIterators()
    switch pause {
    case .limit:
      if cursor.subscription.isShareable, replays.count > 1 {
        pieces.keep(.init(encoded: encoded, end: reached), at: cursor, limit: sharedLimit)
      }
      return .events(encoded, through: reached)
    case .unindexed: return encoded.bytes.isEmpty ? .preparing : .events(encoded, through: reached)
    case .end: return .end(encoded)
    }
  }

  // Memory

  /// The bytes of pieces that are kept.
  private var sharedLimit: Int { options.replayMemory.shared * replays.count }

  /// Gives each iterator its share of what all replays may hold, of which those that go along with another one leave
  /// theirs, and counts what is held.
  private func shareMemory() {
    let memory = options.replayMemory
    let states = memory.states * replays.count / max(1, iterators.count)
    for iterator in iterators.values {
      iterator.producer.past?.budget = states - iterator.group.concealedSize
    }
    pieces.trim(to: sharedLimit)
    let producers = iterators.values.reduce(0) { $0 + $1.producer.memorySize + $1.group.concealedSize }
    // Bytes on their way may be in two places, here and with the connection.
    let sent = replays.values.reduce(0) { $0 + 2 * $1.sent }
    held.store(shared.pages + pieces.size + producers + sent, ordering: .relaxed)
  }

  private func limitPages(_ snapshot: Snapshot) throws(StorageError) {
    let size = options.replayMemory.pages * replays.count
    guard shared.pages != size else { return }
    // One half for those of the file, one for those of the index.
    try snapshot.limitPageCache(to: size / 2)
    shared.pages = size
  }

  /// Forgets what is in the terms of another schema; false: something was.
  private func prepare(_ snapshot: Snapshot) throws(StorageError) -> Bool {
    if shared.schema == snapshot.schema { return true }
    let isFirst = shared.schema == nil
    shared.schema = snapshot.schema
    shared.index = HistoryIndex()
    (iterators, pieces) = ([:], ReplayPieces())
    return isFirst
  }

  private func makeIterator(_ cursor: ReplayCursor, _ snapshot: Snapshot) throws(StorageError)
    -> ReplayIterator
  {
    // A subscription without meaning ends when it joins the others.
    guard let bound = try? cursor.subscription.bound(in: snapshot.schema) else { throw .positionExpired }
    let producer = EventProducer(
      from: cursor.position, schema: snapshot.schema, limit: options.distantObjects,
      past: ObjectStateCache(shared.index, options.replayMemory))
    let group = SubscriberGroup(number: 0, cursor.subscription, bound)
    producer.add(group, bound)
    return ReplayIterator(producer: producer, group: group)
  }

  /// Goes on with an iterator as far as the index goes, which is extended where it does not go far enough.
  private func advance(
    _ iterator: ReplayIterator, _ snapshot: Snapshot, through last: LogPosition
  ) throws(StorageError) -> EventProducer.Pause {
    try iterator.producer.look(snapshot)
    let (limit, size) = (options.replayChanges, options.replayMemory.frames)
    let pause = try iterator.producer.replay(snapshot, through: last, limit: limit, size: size)
    guard pause == .unindexed, try iterator.producer.extendIndex(snapshot) else { return pause }
    return try iterator.producer.replay(snapshot, through: last, limit: limit, size: size)
  }

  private func move(_ key: ObjectIdentifier, to position: LogPosition) {
    guard let cursor = replays[key]?.cursor else { return }
    precondition(position >= cursor.position.logged, "a replay goes forward")
    replays[key]?.cursor = ReplayCursor(
      subscription: cursor.subscription, position: EventPosition(position))
  }

  /// Lets those go for which nobody comes.
  private func discardIterators() {
    guard iterators.count > replays.count else { return }
    let cursors = Set(replays.values.map(\.cursor))
    iterators = iterators.filter { cursors.contains($0.key) }
    precondition(iterators.count <= replays.count, "an iterator waits for a stream")
  }
}

extension Replays.Step {
  /// The bytes of its frames.
  fileprivate var size: Int {
    switch self {
    case .events(let encoded, _), .end(let encoded): encoded.bytes.count
    case .preparing: 0
    }
  }
}

extension EncodedEvents {
  /// The same in an array that has no room for more.
  fileprivate var trimmed: EncodedEvents {
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    copy += bytes
    return EncodedEvents(copy, showing: shown)
  }
}

extension Subscription {
  /// Whether pieces of the past may be kept for others: not where they show what one may see at that moment.
  fileprivate var isShareable: Bool { rules == nil && !recordsReads }
}

extension Snapshot {
  /// The position that `start` stands for; throws ``StorageError/positionExpired``.
  fileprivate func position(of start: StreamStart) throws(StorageError) -> EventPosition {
    switch start {
    case .fresh: return EventPosition(try position(of: LogStart.latest))
    case .log(let start): return EventPosition(try position(of: start))
    case .after(let position):
      _ = try self.position(of: LogStart.after(position.logged))
      return position
    case .unknown: throw .positionExpired
    }
  }
}
