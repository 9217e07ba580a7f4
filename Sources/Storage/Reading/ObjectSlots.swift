import Glibc

/// Where the entries of an ``ObjectCache`` are, by a hash.
///
/// An entry may be in any of four neighbouring slots, and takes the one with the oldest. Nothing depends on the
/// hash but how often that hits one that is still wanted.
struct ObjectSlots: ~Copyable {
  /// 64 bytes, so that four slots are four cache lines. All zeros: an entry that is long gone.
  struct Slot {
    var hash: UInt64
    /// The class' place in the catalog.
    var table: Int
    var key: Int64
    var version: Int64
    /// The last change of the class when the version was last known to be the object's.
    var checked: Int64
    /// Where the bytes are: the identifier's, if that is known, and the object's.
    var place: Int
    var identifierCount: Int
    var count: Int
  }

  private static let neighbours = 4

  private let slots: UnsafeMutablePointer<Slot>
  private let mask: Int

  /// `count` is a power of two. Memory is taken as it is used.
  init(count: Int) {
    precondition(count.nonzeroBitCount == 1 && count >= Self.neighbours)
    guard let memory = calloc(count, MemoryLayout<Slot>.stride) else { fatalError("out of memory") }
    slots = memory.bindMemory(to: Slot.self, capacity: count)
    mask = count / Self.neighbours - 1
  }

  deinit {
    free(slots)
  }

  subscript(index: Int) -> Slot {
    get { slots[index] }
    nonmutating set { slots[index] = newValue }
  }

  /// The slot with that hash for which `isWanted` holds.
  func find(_ hash: UInt64, where isWanted: (Slot) -> Bool) -> Int? {
    let first = first(hash)
    for index in first..<first + Self.neighbours where slots[index].hash == hash && isWanted(slots[index]) {
      return index
    }
    return nil
  }

  /// Puts an entry in the place of the one with its hash, or else of the oldest of its neighbours.
  func add(_ slot: Slot) {
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
  }

  private func first(_ hash: UInt64) -> Int {
    (Int(truncatingIfNeeded: hash) & mask) * Self.neighbours
  }
}
