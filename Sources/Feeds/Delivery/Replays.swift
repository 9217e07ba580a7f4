import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry

/// Tells those who come back what they missed, a piece of one after a piece of the other.
///
/// A replay is a position: what it takes to go on from there is a ``EventProducer`` that does not look ahead, which waits for
/// whoever comes to its place next. Those who watch the same from the same position share it, and its last pieces.
actor Replays {
  /// What a replay has to tell next.
  enum Step: Sendable {
    /// Events, perhaps none, and the position behind what was looked at.
    case events(EncodedEvents, through: LogPosition)
    /// Nothing yet: what is needed to know the past is being looked for.
    case preparing
    /// Events, perhaps none, behind which there are no more.
    case end(EncodedEvents)
  }

  private struct Cursor: Hashable {
    let subscription: Subscription
    let position: EventPosition
  }

  private struct ReplayIterator {
    let producer: EventProducer
    let group: SubscriberGroup
  }

  private struct Piece {
    let encoded: EncodedEvents
    let end: LogPosition

    /// The bytes that it takes, about.
    var size: Int { encoded.bytes.count + 256 }
  }

  /// What the walks of one reader have in common.
  private struct Shared {
    let reader: Reader
    var schema: Schema?
    var index = HistoryIndex()
  }

  private let store: Store
  private let options: FeedOptions
  private let walked: Counter?
  private var shared: Shared?
  private var replays: [ObjectIdentifier: Cursor] = [:]
  private var iterators: [Cursor: ReplayIterator] = [:]
  /// The pieces that came last, for those who are behind others, and in which order they came.
  private var pieces: [Cursor: Piece] = [:]
  private var order: [Cursor] = []
  private var piecesSize = 0

  /// The bytes of frames after which a piece ends.
  private static let pieceSize = 128 << 10
  /// The bytes of pieces that are kept.
  private static let piecesBudget = 8 << 20
  /// One walk may keep as many objects as this number of walks that go on side by side.
  private static let statesShare = 32

  init(_ store: Store, _ options: FeedOptions, _ registry: Registry?) {
    self.store = store
    self.options = options
    walked = registry?.counter(
      "gatehouse_feed_replayed_changes", help: "Changes looked at for event streams that came back.")
  }

  /// Throws ``StorageError/positionExpired``.
  func begin(
    _ key: ObjectIdentifier, _ subscription: Subscription, from start: StreamStart
  ) throws(StorageError) {
    let position = try reader().snapshot { (snapshot) throws(StorageError) in
      try snapshot.position(of: start)
    }
    replays[key] = Cursor(subscription: subscription, position: position)
  }

  func end(_ key: ObjectIdentifier) {
    replays[key] = nil
    guard replays.isEmpty else { return discardIterators() }
    (iterators, pieces, order, piecesSize) = ([:], [:], [], 0)
    // With the reader goes the file in which its index was.
    if shared?.index.changes != nil { shared = nil }
  }

  /// The next step, up to that position, or to the end of the log where that comes before it.
  func next(_ key: ObjectIdentifier, through last: LogPosition) throws(StorageError) -> Step {
    guard let cursor = replays[key] else { return .end(EncodedEvents()) }
    let end = min(last, LogPosition(version: store.version))
    if cursor.position == EventPosition(end) { return .end(EncodedEvents()) }
    if let piece = pieces[cursor], piece.end <= last {
      move(key, to: piece.end)
      return .events(piece.encoded, through: piece.end)
    }
    let known = iterators.removeValue(forKey: cursor)
    let (iterator, pause) = try reader().snapshot { (snapshot) throws(StorageError) in
      let isSame = try prepare(snapshot)
      let iterator: ReplayIterator
      if isSame, let known { iterator = known } else { iterator = try makeIterator(cursor, snapshot) }
      return (iterator, try advance(iterator, snapshot, through: last))
    }
    walked?.add(iterator.producer.takeCount(), shard: 0)
    _ = iterator.producer.takeChangedGroups()
    let encoded = iterator.group.takeEncoded()
    let reached = iterator.producer.reached
    if reached != cursor.position.logged { move(key, to: reached) }
    if let current = replays[key] { iterators[current] = iterator }
    discardIterators()
    switch pause {
    case .limit:
      if cursor.subscription.isShareable { keep(Piece(encoded: encoded, end: reached), at: cursor) }
      return .events(encoded, through: reached)
    case .unindexed: return encoded.bytes.isEmpty ? .preparing : .events(encoded, through: reached)
    case .end: return .end(encoded)
    }
  }

  private func reader() throws(StorageError) -> Reader {
    if let shared { return shared.reader }
    let reader = try store.makeReader()
    shared = Shared(reader: reader)
    return reader
  }

  /// Forgets what is in the terms of another schema; false: something was.
  private func prepare(_ snapshot: Snapshot) throws(StorageError) -> Bool {
    if shared?.schema == snapshot.schema { return true }
    let isFirst = shared?.schema == nil
    shared?.schema = snapshot.schema
    shared?.index = HistoryIndex()
    (iterators, pieces, order, piecesSize) = ([:], [:], [], 0)
    return isFirst
  }

  private func makeIterator(_ cursor: Cursor, _ snapshot: Snapshot) throws(StorageError) -> ReplayIterator {
    // What has no meaning any more ends when it joins the others.
    guard let bound = try? cursor.subscription.bound(in: snapshot.schema) else { throw .positionExpired }
    let index = shared?.index ?? HistoryIndex()
    let producer = EventProducer(
      from: cursor.position, schema: snapshot.schema, limit: options.distantObjects,
      past: ObjectStateCache(index, budget: options.replayStates))
    let group = SubscriberGroup(number: 0, cursor.subscription, bound)
    producer.add(group, bound)
    return ReplayIterator(producer: producer, group: group)
  }

  /// Goes on with a walk as far as the index goes, which is extended where it does not go far enough.
  private func advance(
    _ iterator: ReplayIterator, _ snapshot: Snapshot, through last: LogPosition
  ) throws(StorageError) -> EventProducer.Pause {
    try iterator.producer.look(snapshot)
    iterator.producer.past?.budget =
      options.replayStates * max(1, Replays.statesShare / max(1, replays.count))
    let pause = try iterator.producer.replay(
      snapshot, through: last, limit: options.replayChanges, size: Replays.pieceSize)
    guard pause == .unindexed, try iterator.producer.extendIndex(snapshot) else { return pause }
    return try iterator.producer.replay(
      snapshot, through: last, limit: options.replayChanges, size: Replays.pieceSize)
  }

  private func move(_ key: ObjectIdentifier, to position: LogPosition) {
    guard let cursor = replays[key] else { return }
    replays[key] = Cursor(subscription: cursor.subscription, position: EventPosition(position))
  }

  /// Lets those go for which nobody comes.
  private func discardIterators() {
    guard iterators.count > replays.count else { return }
    let cursors = Set(replays.values)
    iterators = iterators.filter { cursors.contains($0.key) }
  }

  private func keep(_ piece: Piece, at cursor: Cursor) {
    guard replays.count > 1, pieces.updateValue(piece, forKey: cursor) == nil else { return }
    order.append(cursor)
    piecesSize += piece.size
    while piecesSize > Replays.piecesBudget, !order.isEmpty {
      piecesSize -= pieces.removeValue(forKey: order.removeFirst())?.size ?? 0
    }
  }
}

extension Subscription {
  /// Whether pieces of the past may be kept for others: not where they show what one may see at that moment.
  fileprivate var isShareable: Bool { restriction == nil && !recordsReads }
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
