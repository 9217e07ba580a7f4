/// Entries of bytes, found by a hash: a part of an ``ObjectCache``.
///
/// The bytes are in a ring, and slots say where. An entry may be in any of four neighbouring slots, and takes the one
/// with the oldest. So adding one that will not be asked for again costs little more than a copy: nothing is allocated
/// or freed, and no table grows. Nothing depends on the hash but how often an entry that is still wanted has to go.
struct CacheShard: ~Copyable, Sendable {
  /// All zeros: an entry that is long gone.
  struct Slot {
    var hash: UInt64
    /// The class, in a schema.
    var table: Int
    var key: Int64
    var version: Int64 = 0
    /// The last change of the class when the version was last known to be the object's.
    var checked: Int64 = 0
    fileprivate var place = 0
    fileprivate var count = 0

    init(hash: UInt64, table: Int, key: Int64) {
      (self.hash, self.table, self.key) = (hash, table, key)
    }
  }

  private static let neighbours = 4

  private var ring: ByteRing
  private let memory: LazyMemory
  private let mask: Int

  /// The bytes of the ring and the number of slots are powers of two.
  init(bytes: Int, slots: Int) {
    precondition(slots.nonzeroBitCount == 1 && slots >= Self.neighbours)
    ring = ByteRing(capacity: bytes)
    memory = LazyMemory(count: slots * MemoryLayout<Slot>.stride)
    mask = slots / Self.neighbours - 1
  }

  private var slots: UnsafeMutablePointer<Slot> { memory.start.assumingMemoryBound(to: Slot.self) }

  subscript(index: Int) -> Slot {
    get { slots[index] }
    nonmutating set { slots[index] = newValue }
  }

  /// The slot with that hash for which `isWanted` holds.
  func find(_ hash: UInt64, where isWanted: (Slot) -> Bool) -> Int? {
    let first = first(hash)
    for index in first..<first + Self.neighbours where slots[index].hash == hash {
      if ring.holds(slots[index].place), isWanted(slots[index]) { return index }
    }
    return nil
  }

  func bytes(of slot: Slot) -> UnsafeRawBufferPointer {
    ring.bytes(at: slot.place, count: slot.count)
  }

  /// Appends the bytes of the entry at `index`: what is asked for again does not go with what is as old.
  mutating func append(_ index: Int, to bytes: inout [UInt8]) {
    let stored = self.bytes(of: slots[index])
    bytes.append(contentsOf: stored)
    if ring.isOld(slots[index].place) { slots[index].place = ring.add(stored) }
  }

  /// Adds an entry, in place of the one with its hash or else of the oldest of its neighbours.
  mutating func add(_ slot: Slot, _ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= ring.largestCount else { return }
    let first = first(slot.hash)
    var chosen = first
    for index in first..<first + Self.neighbours {
      if slots[index].hash == slot.hash, slots[index].table == slot.table {
        chosen = index
        break
      }
      if slots[index].place < slots[chosen].place { chosen = index }
    }
    slots[chosen] = slot
    slots[chosen].place = ring.add(bytes)
    slots[chosen].count = bytes.count
  }

  private func first(_ hash: UInt64) -> Int {
    (Int(truncatingIfNeeded: hash) & mask) * Self.neighbours
  }
}
