import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import Testing

/// The costs of password hashes on machines of several kinds.
@Suite struct PasswordCostsTests {
  private static let millisecond: UInt64 = 1_000_000

  private func costs(_ current: Int, _ most: Int) throws -> PasswordCosts {
    PasswordCosts(
      current: try #require(ScryptCost(passes: current)), most: try #require(ScryptCost(passes: most)))
  }

  @Test(
    arguments: [
      (0, 16), (1, 16), (6, 16), (10, 10), (20, 5), (30, 3), (42, 2), (66, 2), (67, 1), (100, 1), (5_000, 1),
    ] as [(UInt64, Int)])
  func `a hash takes about a tenth of a second`(pass: UInt64, passes: Int) {
    let cost = ScryptCost.taking(PasswordCosts.time, pass: pass * Self.millisecond)
    #expect(cost == ScryptCost(passes: passes))
  }

  @Test(
    arguments: [
      (nil, false, 40, (3, 3)), (nil, true, 40, (3, 5)), (nil, true, 10, (10, 10)),
      // From half to twice the time nothing changes; then the most that there was stays the most.
      ((3, 5), true, 17, (3, 5)), ((3, 5), true, 66, (3, 5)), ((3, 5), true, 67, (1, 5)),
      ((3, 5), true, 16, (6, 6)), ((3, 5), true, .max, (1, 5)),
    ] as [((Int, Int)?, Bool, UInt64, (Int, Int))])
  func `costs stay where they are about right`(
    before: (Int, Int)?, hasAccounts: Bool, pass: UInt64, after: (Int, Int)
  ) throws {
    let time = pass == .max ? pass : pass * Self.millisecond
    let found = PasswordCosts(
      adapting: try before.map(costs), toPass: time, hasAccounts: hasAccounts)
    #expect(found == (try costs(after.0, after.1)))
    #expect(PasswordCosts(record: found.record) == found)
  }

  @Test func `costs that cannot be are none`() {
    for record in [
      [:], ["current": .int64(0), "most": .int64(1)], ["current": .int64(1), "most": .int64(17)],
    ]
      as [Document]
    {
      #expect(PasswordCosts(record: record) == nil)
    }
  }

  @Test func `every no costs as much as the most expensive hash`() throws {
    let most = try #require(ScryptCost(passes: 5))
    for passes in 1...5 {
      let cost = try #require(ScryptCost(passes: passes))
      #expect((most.rest(after: cost)?.operations ?? 0) + cost.operations == most.operations)
    }
    #expect(most.rest(after: nil) == most)
    #expect(most.rest(after: most) == nil && ScryptCost(passes: 4)?.rest(after: most) == nil)
  }

  @Test func `a pass takes some time`() {
    #expect(ScryptCost.timeOfPass() > 100_000)
  }
}
