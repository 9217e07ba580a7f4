import GatehouseSharing
import Testing

@testable import GatehouseStorage

/// Reads that are numbers, on a clock that the test sets.
@Suite struct ReadScheduleTests {
  private static let (one, two) = (Caller(address: 1), Caller(address: 2))

  private static func finish(_ schedule: inout ReadSchedule<Int>, _ caller: Caller, _ time: UInt64) -> [Int] {
    guard let (waiting, _) = schedule.finish(caller, after: time) else { return [] }
    return [waiting.job, Int(waiting.start)]
  }

  @Test func `as many run as there are threads, and the next one when one has finished`() throws {
    var schedule = ReadSchedule<Int>(threads: 2, places: 10, timeLimit: 100)
    #expect(try schedule.submit(1, for: Self.one, at: 0))
    #expect(try schedule.submit(2, for: Self.one, at: 1))
    #expect(try !schedule.submit(3, for: Self.one, at: 2))
    #expect(try !schedule.submit(4, for: Self.one, at: 3))
    #expect((schedule.waiting, schedule.deadline) == (2, 102))
    #expect(Self.finish(&schedule, Self.one, 5) == [3, 2])
    #expect(Self.finish(&schedule, Self.one, 5) == [4, 3])
    #expect((schedule.waiting, schedule.deadline) == (0, nil))
    #expect(Self.finish(&schedule, Self.one, 5) == [])
    #expect(Self.finish(&schedule, Self.one, 5) == [])
    // Both threads are free again.
    #expect(try schedule.submit(5, for: Self.one, at: 9))
    #expect(try schedule.submit(6, for: Self.one, at: 9))
    #expect(try !schedule.submit(7, for: Self.one, at: 9))
  }

  @Test func `who asks for one does not wait for somebody's hundred`() throws {
    var schedule = ReadSchedule<Int>(threads: 1, places: 300, timeLimit: nil)
    for number in 0...100 { _ = try schedule.submit(number, for: Self.one, at: 0) }
    _ = try schedule.submit(1_000, for: Self.two, at: 7)
    #expect(Self.finish(&schedule, Self.one, 50_000_000) == [1_000, 7])
    #expect(Self.finish(&schedule, Self.two, 50_000_000) == [1, 0])
  }

  @Test func `what comes on top is refused, the caller's own share first`() throws {
    var schedule = ReadSchedule<Int>(threads: 1, places: 4, timeLimit: nil)
    for number in 0...2 { _ = try schedule.submit(number, for: Self.one, at: 0) }
    #expect(throws: SharingError.share) { try schedule.submit(3, for: Self.one, at: 0) }
    #expect(try !schedule.submit(4, for: Self.two, at: 0))
    #expect(try !schedule.submit(5, for: Caller(address: 3), at: 0))
    #expect(throws: SharingError.exhausted) { try schedule.submit(6, for: Caller(address: 4), at: 0) }
    #expect(schedule.waiting == 4)
  }

  @Test func `the time that a read waits counts, and who has left waits no longer`() throws {
    var schedule = ReadSchedule<Int>(threads: 1, places: 10, timeLimit: 100)
    for (number, time) in zip(0..., [0, 10, 20, 30] as [UInt64]) {
      _ = try schedule.submit(number, for: Self.one, at: time)
    }
    #expect(schedule.expire(at: 109) == [])
    #expect(schedule.expire(at: 120) == [1, 2])
    #expect(schedule.deadline == 130)
    let removed = [schedule.removeFirst { $0 == 3 }, schedule.removeFirst { $0 == 0 }]
    #expect(removed == [3, nil])
    #expect(schedule.deadline == nil)
    #expect(Self.finish(&schedule, Self.one, 5) == [])
  }
}
