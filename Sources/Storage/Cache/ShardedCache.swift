import CGatehouseMemory
import Synchronization

/// The shards of an ``ObjectCache``, each behind a lock.
///
/// They stay where they are, in lines of the processor's cache of their own, so that threads which want different ones
/// do not meet: not even a reference is counted, which would be to write to what all of them share.
///
/// `@unchecked Sendable`. Because the memory is written to before anybody else knows of it, and then by the locks.
struct ShardedCache: ~Copyable, @unchecked Sendable {
  private typealias Shard = Mutex<SetAssociativeCache>

  /// The number of shards, so large that threads seldom want the same one at once.
  private static let count = 16
  /// Two lines, since processors fetch them by pairs.
  private static let stride = 128

  private let memory: UnsafeMutableRawPointer
  private let slotMemory: AnonymousMapping
  /// The number of slots of each shard.
  private let slotCount: Int

  /// `bytes` and `slots` are for all shards together, powers of two.
  init(bytes: Int, slots: Int) {
    precondition(MemoryLayout<Shard>.size <= Self.stride, "a shard has cache lines of its own")
    slotCount = slots / Self.count
    slotMemory = AnonymousMapping(count: slots * MemoryLayout<SetAssociativeCache.Slot>.stride)
    memory = .allocate(byteCount: Self.count * Self.stride, alignment: Self.stride)
    for index in 0..<Self.count {
      let own = UnsafeMutableBufferPointer(start: self.slots + index * slotCount, count: slotCount)
      (memory + index * Self.stride).initializeMemory(
        as: Shard.self, to: Mutex(SetAssociativeCache(capacity: bytes / Self.count, slots: own)))
    }
  }

  deinit {
    for index in 0..<Self.count { shard(index).deinitialize(count: 1) }
    memory.deallocate()
  }

  /// Runs `body` with the shard of entries with that hash.
  @inline(__always)
  func withShard<Answer>(_ hash: UInt64, _ body: (inout SetAssociativeCache) -> Answer) -> Answer {
    shard(index(hash)).pointee.withLock { body(&$0) }
  }

  /// Has the processor fetch the slots of an entry that will be asked for.
  func prefetchSlots(_ hash: UInt64) {
    memory_prefetch(slots + index(hash) * slotCount + SetAssociativeCache.first(hash, of: slotCount), 1)
  }

  private var slots: UnsafeMutablePointer<SetAssociativeCache.Slot> {
    slotMemory.start.assumingMemoryBound(to: SetAssociativeCache.Slot.self)
  }

  /// By the bits that decide on no slot.
  private func index(_ hash: UInt64) -> Int {
    Int(hash >> 60)
  }

  private func shard(_ index: Int) -> UnsafeMutablePointer<Shard> {
    (memory + index * Self.stride).assumingMemoryBound(to: Shard.self)
  }
}
