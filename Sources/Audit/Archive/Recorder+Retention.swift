public import GatehouseBSON
import GatehouseModel
public import GatehouseStorage

extension Recorder {
  /// The most events that leave the store in one transaction, and are in one file.
  static let mostRetired = 5_000

  /// Moves the oldest events, as far as they happened before that time, into an archive, and returns their number.
  /// `write` must have made the archive durable when it returns. The newest event stays, whatever its age: the chain
  /// goes on from it. Where the store follows another one (``/GatehouseStorage/Store/isLeading``), that one decides, and nothing is done.
  public func retire(
    before time: Date, _ write: @escaping @Sendable (Archive) throws -> Void
  ) async throws -> Int {
    guard store.schema[StoredEvent.className]?.isTrail == true,
      store.replicationPoint == nil || store.isLeading
    else { return 0 }
    let found = try await store.read { reader in
      try reader.images(of: StoredEvent.className, after: nil, limit: Recorder.mostRetired + 1)
    }
    var old: [ChainedEvent] = []
    for object in found.dropLast() {
      guard let event = ChainedEvent(object.image, key: object.key), event.event.timestamp < time else {
        break
      }
      old.append(event)
    }
    guard let first = old.first, let last = old.last else { return 0 }
    let archive = Archive(old, after: try await chain(before: first))
    try write(archive)
    try await remove(old, last: last, into: archive)
    return old.count
  }

  /// The kind of the notices by which a store that follows writes archives of its own.
  public static let retirement = "audit.retire"

  /// Writes the archive of the events that a transaction of another store is about to remove, as ``retire(before:_:)`` has done there.
  public static func archive(
    by notice: ReplicationNotice, of store: Store, _ write: (Archive) throws -> Void
  ) throws {
    guard let retirement = Retirement(notice) else {
      throw StorageError.noticeFailed(kind: Recorder.retirement)
    }
    let found = try store.makeReader().images(
      of: StoredEvent.className, after: nil, limit: Recorder.mostRetired)
    let old = found.compactMap { ChainedEvent($0.image, key: $0.key) }.prefix {
      $0.key.value <= retirement.last
    }
    guard old.last?.key.value == retirement.last else {
      throw StorageError.noticeFailed(kind: Recorder.retirement)
    }
    try write(Archive(Array(old), after: retirement.previous))
  }

  /// Returns the chain before the store's oldest event, as the `retention` events name it.
  private func chain(before first: ChainedEvent) async throws -> String {
    if first.key.value == 0 { return Chain.origin }
    return try await store.read { reader in
      var key: ObjectKey?
      while true {
        let objects = try reader.images(of: StoredEvent.className, after: key, limit: 1000)
        guard let last = objects.last else { throw StorageError.corrupt(StoredEvent.className) }
        for object in objects {
          if let chain = ChainedEvent(object.image, key: object.key)?.chainBefore(first.key) { return chain }
        }
        key = last.key
      }
    }
  }

  private func remove(_ old: [ChainedEvent], last: ChainedEvent, into archive: Archive) async throws {
    var data = JSONText()
    data.append(#"{"chain":"#)
    data.quoted(last.chain)
    data.append(#","events":"#)
    data.int(Int64(old.count))
    data.append(#","file":"#)
    data.string(archive.name)
    data.append(#","next":"#)
    data.int(last.key.value + 1)
    data.append("}")
    let event = StoredEvent(
      timestamp: clock(), activity: "retention", event: StoredEvent.Kind.retention.rawValue,
      data: String(decoding: data.bytes, as: UTF8.self))
    var transaction = Transaction(
      old.map { .delete(objectType: StoredEvent.className, id: .objectID($0.id), precondition: .none) })
    transaction.isPrivileged = true
    transaction.notice = Retirement(last: last.key.value, previous: archive.previous).notice
    transaction.hook = hook(needsObjects: false) { _ in [event] }
    let commit = try await store.perform(transaction)
    noteTrailOnly(commit.version)
  }
}

/// The content of a notice of events that leave the store.
private struct Retirement {
  /// The key of the last one.
  let last: Int64
  /// The chain before the first one.
  let previous: String

  init(last: Int64, previous: String) {
    self.last = last
    self.previous = previous
  }

  init?(_ notice: ReplicationNotice) {
    guard case .document(let document)? = try? Value(json: notice.content),
      let last = document["last"]?.wholeNumber, case .string(let previous)? = document["previous"]
    else { return nil }
    self.init(last: last, previous: previous)
  }

  var notice: ReplicationNotice {
    var text = JSONText()
    text.append(#"{"last":"#)
    text.int(last)
    text.append(#","previous":"#)
    text.quoted(previous)
    text.append("}")
    return ReplicationNotice(Recorder.retirement, text.bytes)
  }
}

extension ChainedEvent {
  /// The chain at the key, if the event reports that everything before it was moved to an archive.
  fileprivate func chainBefore(_ key: ObjectKey) -> String? {
    guard event.event == StoredEvent.Kind.retention.rawValue, let data = event.data,
      case .document(let document)? = try? Value(json: Array(data.utf8)),
      case .string(let chain)? = document["chain"], document["next"]?.wholeNumber == key.value
    else { return nil }
    return chain
  }
}

extension Value {
  /// The number, if it is a whole one.
  var wholeNumber: Int64? {
    switch self {
    case .int32(let value): Int64(value)
    case .int64(let value): value
    default: nil
    }
  }
}
