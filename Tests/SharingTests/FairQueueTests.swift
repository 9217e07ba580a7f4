import GatehouseSeeded
import GatehouseSharing
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

  @Test func `who was served while nobody waited owes nothing for it`() throws {
    var queue = FairQueue<String>(capacity: 100)
    for _ in 0..<1_000 {
      queue.serve(Self.one)
      queue.charge(100, to: Self.one)
    }
    try Self.add(&queue, ["b1", "b2", "b3"], Self.two)
    try Self.add(&queue, ["a1"], Self.one)
    let order = Self.serve(&queue) { _ in 100 }
    #expect(order == ["b1", "b2", "a1", "b3"])
  }

  @Test func `callers that may have nothing now keep nobody waiting, and come when they may`() throws {
    var queue = FairQueue<String>(capacity: 100)
    try Self.add(&queue, ["a1", "a2"], Self.one)
    try Self.add(&queue, ["b1", "b2"], Self.two)
    #expect(queue.first() == "a1" && queue.first { $0 != Self.one } == "b1")
    let order = (0..<3).map { _ in queue.popFirst { $0 != Self.one }?.element }
    #expect(order == ["b1", "b2", nil])
    #expect(queue.count == 2 && queue.oldest == "a1")
    #expect(Self.serve(&queue) { _ in 1 } == ["a1", "a2"])
  }

  @Test func `what was put back comes before all others of its caller, and counts among its places`() throws {
    var queue = FairQueue<String>(capacity: 8)
    try Self.add(&queue, ["a1", "a2", "a3", "a4"], Self.one)
    let taken = [queue.popFirst(), queue.popFirst()].compactMap(\.self)
    #expect(taken.map(\.element) == ["a1", "a2"])
    queue.putBack(taken)
    #expect(queue.count == 4 && queue.oldest == "a1")
    #expect(throws: SharingError.share) { try queue.append("a5", for: Self.one) }
    #expect(Self.serve(&queue) { _ in 1 } == ["a1", "a2", "a3", "a4"])
  }

  // Where who has most makes room.

  private static func queue(_ elements: String, capacity: Int = 99, most: Int = 99) throws -> FairQueue<
    String
  > {
    var queue = FairQueue<String>(capacity: capacity, admission: .displaces(most: most))
    for element in elements.split(separator: " ") {
      try queue.append(String(element), for: caller(String(element)))
    }
    return queue
  }

  /// Callers are told apart by the letter in front.
  private static func caller(_ element: String) -> Caller {
    Caller(address: UInt64(element.utf8.first ?? 0))
  }

  private static func taken(_ queue: FairQueue<String>) -> String {
    var queue = queue
    return serve(&queue) { _ in 1 }.joined(separator: " ")
  }

  @Test(arguments: [
    ("", ""), ("a1 a2 a3", "a1 a2 a3"), ("a1 a2 a3 b1 c1 c2", "a1 b1 c1 a2 c2 a3"),
    ("b1 a1 a2 b2 a3", "b1 a1 a2 b2 a3"),
  ])
  func `callers take turns`(elements: String, order: String) throws {
    #expect(Self.taken(try Self.queue(elements)) == order)
  }

  @Test func `a caller has only so many places, and a full queue has room for who has less`() throws {
    var queue = try Self.queue("a1 a2 a3 b1", capacity: 5, most: 3)
    func add(_ element: String) throws(SharingError) -> String? {
      try queue.append(element, for: Self.caller(element))
    }
    #expect(throws: SharingError.share) { try add("a4") }
    #expect(try add("c1") == nil)
    #expect(try add("d1") == "a3")
    // Nobody has so much more that it would be fairer.
    #expect(throws: SharingError.exhausted) { try add("b2") }
    #expect(try add("e1") == "a2")
    #expect(throws: SharingError.exhausted) { try add("f1") }
    #expect(queue.count == 5 && Self.taken(queue) == "a1 b1 c1 d1 e1")
  }

  @Test func `many users of one address have its places together, and their own among themselves`() throws {
    var queue = FairQueue<String>(capacity: 6, admission: .displaces(most: 6))
    func user(_ name: String) -> Caller { Caller(address: 1, principal: name) }
    try Self.add(&queue, ["x1", "x2", "x3"], user("x"))
    for name in ["u", "v", "w"] { try queue.append(name, for: user(name)) }
    #expect(throws: SharingError.share) { try queue.append("x4", for: user("x")) }
    // Each has one only, but they have six together.
    let displaced = [
      try queue.append("b1", for: Self.two), try queue.append("b2", for: Self.two),
      try queue.append("b3", for: Self.two),
    ]
    #expect(displaced == ["x3", "x2", "w"])
    #expect(throws: SharingError.exhausted) { try queue.append("b4", for: Self.two) }
    #expect(Self.serve(&queue) { _ in 1 } == ["x1", "b1", "u", "b2", "v", "b3"])
  }

  @Test func `a colleague at the same address finds room beside somebody with many`() throws {
    var queue = FairQueue<String>(capacity: 4, admission: .displaces(most: 99))
    try Self.add(&queue, ["x1", "x2", "x3", "x4"], Caller(address: 1, principal: "x"))
    #expect(try queue.append("y1", for: Caller(address: 1, principal: "y")) == "x4")
    #expect(try queue.append("y2", for: Caller(address: 1, principal: "y")) == "x3")
    #expect(throws: SharingError.exhausted) {
      try queue.append("y3", for: Caller(address: 1, principal: "y"))
    }
  }

  /// A model: all elements in one list.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `room is made by the last element of who has most, and for nobody else`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = FairQueue<Int>(capacity: 12, admission: .displaces(most: 4))
    var model: [(address: UInt64, element: Int)] = []
    for element in 0..<300 {
      let address = UInt64.random(in: 0..<6, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        guard let (served, caller) = queue.popFirst() else { continue }
        queue.charge(1, to: caller)
        let index = model.firstIndex { $0.address == caller.address }
        #expect(index.map { model.remove(at: $0).element } == served)
        continue
      }
      let own = model.count { $0.address == address }
      let counts: [Int] = (0..<6 as Range<UInt64>).map { address in model.count { $0.address == address } }
      let most = counts.max() ?? 0
      do throws(SharingError) {
        if let displaced = try queue.append(element, for: Caller(address: address)) {
          let loser = model.first { $0.element == displaced }?.address
          #expect(model.count == 12 && model.count { $0.address == loser } == most && most > own + 1)
          #expect(model.last { $0.address == loser }?.element == displaced)
          model.removeAll { $0.element == displaced }
        }
        #expect(own < 4)
        model.append((address, element))
      } catch {
        #expect(error == .share ? own == 4 : own < 4 && model.count == 12 && most <= own + 1)
      }
      #expect(queue.count == model.count)
    }
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
      do throws(SharingError) {
        let displaced = try queue.append(number, for: caller)
        #expect(displaced == nil)
        waiting[caller, default: []].append(number)
      } catch {}
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
