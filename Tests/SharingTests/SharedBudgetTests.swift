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
