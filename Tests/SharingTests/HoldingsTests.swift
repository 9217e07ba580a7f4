import GatehouseSeeded
import GatehouseSharing
import Testing

@Suite struct HoldingsTests {
  private static func caller(_ address: UInt64, _ principal: String = "") -> Caller {
    Caller(address: address, principal: principal)
  }

  /// Takes one after the other until the first is refused; returns how many, and why not more.
  private static func fill(_ holdings: inout Holdings, _ caller: Caller) -> (Int, SharingError) {
    var count = 0
    while true {
      do throws(SharingError) { try holdings.take(1, for: caller) } catch { return (count, error) }
      count += 1
    }
  }

  @Test func `one alone gets half, and each that comes half of what is left`() {
    var holdings = Holdings(capacity: 1_000)
    #expect(Self.fill(&holdings, Self.caller(1)) == (500, .share))
    #expect(Self.fill(&holdings, Self.caller(2)) == (250, .share))
    #expect(Self.fill(&holdings, Self.caller(3)) == (125, .share))
    #expect(holdings.total == 875)
    holdings.give(500, of: Self.caller(1))
    #expect(Self.fill(&holdings, Self.caller(2)) == (188, .share))
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6), (100, 75)])
  func `with a factor of 3 one alone gets three quarters, and leaves one at least`(capacity: Int, most: Int) {
    var held = 0
    while Holdings.admits(1, beside: held, of: capacity - held, factor: 3) { held += 1 }
    #expect(held == most)
  }

  @Test func `many users of one address get what one gets, and one user at many addresses too`() throws {
    var holdings = Holdings(capacity: 1_000)
    var count = 0
    for user in 0..<1_000 where (try? holdings.take(1, for: Self.caller(1, "user/\(user)"))) != nil {
      count += 1
    }
    #expect(count == 500)
    holdings = Holdings(capacity: 1_000)
    count = 0
    for address in 0..<1_000 as Range<UInt64>
    where (try? holdings.take(1, for: Self.caller(address, "user/1"))) != nil {
      count += 1
    }
    #expect(count == 500)
    // Callers without a credential have only their address in common.
    holdings = Holdings(capacity: 1_000)
    for address in 0..<1_000 as Range<UInt64> { try holdings.take(1, for: Self.caller(address)) }
    #expect(throws: SharingError.exhausted) { try holdings.take(1, for: Self.caller(9_999)) }
  }

  @Test func `the first that a caller takes may be all that is free, and no more`() throws {
    var holdings = Holdings(capacity: 10)
    #expect(throws: SharingError.exhausted) { try holdings.take(11, for: Self.caller(1)) }
    try holdings.take(10, for: Self.caller(1))
    #expect(throws: SharingError.exhausted) { try holdings.take(1, for: Self.caller(2)) }
    holdings.give(10, of: Self.caller(1))
    try holdings.take(10, for: Self.caller(2))
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `never more than there is, and all of it comes back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var holdings = Holdings(capacity: 100)
    var held: [(Caller, Int)] = []
    for _ in 0..<500 {
      if Bool.random(using: &generator), let index = held.indices.randomElement(using: &generator) {
        let (caller, amount) = held.remove(at: index)
        holdings.give(amount, of: caller)
      } else {
        let caller = Self.caller(
          .random(in: 0..<5, using: &generator), ["", "a", "b"].randomElement(using: &generator) ?? "")
        let amount = Int.random(in: 0...40, using: &generator)
        let others = held.filter {
          $0.0.address == caller.address || !caller.principal.isEmpty && $0.0.principal == caller.principal
        }
        let isFirst = others.allSatisfy { $0.1 == 0 }
        let isTaken = (try? holdings.take(amount, for: caller)) != nil
        if isTaken { held.append((caller, amount)) }
        let free = 100 - held.dropLast(isTaken ? 1 : 0).reduce(0) { $0 + $1.1 }
        if isFirst { #expect(isTaken == (amount <= free)) }
      }
      #expect(holdings.total == held.reduce(0) { $0 + $1.1 } && holdings.total <= 100)
    }
  }

  @Test func `a reservation is given back when it is gone, with what it has grown by`() throws {
    let budget = SharedBudget(of: .memory, capacity: 100)
    do {
      let reservation = budget.reservation(for: Self.caller(1))
      #expect(budget.used == 0)
      try reservation.grow(to: 30)
      try reservation.grow(to: 20)
      #expect(budget.used == 30)
      #expect(throws: BudgetError(.memory, .share)) { try reservation.grow(to: 90) }
      #expect(budget.used == 30)
    }
    #expect(budget.used == 0)
  }

  @Test func `a reservation that was released can grow again, and another caller's stays`() throws {
    let budget = SharedBudget(of: .temporaryFiles, capacity: 100)
    let one = budget.reservation(for: Self.caller(1))
    let other = budget.reservation(for: Self.caller(2))
    try one.grow(to: 80)
    try other.grow(to: 20)
    #expect(throws: BudgetError(.temporaryFiles, .exhausted)) { try other.grow(to: 21) }
    one.release()
    one.release()
    #expect(budget.used == 20)
    try one.grow(to: 40)
    #expect(budget.used == 60)
  }

  @Test
  func
    `what is there already is counted beyond the capacity, and its caller has no balance until it is given back`()
    throws
  {
    let budget = SharedBudget(of: .memory, capacity: 100)
    let (one, other) = (Self.caller(1), Self.caller(2))
    let reservation = budget.reservation(for: one)
    reservation.overdraw(to: 90)
    try budget.requireBalance(of: one)
    reservation.overdraw(to: 60)
    #expect(budget.used == 90)
    reservation.overdraw(to: 130)
    #expect(budget.used == 130)
    #expect(throws: BudgetError(.memory, .exhausted)) { try budget.requireBalance(of: one) }
    try budget.requireBalance(of: other)
    #expect(throws: BudgetError(.memory, .exhausted)) { try budget.reservation(for: other).grow(to: 1) }
    reservation.release()
    #expect(budget.used == 0)
    try budget.requireBalance(of: one)
  }
}
