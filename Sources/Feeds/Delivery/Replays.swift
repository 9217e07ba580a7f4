import Model
import Storage
import Telemetry

/// Tells those who come back what they missed, a piece of one after a piece of the other.
///
/// A replay is a position: what it takes to go on from there is a ``Watch`` that does not look ahead, which waits for
/// whoever comes to its place next. Those who watch the same from the same position share it, and its last pieces.
actor Replays {
  /// What a replay has to tell next.
  enum Step: Sendable {
    /// Events, perhaps none, and the position behind what was looked at.
    case events(Parcel, through: LogPosition)
    /// Nothing yet: what is needed to know the past is being looked for.
    case preparing
    /// Events, perhaps none, behind which there are no more.
    case end(Parcel)
  }

  private struct Place: Hashable {
    let subscription: Subscription
    let position: EventPosition
  }

  private struct Walk {
    let watch: Watch
    let group: Group
  }

  private struct Piece {
    let parcel: Parcel
    let end: LogPosition

    /// The bytes that it takes, about.
    var size: Int { parcel.bytes.count + 256 }
  }

  /// What the walks of one reader have in common.
  private struct Shared {
    let reader: Reader
    var schema: Schema?
    var index = PastIndex()
  }

  private let store: Store
  private let options: FeedOptions
  private let walked: Counter?
  private var shared: Shared?
  private var replays: [ObjectIdentifier: Place] = [:]
  private var walks: [Place: Walk] = [:]
  /// The pieces that came last, for those who are behind others, and in which order they came.
  private var pieces: [Place: Piece] = [:]
  private var order: [Place] = []
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
    replays[key] = Place(subscription: subscription, position: position)
  }

  func end(_ key: ObjectIdentifier) {
    replays[key] = nil
    guard replays.isEmpty else { return discardWalks() }
    (walks, pieces, order, piecesSize) = ([:], [:], [], 0)
    // With the reader goes the file in which its index was.
    if shared?.index.changes != nil { shared = nil }
  }

  /// The next step, up to that position, or to the end of the log where that comes before it.
  func next(_ key: ObjectIdentifier, through last: LogPosition) throws(StorageError) -> Step {
    guard let place = replays[key] else { return .end(Parcel()) }
    let end = min(last, LogPosition(version: store.version))
    if place.position == EventPosition(end) { return .end(Parcel()) }
    if let piece = pieces[place], piece.end <= last {
      move(key, to: piece.end)
      return .events(piece.parcel, through: piece.end)
    }
    let known = walks.removeValue(forKey: place)
    let (walk, pause) = try reader().snapshot { (snapshot) throws(StorageError) in
      let isSame = try prepare(snapshot)
      let walk: Walk
      if isSame, let known { walk = known } else { walk = try makeWalk(place, snapshot) }
      return (walk, try advance(walk, snapshot, through: last))
    }
    walked?.add(walk.watch.takeCount(), shard: 0)
    _ = walk.watch.takeTold()
    let parcel = walk.group.takeParcel()
    let reached = walk.watch.reached
    if reached != place.position.logged { move(key, to: reached) }
    if let current = replays[key] { walks[current] = walk }
    discardWalks()
    switch pause {
    case .limit:
      if place.subscription.isShareable { keep(Piece(parcel: parcel, end: reached), at: place) }
      return .events(parcel, through: reached)
    case .unindexed: return parcel.bytes.isEmpty ? .preparing : .events(parcel, through: reached)
    case .end: return .end(parcel)
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
    shared?.index = PastIndex()
    (walks, pieces, order, piecesSize) = ([:], [:], [], 0)
    return isFirst
  }

  private func makeWalk(_ place: Place, _ snapshot: Snapshot) throws(StorageError) -> Walk {
    // What has no meaning any more ends when it joins the others.
    guard let bound = try? place.subscription.bound(in: snapshot.schema) else { throw .positionExpired }
    let index = shared?.index ?? PastIndex()
    let watch = Watch(
      from: place.position, schema: snapshot.schema, limit: options.distantObjects,
      past: PastStates(index, budget: options.replayStates))
    let group = Group(number: 0, place.subscription, bound)
    watch.add(group, bound)
    return Walk(watch: watch, group: group)
  }

  /// Goes on with a walk as far as the index goes, which is extended where it does not go far enough.
  private func advance(
    _ walk: Walk, _ snapshot: Snapshot, through last: LogPosition
  ) throws(StorageError) -> Watch.Pause {
    try walk.watch.look(snapshot)
    walk.watch.past?.budget =
      options.replayStates * max(1, Replays.statesShare / max(1, replays.count))
    let pause = try walk.watch.replay(
      snapshot, through: last, limit: options.replayChanges, size: Replays.pieceSize)
    guard pause == .unindexed, try walk.watch.extendIndex(snapshot) else { return pause }
    return try walk.watch.replay(
      snapshot, through: last, limit: options.replayChanges, size: Replays.pieceSize)
  }

  private func move(_ key: ObjectIdentifier, to position: LogPosition) {
    guard let place = replays[key] else { return }
    replays[key] = Place(subscription: place.subscription, position: EventPosition(position))
  }

  /// Lets those go for which nobody comes.
  private func discardWalks() {
    guard walks.count > replays.count else { return }
    let places = Set(replays.values)
    walks = walks.filter { places.contains($0.key) }
  }

  private func keep(_ piece: Piece, at place: Place) {
    guard replays.count > 1, pieces.updateValue(piece, forKey: place) == nil else { return }
    order.append(place)
    piecesSize += piece.size
    while piecesSize > Replays.piecesBudget, !order.isEmpty {
      piecesSize -= pieces.removeValue(forKey: order.removeFirst())?.size ?? 0
    }
  }
}

extension Subscription {
  /// Whether pieces of the past may be kept for others: not where they show what one may see at that moment.
  fileprivate var isShareable: Bool { restriction == nil && !isWitnessed }
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
