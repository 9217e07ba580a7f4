import GatehouseSharing
import Testing

@testable import GatehouseStorage

/// Writes that are numbers; hundreds are their callers, and those below 100 have none.
@Suite struct WriteScheduleTests {
  private static let (one, two) = (Caller(address: 1), Caller(address: 2))

  private static func schedule(places: Int = 100) -> WriteSchedule<Int> {
    WriteSchedule(places: places) { $0 < 100 ? nil : Caller(address: UInt64($0 / 100)) }
  }

  @Test(arguments: [8, 9])
  func `nobody takes more short places than are free`(places: Int) throws {
    var schedule = Self.schedule(places: places)
    // The second time as the first: all places are free again.
    for _ in 0..<2 {
      for job in 100..<104 { _ = try schedule.submitShort(job) }
      if places == 9 { _ = try schedule.submitShort(104) }
      #expect(throws: SharingError.share) { try schedule.submitShort(199) }
      for job in [200, 201] { _ = try schedule.submitShort(job) }
      #expect(throws: SharingError.share) { try schedule.submitShort(202) }
      for job in [300, 400] { _ = try schedule.submitShort(job) }
      #expect(throws: SharingError.exhausted) { try schedule.submitShort(500) }
      // A job without a caller is always taken.
      for job in 0..<20 { _ = try schedule.submitShort(job) }
      let callers = Array(100..<(places == 9 ? 105 : 104)) + [200, 201, 300, 400]
      let round = schedule.takeRound()
      #expect(round.short == callers + (0..<20))
    }
  }

  @Test func `what has no caller takes nobody's place`() throws {
    var schedule = Self.schedule(places: 8)
    for job in 0..<50 { _ = try schedule.submitShort(job) }
    for job in 100..<104 { _ = try schedule.submitShort(job) }
    #expect(throws: SharingError.share) { try schedule.submitShort(104) }
  }

  @Test func `long ones are refused by themselves`() throws {
    var schedule = Self.schedule(places: 4)
    for job in [1, 2] { _ = try schedule.submitLong(job, for: Self.one) }
    #expect(throws: SharingError.share) { try schedule.submitLong(3, for: Self.one) }
    _ = try schedule.submitLong(4, for: Self.two)
    for job in [100, 101] { _ = try schedule.submitShort(job) }
  }

  @Test func `each round has all short ones, and a long one of the caller on whom least was spent`() throws {
    var schedule = Self.schedule()
    for job in 1...3 { _ = try schedule.submitLong(job, for: Self.one) }
    for job in 11...12 { _ = try schedule.submitLong(job, for: Self.two) }
    var rounds: [[Int]] = []
    for job in 100..<105 {
      _ = try schedule.submitShort(job)
      let round = schedule.takeRound()
      let long = try #require(round.long)
      rounds.append(round.short + [long.element, round.hasSuccessor ? 1 : 0])
      schedule.finish(long.caller, after: 1_000)
    }
    #expect(rounds == [[100, 1, 1], [101, 11, 1], [102, 2, 1], [103, 12, 1], [104, 3, 0]])
  }

  @Test func `a round is asked for once`() throws {
    var schedule = Self.schedule()
    #expect(try schedule.submitShort(100))
    #expect(try !schedule.submitLong(1, for: Self.one))
    #expect(try !schedule.submitLong(2, for: Self.one))
    // Its successor is taken in any case.
    let first = schedule.takeRound()
    #expect(try first.hasSuccessor && !schedule.submitShort(101))
    let second = schedule.takeRound()
    #expect(!second.hasSuccessor)
    #expect(try schedule.submitShort(102))
  }

  @Test func `the last one comes when no other waits`() throws {
    var schedule = Self.schedule()
    for job in [1, 2] { _ = try schedule.submitLong(job, for: Self.one) }
    let asks = schedule.submitLast(99)
    #expect(!asks)
    _ = try schedule.submitShort(100)
    let rounds = [schedule.takeRound(), schedule.takeRound()]
    #expect(rounds.map(\.short) == [[100], []])
    #expect(rounds.map(\.long?.element) == [1, 2])
    #expect(rounds.map(\.last) == [[], [99]])
  }

  @Test func `several last ones come together`() throws {
    var schedule = Self.schedule()
    let asks = [schedule.submitLast(98), schedule.submitLast(99)]
    let rounds = [schedule.takeRound().last]
    let asksAgain = schedule.submitLast(97)
    #expect(asks == [true, false] && rounds == [[98, 99]] && asksAgain)
  }

  @Test func `a long one that has waited for too long makes room`() throws {
    var schedule = Self.schedule(places: 4)
    for job in [1, 2] { _ = try schedule.submitLong(job, for: Self.one) }
    _ = try schedule.submitLong(3, for: Self.two)
    let round = schedule.takeRound { $0 < 3 }
    #expect(round.overdue == [1, 2])
    #expect(round.long?.element == 3)
  }
}
