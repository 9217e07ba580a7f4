import Seeded
import Testing

@testable import API

@Suite struct RoundRobinQueueTests {
  private func queue(_ elements: String, capacity: Int = 99, perKey: Int = 99) -> RoundRobinQueue<
    Character, String
  > {
    var queue = RoundRobinQueue<Character, String>(capacity: capacity, capacityPerKey: perKey)
    for element in elements.split(separator: " ") { _ = queue.append(String(element), for: element.first!) }
    return queue
  }

  private func taken(_ queue: RoundRobinQueue<Character, String>) -> String {
    var queue = queue
    var elements: [String] = []
    while let element = queue.popFirst() { elements.append(element) }
    return elements.joined(separator: " ")
  }

  @Test(arguments: [
    ("", ""), ("a1 a2 a3", "a1 a2 a3"), ("a1 a2 a3 b1 c1 c2", "a1 b1 c1 a2 c2 a3"),
    ("b1 a1 a2 b2 a3", "b1 a1 b2 a2 a3"),
  ])
  func `keys take turns`(elements: String, order: String) {
    #expect(taken(queue(elements)) == order)
  }

  @Test func `a key has only so much, and a full queue has room for who has less`() {
    var queue = queue("a1 a2 a3 b1", capacity: 5, perKey: 3)
    #expect(described(queue.append("a4", for: "a")) == "refused")
    #expect(described(queue.append("c1", for: "c")) == "admitted")
    #expect(described(queue.append("d1", for: "d")) == "displacing a3")
    // Nobody has so much more that it would be fairer.
    #expect(described(queue.append("b2", for: "b")) == "refused")
    #expect(described(queue.append("e1", for: "e")) == "displacing a2")
    #expect(described(queue.append("f1", for: "f")) == "refused")
    #expect(queue.count == 5 && taken(queue) == "a1 b1 c1 d1 e1")
  }

  @Test func `an element is taken away`() {
    var queue = queue("a1 a2 b1 c1")
    #expect(queue.remove(of: "b") { $0 == "b1" } == "b1")
    #expect(queue.remove(of: "b") { $0 == "b1" } == nil)
    #expect(queue.remove(of: "a") { $0 == "a1" } == "a1")
    #expect(queue.remove(of: "a") { $0 == "c1" } == nil)
    #expect(queue.count == 2 && taken(queue) == "a2 c1")
  }

  /// A model: all elements in one list, and the turns as a list of keys.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `it does what a plain list of turns does`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = RoundRobinQueue<Int, Int>(capacity: 12, capacityPerKey: 4)
    var model: [(key: Int, element: Int)] = []
    var turns: [Int] = []
    for element in 0..<300 {
      let key = Int.random(in: 0..<6, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        #expect(queue.popFirst() == take(from: &model, &turns))
      case 1 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        let (key, element) = model.remove(at: index)
        if !model.contains(where: { $0.key == key }) { turns.removeAll { $0 == key } }
        #expect(queue.remove(of: key) { $0 == element } == element)
      default:
        let own = model.count { $0.key == key }
        switch queue.append(element, for: key) {
        case .refused: #expect(own == 4 || model.count == 12)
        case .admitted:
          #expect(own < 4 && model.count < 12)
          add(element, key, to: &model, &turns)
        case .displacing(let other):
          let index = model.firstIndex { $0.element == other }
          guard model.count == 12, let index else {
            Issue.record("\(other) was not there")
            return
          }
          let loser = model.remove(at: index).key
          let most = (0..<6).map { key in model.count { $0.key == key } }.max() ?? 0
          #expect(model.count { $0.key == loser } + 1 >= most && loser != key)
          #expect(!model[index...].contains { $0.key == loser })
          add(element, key, to: &model, &turns)
        }
      }
      #expect(queue.count == model.count)
    }
  }

  private func add(
    _ element: Int, _ key: Int, to model: inout [(key: Int, element: Int)], _ turns: inout [Int]
  ) {
    model.append((key, element))
    if !turns.contains(key) { turns.append(key) }
  }

  private func take(from model: inout [(key: Int, element: Int)], _ turns: inout [Int]) -> Int? {
    guard !turns.isEmpty else { return nil }
    let key = turns.removeFirst()
    guard let index = model.firstIndex(where: { $0.key == key }) else { return nil }
    let element = model.remove(at: index).element
    if model.contains(where: { $0.key == key }) { turns.append(key) }
    return element
  }

  private func described(_ admission: RoundRobinQueue<Character, String>.Admission) -> String {
    switch admission {
    case .admitted: "admitted"
    case .displacing(let element): "displacing \(element)"
    case .refused: "refused"
    }
  }
}
