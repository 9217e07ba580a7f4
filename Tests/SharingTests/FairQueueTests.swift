import Seeded
import Sharing
import Testing

@Suite struct FairQueueTests {
  private static let (one, two, three) = (Caller(address: 1), Caller(address: 2), Caller(address: 3))

  /// Serves everything, each at a cost; returns the order.
  private static func serve(_ queue: inout FairQueue<String>, cost: (String) -> UInt64) -> [String] {
    var order: [String] = []
    while let (name, caller) = queue.popFirst() {
      order.append(name)
      queue.charge(cost(name), to: caller)
    }
    return order
  }

  private static func add(_ queue: inout FairQueue<String>, _ names: [String], _ caller: Caller) throws {
    for name in names { try queue.append(name, for: caller) }
  }

  @Test func `who comes with one waits for one of those who came with many`() throws {
    var queue = FairQueue<String>(capacity: 100)
    try Self.add(&queue, ["a1", "a2", "a3", "a4"], Self.one)
    try Self.add(&queue, ["b1", "b2"], Self.two)
    try Self.add(&queue, ["c1"], Self.three)
    let order = Self.serve(&queue) { _ in 1 }
    #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
  }

  @Test func `what was spent counts, not the number of turns`() throws {
    var queue = FairQueue<String>(capacity: 100)
    try Self.add(&queue, ["a1", "a2", "a3"], Self.one)
    try Self.add(&queue, ["b1", "b2", "b3", "b4", "b5"], Self.two)
    let order = Self.serve(&queue) { $0.hasPrefix("a") ? 4 : 1 }
    #expect(order == ["a1", "b1", "b2", "b3", "b4", "a2", "b5", "a3"])
  }

  @Test func `who was away has saved up nothing`() throws {
    var queue = FairQueue<String>(capacity: 100)
    try Self.add(&queue, (0..<20).map { "a\($0)" }, Self.one)
    for _ in 0..<10 { if let (_, caller) = queue.popFirst() { queue.charge(100, to: caller) } }
    try Self.add(&queue, ["b1", "b2", "b3"], Self.two)
    let order = Self.serve(&queue) { _ in 100 }
    #expect(order.prefix(5) == ["b1", "a10", "b2", "a11", "b3"])
  }

  @Test func `many users of one address have one share, which they share`() throws {
    var queue = FairQueue<String>(capacity: 100)
    let (flood, colleague) = (Caller(address: 1, principal: "x"), Caller(address: 1, principal: "y"))
    try Self.add(&queue, ["x1", "x2", "x3", "x4"], flood)
    try Self.add(&queue, ["y1"], colleague)
    try Self.add(&queue, ["z1", "z2"], Caller(address: 2, principal: "z"))
    let order = Self.serve(&queue) { _ in 1 }
    #expect(order == ["x1", "z1", "y1", "z2", "x2", "x3", "x4"])
  }

  @Test func `the places are shared out, and who leaves gives his back`() throws {
    var queue = FairQueue<Int>(capacity: 8)
    for number in 0..<4 { try queue.append(number, for: Self.one) }
    #expect(throws: SharingError.share) { try queue.append(9, for: Self.one) }
    for number in 4..<6 { try queue.append(number, for: Self.two) }
    let removed = [queue.removeFirst { $0 == 0 }, queue.removeFirst { $0 == 0 }]
    #expect(removed == [0, nil])
    #expect(queue.oldest == 1)
    let oldest = queue.removeOldest { $0 < 3 }
    #expect(oldest == [1, 2])
    #expect(queue.count == 3)
    let rest = (0..<4).map { _ in queue.popFirst()?.element }
    #expect(rest == [3, 4, 5, nil])
    #expect(queue.isEmpty)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `everything that is taken comes out once, each caller's in its order, and nobody waits for ever`(
    seed: UInt64
  )
    throws
  {
    var generator = SeededGenerator(seed: seed)
    var queue = FairQueue<Int>(capacity: 40)
    var waiting: [Caller: [Int]] = [:]
    for number in 0..<2_000 {
      let caller = Caller(
        address: .random(in: 0..<4, using: &generator),
        principal: ["", "p", "q"].randomElement(using: &generator) ?? "")
      if (try? queue.append(number, for: caller)) != nil { waiting[caller, default: []].append(number) }
      guard Int.random(in: 0..<3, using: &generator) > 0, let (served, owner) = queue.popFirst() else {
        continue
      }
      queue.charge(.random(in: 1...50, using: &generator), to: owner)
      #expect(waiting[owner]?.removeFirst() == served)
      // 40 places, each service at most 50 times another: whoever waits has had its turn long since.
      #expect(number - served < 2_000 / 2)
    }
    while let (served, owner) = queue.popFirst() { #expect(waiting[owner]?.removeFirst() == served) }
    #expect(waiting.values.allSatisfy { $0.isEmpty })
  }
}
