/// A stack that keeps its memory, and whose top items become an array of exactly the right size, moved
/// rather than copied.
struct ScratchStack<Item>: ~Copyable {
  /// Replaced whenever the stack grows.
  private(set) var items: UnsafeMutablePointer<Item>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    items = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    items.deinitialize(count: count)
    items.deallocate()
  }

  @inline(__always)
  mutating func push(_ item: consuming Item) {
    if count == capacity { grow() }
    (items + count).initialize(to: item)
    count += 1
  }

  subscript(index: Int) -> Item {
    @inline(__always) get { items[index] }
  }

  /// Moves everything from `start` on out of the stack.
  @inline(__always)
  mutating func pop(from start: Int) -> [Item] {
    let popped = count - start
    precondition(start >= 0 && popped >= 0, "a container takes the items that were pushed since it began")
    if popped == 0 { return [] }
    let source = items + start
    count = start
    // `init(unsafeUninitializedCapacity:)` is not specialized: it looks up its type's metadata each time.
    var array: [Item] = []
    array.append(addingCapacity: popped) { output in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        buffer.baseAddress?.moveInitialize(from: source, count: popped)
        initialized = popped
      }
    }
    return array
  }

  /// Drops everything from `start` on.
  @inline(__always)
  mutating func drop(from start: Int) {
    precondition(start >= 0 && start <= count, "items are dropped that are there")
    (items + start).deinitialize(count: count - start)
    count = start
  }

  mutating func push(contentsOf source: UnsafeBufferPointer<Item>) {
    while count + source.count > capacity { grow() }
    if let base = source.baseAddress { (items + count).initialize(from: base, count: source.count) }
    count += source.count
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Item>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: items, count: count)
    items.deallocate()
    items = larger
    capacity *= 2
  }
}
