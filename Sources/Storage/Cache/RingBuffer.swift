import Glibc

/// Stretches of bytes in a ring: what is added takes the place of what was added first.
///
/// The place of a stretch is how many bytes were added before it since the beginning, so that one comparison tells
/// whether it has been overwritten, and nothing is ever removed. Stretches begin where any value may.
struct RingBuffer: ~Copyable, Sendable {
  private static let alignment = 8

  private let memory: AnonymousMapping
  private let capacity: Int
  /// Where the next stretch begins. It starts behind a whole round, which makes place 0 one that is gone.
  private var end: Int

  /// `capacity` is in bytes, a power of two.
  init(capacity: Int) {
    precondition(
      capacity.nonzeroBitCount == 1 && capacity > Self.alignment,
      "a place has its memory by the bits at its end")
    memory = AnonymousMapping(count: capacity)
    self.capacity = capacity
    end = capacity + Self.alignment
  }

  /// The largest stretch that is worth the others that it takes the place of.
  var largestCount: Int { capacity / 16 }

  /// Whether the stretch that was added at `place` is still there.
  func holds(_ place: Int) -> Bool {
    end - place <= capacity
  }

  /// Whether the stretch at `place` is among those that go next.
  func isOld(_ place: Int) -> Bool {
    end - place > capacity / 4 * 3
  }

  /// The memory from `place` on.
  subscript(place: Int) -> UnsafeMutableRawPointer {
    memory.start + (place & (capacity - 1))
  }

  func bytes(at place: Int, count: Int) -> UnsafeRawBufferPointer {
    precondition(
      holds(place) && place & (capacity - 1) + count <= capacity, "a stretch is read where it is still")
    return UnsafeRawBufferPointer(start: self[place], count: count)
  }

  /// Makes room for a stretch of at most ``largestCount`` bytes, and returns its place.
  mutating func reserve(_ count: Int) -> Int {
    precondition(count >= 0 && count <= largestCount, "a stretch fits into the ring")
    let wasHalfEmpty = end - capacity < capacity / 2
    // No stretch goes around the corner.
    let offset = end & (capacity - 1)
    if offset + count > capacity { end += capacity - offset }
    let place = end
    end += (count + Self.alignment - 1) & ~(Self.alignment - 1)
    // From now on the memory is no more than twice what is needed.
    if wasHalfEmpty, end - capacity >= capacity / 2 { memory.useLargePages() }
    return place
  }

  /// Adds the bytes, which may lie in the ring, and returns their place.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> Int {
    let place = reserve(bytes.count)
    if let start = bytes.baseAddress { memmove(self[place], start, bytes.count) }
    return place
  }
}
