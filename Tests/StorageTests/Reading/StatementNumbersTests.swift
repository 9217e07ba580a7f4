import Testing

@testable import GatehouseStorage

@Suite struct StatementNumbersTests {
  @Test func `a text keeps its number, and no other text or shape gets it`() {
    var numbers = StatementNumbers()
    let first = numbers.number(of: "SELECT 1")
    let shape = numbers.next()
    let second = numbers.number(of: "SELECT 2")
    #expect(Set([first, shape, second]).count == 3)
    #expect(numbers.number(of: "SELECT 1") == first)
    #expect(numbers.number(of: "SELECT 2") == second)
  }

  @Test func `a text that was forgotten gets a number that nothing else had`() {
    var numbers = StatementNumbers()
    let forgotten = numbers.number(of: "SELECT 1")
    var given: Set<Int> = [forgotten]
    // More than the budget of 4 MiB, each within a quarter of it.
    for number in 0..<12 {
      given.insert(numbers.number(of: "\(number)" + String(repeating: " ", count: 500_000)))
    }
    #expect(given.count == 13)
    #expect(!given.contains(numbers.number(of: "SELECT 1")))
  }

  @Test func `statements of a new schema have other numbers than those of the old one`() throws {
    var cache = PageStatementCache()
    let old = cache.numbers.number(of: "SELECT old")
    var next = PageStatementCache(numbers: cache.numbers)
    #expect(next.numbers.number(of: "SELECT new") != old)
  }
}
