import Storage

/// Tells those who come back what they missed, a page of one after a page of the other.
actor Replays {
  private struct Replay {
    let watch: Watch
    let group: Group
  }

  private let reader: Reader
  private let options: FeedOptions
  private var replays: [ObjectIdentifier: Replay] = [:]

  /// So many changes are looked at for a page.
  private static let portion = 500

  init(_ store: Store, _ options: FeedOptions) throws(StorageError) {
    self.options = options
    reader = try store.makeReader()
  }

  /// Throws ``StorageError/positionExpired``.
  func begin(
    _ key: ObjectIdentifier, _ subscription: Subscription, from start: StreamStart
  ) throws(StorageError) {
    replays[key] = try reader.snapshot { (snapshot) throws(StorageError) in
      guard let bound = try? subscription.bound(in: snapshot.schema) else { throw .positionExpired }
      let watch = Watch(
        from: try snapshot.position(of: start), schema: snapshot.schema, limit: options.distantObjects,
        ofPast: true)
      let group = Group(number: 0, subscription, bound)
      watch.add(group, bound)
      return Replay(watch: watch, group: group)
    }
  }

  /// The next events, perhaps none, up to that version; nil: that was all.
  func next(_ key: ObjectIdentifier, through last: Int64) throws(StorageError) -> Parcel? {
    guard let replay = replays[key] else { return nil }
    let watch = replay.watch
    return try reader.snapshot { (snapshot) throws(StorageError) in
      // What changed the schema is the hub's to explain.
      guard snapshot.schema == watch.schema else { throw .positionExpired }
      try watch.look(snapshot)
      let hasMore = try watch.walk(snapshot, through: last, limit: Replays.portion)
      _ = watch.takeTold()
      let parcel = replay.group.parcel
      replay.group.parcel = Parcel()
      return hasMore || !parcel.bytes.isEmpty ? parcel : nil
    }
  }

  func end(_ key: ObjectIdentifier) {
    replays[key] = nil
  }
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
