import GatehouseSeeded
import GatehouseSharing
import Testing

/// ``GenerationalCache`` against what it promises: a bound, and that what is used stays.
struct GenerationalCacheTests {
  @Test func `what was used lately stays, what was not goes`() {
    var cache = GenerationalCache<Int, String>(budget: 8)
    for key in 0..<4 { cache.add("\(key)", for: key) }
    // 0 is used while 4 … 6 fill the young generation; 1 … 3 are not.
    cache.add("4", for: 4)
    #expect(cache[0] == "0")
    for key in 5..<8 { cache.add("\(key)", for: key) }
    #expect(cache[0] == "0")
    #expect([1, 2, 3].allSatisfy { cache[$0] == nil })
  }

  @Test func `a value in place of another is the one that is found`() {
    var cache = GenerationalCache<String, Int>(budget: 100)
    cache.add(1, for: "a", cost: 10)
    cache.add(2, for: "a", cost: 10)
    #expect(cache["a"] == 2)
    // One that is too large for it takes the one before away, which would be wrong now.
    cache.add(3, for: "a", cost: 26)
    #expect(cache["a"] == nil && cache.isEmpty)
  }

  @Test func `what is removed is found in neither generation`() {
    var cache = GenerationalCache<Int, Int>(budget: 4)
    cache.add(1, for: 1)
    cache.add(2, for: 2)
    cache.add(3, for: 3)
    cache.remove(1)
    cache.remove(3)
    #expect(cache[1] == nil && cache[2] == 2 && cache[3] == nil)
    cache.removeAll()
    #expect(cache.isEmpty && cache[2] == nil)
  }

  /// A dictionary of everything that was ever added is the oracle: what is found is what was added last.
  @Test(arguments: (0 as UInt64)..<8)
  func `the cost of what is found has a bound`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var cache = GenerationalCache<Int, Int>(budget: 1000)
    var added: [Int: (value: Int, cost: Int)] = [:]
    for step in 0..<2000 {
      let key = Int.random(in: 0..<200, using: &random)
      if Bool.random(using: &random) {
        let cost = Int.random(in: 1...300, using: &random)
        cache.add(step, for: key, cost: cost)
        added[key] = (step, cost)
      } else if let found = cache[key] {
        #expect(found == added[key]?.value)
      }
    }
    // A copy is asked, since asking counts as use.
    let found = added.filter { entry in
      var copy = cache
      return copy[entry.key] != nil
    }
    #expect(found.values.reduce(0) { $0 + $1.cost } <= 1000 && !found.isEmpty)
  }
}
