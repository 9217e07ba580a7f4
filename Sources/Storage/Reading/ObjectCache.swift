import Synchronization

/// Objects as they were written last: plain JSON, all stored properties. All readers of a store share it.
///
/// What an object shows depends on the object alone: on its row, its collections and embedded objects, each
/// change of which is a new version of the object, and on the primary keys of those that it links to, which
/// never change. So its version tells whether the bytes still hold; and as long as no object of the class
/// changed, not even that need be looked up. What clients identify an object by leads to its key, which nothing
/// else ever has, and never changes either.
final class ObjectCache: Sendable {
  /// What is known of an object.
  enum Finding: Equatable {
    case unknown
    /// It was of that version, at a change of its class that is not the last.
    case unsure(version: Int64)
    /// It is of that version, and its bytes were appended.
    case current(version: Int64)
  }

  private final class Part: Sendable {
    let shard: Mutex<CacheShard>

    init(bytes: Int, slots: Int) {
      shard = Mutex(CacheShard(bytes: bytes, slots: slots))
    }
  }

  /// So many that threads seldom want the same one at once.
  private static let partCount = 16

  private let objects: [Part]
  private let identifiers: [Part]

  /// `budget` is in bytes, a power of two, all of which is taken in time.
  init(budget: Int) {
    let share = budget / Self.partCount
    objects = (0..<Self.partCount).map { _ in Part(bytes: share / 2, slots: share / 256) }
    identifiers = (0..<Self.partCount).map { _ in Part(bytes: share / 16, slots: share / 512) }
  }

  /// Appends the object's bytes if they hold as of the last `change` of its class.
  func append(_ table: Int, _ key: Int64, asOf change: Int64, to bytes: inout [UInt8]) -> Finding {
    find(table, key) { shard, index in
      let slot = shard[index]
      guard slot.checked == change else { return .unsure(version: slot.version) }
      shard.append(index, to: &bytes)
      return .current(version: slot.version)
    } ?? .unknown
  }

  /// Notes that the object is of that version as of a `change` of its class, and appends its bytes; false: it has gone
  /// meanwhile, or been added anew.
  func confirm(
    _ table: Int, _ key: Int64, _ version: Int64, asOf change: Int64, to bytes: inout [UInt8]
  ) -> Bool {
    find(table, key) { shard, index in
      guard shard[index].version == version else { return false }
      shard[index].checked = change
      shard.append(index, to: &bytes)
      return true
    } ?? false
  }

  /// Adds the object, unless it is there in that version; tells whether it was.
  @discardableResult
  func add(
    _ table: Int, _ key: Int64, version: Int64, asOf change: Int64, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    let hash = CacheHash.of(table, UInt64(bitPattern: key))
    var slot = CacheShard.Slot(hash: hash, table: table, key: key)
    slot.version = version
    slot.checked = change
    return withShard(of: objects, hash) { shard in
      let known = shard.find(hash) { $0.key == key && $0.table == table && $0.version == version }
      if known == nil { shard.add(slot, bytes) }
      return known != nil
    }
  }

  /// The key of the object that clients identify by `identifier`, which is made of a ``MixedCoding``.
  func key(_ table: Int, _ identifier: [UInt8]) -> Int64? {
    identifier.withUnsafeBytes { wanted in
      let hash = CacheHash.of(table, wanted)
      return withShard(of: identifiers, hash) { shard in
        let found = shard.find(hash) { $0.table == table && shard.bytes(of: $0).elementsEqual(wanted) }
        return found.map { shard[$0].key }
      }
    }
  }

  func add(_ table: Int, _ key: Int64, identifier: [UInt8]) {
    identifier.withUnsafeBytes { bytes in
      let hash = CacheHash.of(table, bytes)
      let slot = CacheShard.Slot(hash: hash, table: table, key: key)
      withShard(of: identifiers, hash) { $0.add(slot, bytes) }
    }
  }

  private func find<Answer>(
    _ table: Int, _ key: Int64, _ body: (inout CacheShard, Int) -> Answer
  ) -> Answer? {
    let hash = CacheHash.of(table, UInt64(bitPattern: key))
    return withShard(of: objects, hash) { shard in
      guard let index = shard.find(hash, where: { $0.key == key && $0.table == table }) else { return nil }
      return body(&shard, index)
    }
  }

  /// The shard is chosen by the bits that decide on no slot.
  ///
  /// A buffer lends its elements: to count references to a part would be to write to what all threads share.
  @inline(__always)
  private func withShard<Answer>(
    of parts: [Part], _ hash: UInt64, _ body: (inout CacheShard) -> Answer
  ) -> Answer {
    parts.withUnsafeBufferPointer { parts in parts[Int(hash >> 60)].shard.withLock { body(&$0) } }
  }
}
