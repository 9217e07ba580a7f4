import Glibc

/// Stretches of bytes in a ring: what is added takes the place of what was added first.
///
/// The place of a stretch is how many bytes were added before it since the beginning, so that one comparison tells
/// whether it has been overwritten, and nothing is ever removed.
struct ByteRing: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  /// Where the next stretch begins. It starts behind a whole round, which makes place 0 one that is gone.
  private var end: Int

  /// `capacity` is in bytes, a power of two. Memory is taken as it is written.
  init(capacity: Int) {
    precondition(capacity.nonzeroBitCount == 1)
    guard let memory = malloc(capacity) else { fatalError("out of memory") }
    self.memory = memory
    self.capacity = capacity
    end = capacity
  }

  deinit {
    free(memory)
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
    UnsafeRawBufferPointer(start: memory + (place & (capacity - 1)), count: count)
  }

  /// Adds the bytes of both, one behind the other, and returns the place of the first. They may lie in the ring.
  mutating func add(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    let count = first.count + second.count
    // No stretch goes around the corner.
    if end & (capacity - 1) + count > capacity { end += capacity - end & (capacity - 1) }
    let place = end
    let start = memory + (place & (capacity - 1))
    if let base = first.baseAddress { memmove(start, base, first.count) }
    if let base = second.baseAddress { memmove(start + first.count, base, second.count) }
    end += count
    return place
  }
}
