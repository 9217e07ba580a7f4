import GatehouseSeeded
import Testing

@testable import GatehouseFeeds

/// References that are added and removed in the same time however many there are.
@Suite struct ReferenceSetTests {
  private final class Item {}

  @Test func `a set has what was inserted and not removed, each once, whatever comes in whatever order`() {
    var random = SeededGenerator(seed: 11)
    for size in [1, 7, 8, 9, 10, 40, 400] {
      let items = (0..<size).map { _ in Item() }
      var set = ReferenceSet<Item>()
      var expected: Set<Int> = []
      for step in 0..<size * 20 {
        let number = Int.random(in: 0..<size, using: &random)
        let grows = step / (size * 5) % 2 == 0
        if grows, !expected.contains(number) {
          set.insert(items[number])
          expected.insert(number)
        } else if !grows {
          set.remove(items[number])
          expected.remove(number)
        }
        #expect(set.count == expected.count)
        #expect(Set(set.map(ObjectIdentifier.init)) == Set(expected.map { ObjectIdentifier(items[$0]) }))
      }
    }
  }

  @Test func `a dictionary has a set for a key as long as something is in it`() {
    let (one, other) = (Item(), Item())
    var sets: [String: ReferenceSet<Item>] = [:]
    sets.insert(one, at: "a")
    sets.insert(other, at: "a")
    sets.remove(one, at: "a")
    #expect(sets["a"]?.map(ObjectIdentifier.init) == [ObjectIdentifier(other)])
    sets.remove(other, at: "b")
    sets.remove(other, at: "a")
    #expect(sets.isEmpty)
  }

  @Test func `the last of a hundred thousand goes as the first one does`() {
    let items = (0..<100_000).map { _ in Item() }
    var set = ReferenceSet<Item>()
    for item in items { set.insert(item) }
    for item in items.reversed() { set.remove(item) }
    #expect(set.isEmpty)
    for item in items { set.insert(item) }
    for item in items { set.remove(item) }
    #expect(set.isEmpty)
  }
}
