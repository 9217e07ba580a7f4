internal import Synchronization

/// Numbers that event loops add to, each of them in a shard of its own.
///
/// A shard's numbers stand together, in lines of the processor's cache that no other shard has a part of: loops that
/// write to the same instrument do not meet.
///
/// `@unchecked Sendable`. Because the memory is written to before anybody else knows of it, and then by atomic steps.
struct Tally: ~Copyable, @unchecked Sendable {
  private typealias Number = Atomic<Int>

  /// Two lines, since processors fetch them by pairs.
  private static let alignment = 128

  private let memory: UnsafeMutableRawPointer
  private let count: Int
  private let shardCount: Int
  /// From one shard to the next, in bytes.
  private let stride: Int

  /// Allocates `count` numbers for each shard, all 0.
  init(count: Int = 1, shardCount: Int) {
    precondition(count > 0 && shardCount > 0, "each shard has a number, and there is one")
    let size = count * MemoryLayout<Number>.stride
    self.count = count
    self.shardCount = shardCount
    stride = (size + Self.alignment - 1) / Self.alignment * Self.alignment
    memory = .allocate(byteCount: shardCount * stride, alignment: Self.alignment)
    for shard in 0..<shardCount {
      for index in 0..<count {
        (memory + shard * stride + index * MemoryLayout<Number>.stride).initializeMemory(
          as: Number.self, to: Number(0))
      }
    }
  }

  deinit {
    memory.deallocate()
  }

  /// Adds to a number, in the shard of the caller's event loop.
  @inline(__always)
  func add(_ amount: Int, to index: Int = 0, shard: Int) {
    number(index, shard).pointee.wrappingAdd(amount, ordering: .relaxed)
  }

  /// Puts a number into a shard, in place of the one there.
  func set(_ value: Int, shard: Int) {
    number(0, shard).pointee.store(value, ordering: .relaxed)
  }

  /// The sum over the shards.
  func sum(of index: Int = 0) -> Int {
    (0..<shardCount).reduce(0) { $0 &+ number(index, $1).pointee.load(ordering: .relaxed) }
  }

  @inline(__always)
  private func number(_ index: Int, _ shard: Int) -> UnsafeMutablePointer<Number> {
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: count)
        && UInt(bitPattern: shard) < UInt(bitPattern: shardCount),
      "a number is one of its shard's")
    return (memory + shard * stride).assumingMemoryBound(to: Number.self) + index
  }
}
