import CGatehouseMemory

/// Entries of bytes, found by a hash: a four-way set-associative cache, one shard of a ``ShardedCache``.
///
/// The bytes are in a ring buffer, each entry's behind a header, and slots say where. An entry may be in any of four
/// neighbouring slots, and takes the one with the oldest. So adding one that will not be asked for again costs little
/// more than a copy: nothing is allocated or freed, and no table grows. Nothing depends on the hash but how often an
/// entry that is still wanted has to go.
///
/// `@unchecked Sendable`. Because its slots are nobody else's.
struct SetAssociativeCache: ~Copyable, @unchecked Sendable {
  /// All zeros: an entry that is long gone.
  struct Slot {
    /// In the ring.
    fileprivate var place: Int
    /// Bits of the hash that choose neither the slots nor the shard.
    fileprivate var tag: UInt32
    /// The bytes of the header and of what comes behind it.
    fileprivate var count: UInt32

    fileprivate static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 24) }
  }

  /// The object that an entry belongs to, and its version.
  struct Header {
    /// The class, in a schema.
    var table: Int
    var key: Int64
    var version: Int64 = 0
    /// The last change of the class when the version was last known to be the object's.
    var checked: Int64 = 0

    fileprivate static let size = MemoryLayout<Header>.size
  }

  /// How many slots an entry may be in: as many as share a line of the processor's cache.
  static let neighbours = 4
  /// The bytes that are fetched of an entry before it is asked for: the processor sees by itself that more follows.
  private static let fetched = 1024

  private var ring: RingBuffer
  private let slots: UnsafeMutableBufferPointer<Slot>

  /// `capacity` is in bytes, a power of two, as is the number of slots. They are zeros.
  init(capacity: Int, slots: UnsafeMutableBufferPointer<Slot>) {
    precondition(
      slots.count.nonzeroBitCount == 1 && slots.count >= Self.neighbours,
      "a hash has its slots by the bits at its end")
    ring = RingBuffer(capacity: capacity)
    self.slots = slots
  }

  /// The first of the slots that an entry may be in.
  static func first(_ hash: UInt64, of count: Int) -> Int {
    Int(truncatingIfNeeded: hash) & (count - neighbours)
  }

  /// The slot of the entry with that hash for which `isWanted` holds.
  func find(_ hash: UInt64, where isWanted: (Header, UnsafeRawBufferPointer) -> Bool) -> Int? {
    let (first, tag) = (Self.first(hash, of: slots.count), Slot.tag(hash))
    for index in first..<first + Self.neighbours where slots[index].tag == tag {
      if ring.holds(slots[index].place), isWanted(self[index], bytes(at: index)) { return index }
    }
    return nil
  }

  /// The header of the entry in that slot.
  subscript(index: Int) -> Header {
    get { stretch(at: index).load(as: Header.self) }
    nonmutating set { ring[slots[index].place].storeBytes(of: newValue, as: Header.self) }
  }

  /// The bytes of the entry in that slot.
  func bytes(at index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: stretch(at: index)[Header.size...])
  }

  /// Appends the bytes of the entry in that slot: what is asked for again does not go with what is as old.
  mutating func append(_ index: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: self.bytes(at: index))
    if ring.isOld(slots[index].place) {
      let stretch = stretch(at: index)
      slots[index].place = ring.add(stretch)
    }
  }

  /// Adds an entry, in place of the one with its hash or else of the oldest of its neighbours.
  mutating func add(_ bytes: UnsafeRawBufferPointer, behind header: Header, hash: UInt64) {
    let count = Header.size + bytes.count
    guard count <= ring.largestCount else { return }
    let (first, tag) = (Self.first(hash, of: slots.count), Slot.tag(hash))
    var chosen = first
    for index in first..<first + Self.neighbours {
      if slots[index].tag == tag {
        chosen = index
        break
      }
      if slots[index].place < slots[chosen].place { chosen = index }
    }
    let place = ring.reserve(count)
    slots[chosen] = Slot(place: place, tag: tag, count: UInt32(count))
    self[chosen] = header
    if let start = bytes.baseAddress {
      ring[place + Header.size].copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// Has the processor fetch the entry that will be asked for.
  func prefetch(_ hash: UInt64) {
    let (first, tag) = (Self.first(hash, of: slots.count), Slot.tag(hash))
    for index in first..<first + Self.neighbours where slots[index].tag == tag {
      guard ring.holds(slots[index].place) else { continue }
      let stretch = stretch(at: index)
      guard let start = stretch.baseAddress else { continue }
      memory_prefetch(start, min(stretch.count, Self.fetched))
    }
  }

  private func stretch(at index: Int) -> UnsafeRawBufferPointer {
    ring.bytes(at: slots[index].place, count: Int(slots[index].count))
  }
}
