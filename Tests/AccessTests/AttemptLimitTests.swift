import Testing

@testable import GatehouseAccess

@Suite struct AttemptLimitTests {
  @Test func `attempts are counted for a while`() {
    var limit = AttemptLimit(limit: 2, period: 60)
    let waits = [("a", 0), ("a", 10), ("a", 20), ("b", 20), ("a", 60)].map { limit.count($0.0, at: $0.1) }
    #expect(waits == [nil, nil, 40, nil, nil])
    limit.forget("a")
    let after = [limit.count("a", at: 61), limit.count("a", at: 62), limit.count("a", at: 63)]
    #expect(after == [nil, nil, 58])
  }

  @Test func `an attempt that succeeds does not count, and those before it do`() {
    var limit = AttemptLimit(limit: 2, period: 60)
    for second in 0..<2 { #expect(limit.count("a", at: Int64(second)) == nil) }
    for second in 2..<9 {
      limit.withdraw("a")
      #expect(limit.count("a", at: Int64(second)) == nil)
    }
    #expect(limit.wait(for: "a", at: 9) == 51 && limit.wait(for: "b", at: 9) == nil)
    #expect(limit.count("a", at: 9) == 51 && limit.wait(for: "a", at: 60) == nil)
    limit.withdraw("b")
    limit.forget("b")
  }

  @Test func `another limit may hold for some`() {
    var limit = AttemptLimit(limit: 5, period: 60)
    #expect((0..<3).map { limit.count("a", at: $0, limit: 2) } == [nil, nil, 58])
    #expect(limit.count("a", at: 3) == nil)
  }

  @Test func `a clock that is set back begins anew`() {
    var limit = AttemptLimit(limit: 1, period: 60)
    #expect([100, 101, 50, 51].map { limit.count("a", at: $0) } == [nil, 59, nil, 59])
  }

  @Test func `keys that somebody makes up take no more room, and do not displace who fails often`() {
    var limit = AttemptLimit(limit: 5, period: 60)
    for _ in 0..<50 { _ = limit.count("victim", at: 0) }
    for key in 0..<200_000 { _ = limit.count(key, at: 1) }
    #expect(limit.count <= AttemptLimit.capacity && limit.count > AttemptLimit.capacity / 2)
    #expect(limit.wait(for: "victim", at: 2) == 58)
    // When their time is over, so is their place.
    for key in 0..<200_000 { _ = limit.count(key, at: 100) }
    #expect(limit.wait(for: "victim", at: 100) == nil && limit.count <= AttemptLimit.capacity)
  }
}
