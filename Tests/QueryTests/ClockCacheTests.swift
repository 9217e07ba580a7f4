import GatehouseQuery
import Testing

@Suite struct ClockCacheTests {
  /// Adds a key as whoever did not find it does.
  private func add(_ key: Int, to cache: inout ClockCache<Int, String>) {
    if value(key, in: cache) == nil { cache.add("\(key)", for: key, hash(key)) }
  }

  private func value(_ key: Int, in cache: ClockCache<Int, String>) -> String? {
    cache.value(hash(key)) { $0 == key }
  }

  private func hash(_ key: Int) -> UInt64 {
    UInt64(key) &* 0x9E37_79B9_7F4A_7C15
  }

  @Test func `a value is kept from the second time on that its key comes`() {
    var cache = ClockCache<Int, String>(capacity: 8)
    add(1, to: &cache)
    #expect(value(1, in: cache) == nil)
    add(1, to: &cache)
    #expect(value(1, in: cache) == "1")
    #expect(value(2, in: cache) == nil)
  }

  @Test func `what comes once drives out nothing`() {
    var cache = ClockCache<Int, String>(capacity: 8)
    for _ in 0..<2 { add(1, to: &cache) }
    for key in 2..<10_000 { add(key, to: &cache) }
    #expect(value(1, in: cache) == "1")
    #expect((2..<10_000).allSatisfy { value($0, in: cache) == nil })
  }

  @Test func `a value that is in use keeps its place, another one gives it up`() {
    var cache = ClockCache<Int, String>(capacity: 1)
    for _ in 0..<2 { add(1, to: &cache) }
    for _ in 0..<5 {
      #expect(value(1, in: cache) == "1")
      add(2, to: &cache)
    }
    for _ in 0..<2 { add(2, to: &cache) }
    #expect(value(1, in: cache) == nil)
    #expect(value(2, in: cache) == "2")
  }

  @Test func `a key of the same hash is another key`() {
    var cache = ClockCache<Int, String>(capacity: 8)
    for _ in 0..<2 { cache.add("1", for: 1, 7) }
    #expect(cache.value(7) { $0 == 2 } == nil)
    #expect(cache.value(7) { $0 == 1 } == "1")
  }
}
