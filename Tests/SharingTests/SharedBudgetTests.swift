import GatehouseSharing
import Synchronization
import Testing

@Suite struct SharedBudgetTests {
  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  @Test func `the end of a large part is told, once`() throws {
    let counter = Counter()
    let budget = SharedBudget(of: .memory, capacity: 1000, largeSize: 100) {
      counter.count.add(1, ordering: .relaxed)
    }
    let small = budget.reservation(for: .process)
    try small.grow(to: 99)
    small.release()
    #expect(counter.count.load(ordering: .relaxed) == 0)
    let large = budget.reservation(for: .process)
    try large.grow(to: 50)
    try large.grow(to: 100)
    #expect(counter.count.load(ordering: .relaxed) == 0)
    large.release()
    large.release()
    #expect(counter.count.load(ordering: .relaxed) == 1)
    #expect(budget.used == 0)
  }

  @Test func `a part that is left is given back, and told`() throws {
    let counter = Counter()
    let budget = SharedBudget(of: .memory, capacity: 1000, largeSize: 100) {
      counter.count.add(1, ordering: .relaxed)
    }
    do {
      let part = budget.reservation(for: .process)
      part.overdraw(to: 2000)
    }
    #expect(counter.count.load(ordering: .relaxed) == 1)
    #expect(budget.used == 0)
  }
}

extension SharedBudgetTests {
  @Test func `budgets within another have together what it has, and one alone half of it`() throws {
    let whole = SharedBudget(of: .memory, capacity: 1_000)
    let parts = (1...2).map { number in
      let app = Caller(address: UInt64(number), principal: "app \(number)")
      return SharedBudget(
        of: .memory, capacity: 1_000, within: SharedBudget.Share(of: whole, for: app))
    }
    let callers = (1...2).map { Caller(address: UInt64($0 + 10)) }
    let first = parts[0].reservation(for: callers[0])
    try first.grow(to: 500)
    #expect(throws: BudgetError(.memory, .share)) {
      try parts[0].reservation(for: callers[1]).grow(to: 100)
    }
    // Nothing is left of what was refused.
    #expect(parts[0].used == 500 && whole.used == 500)
    let other = parts[1].reservation(for: callers[0])
    try other.grow(to: 250)
    #expect(whole.used == 750)
    first.overdraw(to: 900)
    #expect(whole.used == 1_150)
    #expect(throws: BudgetError(.memory, .exhausted)) { try parts[1].requireBalance(of: callers[0]) }
    first.release()
    other.release()
    #expect(whole.used == 0 && parts[0].used == 0 && parts[1].used == 0)
  }
}
