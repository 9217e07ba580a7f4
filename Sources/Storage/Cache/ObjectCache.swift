/// Objects as they were written last: plain JSON, all stored properties. All readers of a store share it; it is a sharded
/// four-way set-associative cache, whose bytes lie in ring buffers.
///
/// The JSON of an object depends on the object alone: on its row, its collections and embedded objects, each
/// change of which is a new version of the object, and on the primary keys of those that it links to, which
/// never change. So its version tells whether the bytes still hold; and as long as no object of the class
/// changed, not even that need be looked up. What clients identify an object by leads to its key, which nothing
/// else ever has, and never changes either.
final class ObjectCache: Sendable {
  /// The answer of the cache about an object.
  enum Finding: Equatable {
    case unknown
    /// It was of that version, at a change of its class that is not the last.
    case unsure(version: Int64)
    /// It is of that version, and its bytes were appended.
    case current(version: Int64)
  }

  private let objects: ShardedCache
  private let identifiers: ShardedCache

  /// `budget` is in bytes, a power of two, three quarters of which are taken in time.
  init(budget: Int) {
    objects = ShardedCache(bytes: budget / 2, slots: budget / 256)
    identifiers = ShardedCache(bytes: budget / 8, slots: budget / 512)
  }

  /// Appends the object's bytes if they hold as of the last `change` of its class.
  func append(_ table: Int, _ key: Int64, asOf change: Int64, to bytes: inout [UInt8]) -> Finding {
    find(table, key) { shard, index in
      let header = shard[index]
      precondition(header.version <= header.checked, "an object was looked at after its last change")
      guard header.checked == change else { return .unsure(version: header.version) }
      shard.append(index, to: &bytes)
      return .current(version: header.version)
    } ?? .unknown
  }

  /// Notes that the object is of that version as of a `change` of its class, and appends its bytes; false: it has gone
  /// meanwhile, or been added anew.
  func confirm(
    _ table: Int, _ key: Int64, version: Int64, asOf change: Int64, to bytes: inout [UInt8]
  ) -> Bool {
    find(table, key) { shard, index in
      guard shard[index].version == version else { return false }
      shard[index].checked = max(version, change)
      shard.append(index, to: &bytes)
      return true
    } ?? false
  }

  /// Adds the object, unless it is there in that version; tells whether it was.
  @discardableResult
  func add(
    _ bytes: UnsafeRawBufferPointer, of table: Int, _ key: Int64, version: Int64, asOf change: Int64
  ) -> Bool {
    let hash = CacheHash.of(table, UInt64(bitPattern: key))
    // A version newer than `change` was read from a later state.
    let header = SetAssociativeCache.Header(
      table: table, key: key, version: version, checked: max(version, change))
    return objects.withShard(hash) { shard in
      let known = shard.find(hash) { header, _ in
        header.key == key && header.table == table && header.version == version
      }
      if known == nil { shard.add(bytes, behind: header, hash: hash) }
      return known != nil
    }
  }

  /// Has the processor fetch what tells where the object is.
  func approach(_ table: Int, _ key: Int64) {
    objects.prefetchSlots(CacheHash.of(table, UInt64(bitPattern: key)))
  }

  /// Has the processor fetch the object, if it is there.
  func prefetch(_ table: Int, _ key: Int64) {
    let hash = CacheHash.of(table, UInt64(bitPattern: key))
    objects.withShard(hash) { $0.prefetch(hash) }
  }

  /// The key of the object that clients identify by `identifier`, which is made of a ``MixedCoding``.
  func key(_ table: Int, _ identifier: [UInt8]) -> Int64? {
    identifier.withUnsafeBytes { wanted in
      let hash = CacheHash.of(table, wanted)
      return identifiers.withShard(hash) { shard in
        let found = shard.find(hash) { header, bytes in header.table == table && bytes.elementsEqual(wanted) }
        return found.map { shard[$0].key }
      }
    }
  }

  func add(_ table: Int, _ key: Int64, identifier: [UInt8]) {
    identifier.withUnsafeBytes { bytes in
      let hash = CacheHash.of(table, bytes)
      identifiers.withShard(hash) {
        $0.add(bytes, behind: SetAssociativeCache.Header(table: table, key: key), hash: hash)
      }
    }
  }

  private func find<Answer>(
    _ table: Int, _ key: Int64, then body: (inout SetAssociativeCache, Int) -> Answer
  ) -> Answer? {
    let hash = CacheHash.of(table, UInt64(bitPattern: key))
    return objects.withShard(hash) { shard in
      let found = shard.find(hash) { header, _ in header.key == key && header.table == table }
      return found.map { body(&shard, $0) }
    }
  }
}
