import Glibc

/// Stretches of bytes in a ring: what is added takes the place of what was added first.
///
/// The place of a stretch is how many bytes were added before it since the beginning, so that one comparison tells
/// whether it has been overwritten, and nothing is ever removed.
struct ByteRing: ~Copyable, Sendable {
  private let memory: LazyMemory
  private let capacity: Int
  /// Where the next stretch begins. It starts behind a whole round, which makes place 0 one that is gone.
  private var end: Int

  /// `capacity` is in bytes, a power of two.
  init(capacity: Int) {
    precondition(capacity.nonzeroBitCount == 1)
    memory = LazyMemory(count: capacity)
    self.capacity = capacity
    end = capacity + 1
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

  func bytes(at place: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory.start + (place & (capacity - 1)), count: count)
  }

  /// Adds the bytes, which may lie in the ring, and returns their place.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> Int {
    // No stretch goes around the corner.
    let offset = end & (capacity - 1)
    if offset + bytes.count > capacity { end += capacity - offset }
    let place = end
    if let base = bytes.baseAddress { memmove(memory.start + (place & (capacity - 1)), base, bytes.count) }
    end += bytes.count
    return place
  }
}
