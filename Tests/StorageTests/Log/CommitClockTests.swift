import GatehouseBSON
import Testing

@testable import GatehouseStorage

private let second: Int64 = 1_000_000_000

struct CommitClockTests {
  @Test(
    arguments: [
      // Each: the system's clock and the seconds that have passed, and what is made of them.
      ("as the system's clock goes", [(100, 0, 100), (101, 1, 101), (160, 60, 160)]),
      ("a little ahead, and slowly further", [(100, 0, 100), (110, 1, 110), (121, 2, 121)]),
      ("back at once", [(100, 0, 100), (50, 1, 50), (51, 2, 51)]),
      (
        "a year ahead for a minute",
        [(100, 0, 100), (31_536_000, 1, 101), (31_536_059, 60, 160), (161, 61, 161)]
      ),
      (
        "a step that lasts is believed",
        [(100, 0, 100), (5000, 1, 101), (5599, 600, 700), (5600, 601, 5600), (5601, 602, 5601)]
      ),
      (
        "two steps are waited for one after the other",
        [
          (100, 0, 100), (5000, 1, 101), (102, 2, 102), (5400, 400, 500), (5700, 700, 800),
          (6000, 1000, 6000),
        ]
      ),
      ("after a long sleep of machine and program", [(100, 0, 100), (90_100, 90_000, 90_100)]),
    ] as [(String, [(Int64, Int64, Int64)])])
  func `steps forward are followed when they have lasted`(name: String, steps: [(Int64, Int64, Int64)]) {
    var state = CommitClock.State()
    for (system, passed, time) in steps {
      #expect(
        state.time(system: Date(seconds: system, nanoseconds: 5), passed: passed * second)
          == Date(seconds: time, nanoseconds: 5))
    }
  }

  @Test func `the clock is the system's`() {
    let before = Date.now
    let now = CommitClock().now()
    #expect(before <= now && now <= Date.now)
  }

  @Test func `compacting gives commits that are later than now the present time`() async throws {
    let store = try await TemporaryStore(
      #"[{"name":"A","properties":{"n":"int"}}]"#, clock: { Date(seconds: 4_000_000_000) })
    for n in 0..<3 { try await store.create("A", #"{"n":\#(n)}"#) }
    try await store.close()
    #expect(try store.violations() == [.timesAhead(4)])
    #expect(throws: Never.self) {
      let outcome = try Compaction.run(directory: store.directory, now: Date(seconds: 1_700_000_000))
      #expect(outcome.correctedTimes == 4)
    }
    #expect(try store.violations() == [])
    try await store.reopen()
    #expect(try store.changes(from: .time(Date(seconds: 1_700_000_001))).changes == [])
    try await store.create("A", #"{"n":9}"#)
    #expect(try store.changes(from: .time(Date(seconds: 1_700_000_001))).changes.count == 1)
  }
}
