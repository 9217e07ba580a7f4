import Storage

/// Tells those who come back what they missed, a page of one after a page of the other.
actor Replays {
  private struct Replay {
    let watch: Watch
    let group: Group
  }

  private let reader: Reader
  private var replays: [ObjectIdentifier: Replay] = [:]

  /// So many changes are looked at for a page.
  private static let portion = 500

  init(_ store: Store) throws(StorageError) {
    reader = try store.makeReader()
  }

  /// Throws ``StorageError/positionExpired``.
  func begin(
    _ key: ObjectIdentifier, _ subscription: Subscription, from start: LogStart
  ) throws(StorageError) {
    replays[key] = try reader.snapshot { (snapshot) throws(StorageError) in
      guard let bound = try? subscription.bound(in: snapshot.schema) else { throw .positionExpired }
      let watch = Watch(from: try snapshot.position(of: start), schema: snapshot.schema)
      let group = Group(number: 0, subscription, shape: bound.shape)
      watch.add(group, bound.filter)
      return Replay(watch: watch, group: group)
    }
  }

  /// The next events, perhaps none, up to that version; nil: that was all.
  func next(_ key: ObjectIdentifier, through last: Int64) throws(StorageError) -> [UInt8]? {
    guard let replay = replays[key] else { return nil }
    let watch = replay.watch
    return try reader.snapshot { (snapshot) throws(StorageError) in
      // What changed the schema is the hub's to explain.
      guard snapshot.schema == watch.schema else { throw .positionExpired }
      try watch.look(snapshot)
      let hasMore = try watch.walk(snapshot, through: last, limit: Replays.portion)
      _ = watch.takeTold()
      let frames = replay.group.frames
      replay.group.frames = []
      return hasMore || !frames.isEmpty ? frames : nil
    }
  }

  func end(_ key: ObjectIdentifier) {
    replays[key] = nil
  }
}
