import GatehouseBSON
import Glibc
import Testing

@testable import GatehouseTriggers

@Suite struct ScheduleTests {
  /// Fields of a time in UTC, as the C library has them.
  private func fields(_ seconds: Int64) -> (minute: Int, hour: Int, day: Int, month: Int, weekday: Int) {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    return (
      Int(parts.tm_min), Int(parts.tm_hour), Int(parts.tm_mday), Int(parts.tm_mon) + 1, Int(parts.tm_wday)
    )
  }

  @Test(
    arguments: [
      ("* * * * *", 1_700_000_000, 1_700_000_040), ("*/15 * * * *", 1_700_000_000, 1_700_000_100),
      ("0 0 1 1 *", 1_700_000_000, 1_704_067_200), ("0 0 29 2 *", 1_709_251_200, 1_835_395_200),
      // Either day will do where both are given: Friday, 17 November 2023.
      ("0 12 31 * fri", 1_700_000_000, 1_700_222_400), ("30 4 1,15 * *", 1_700_000_000, 1_700_022_600),
      ("0 9-17/4 * * MON-FRI", 1_700_000_000, 1_700_038_800), ("59 23 31 12 *", 1_703_980_800, 1_704_067_140),
      ("5/20 * * * *", 1_700_000_000, 1_700_000_700), ("0 0 * * 7", 1_700_000_000, 1_700_352_000),
    ] as [(String, Int64, Int64)])
  func `the next time is the first one behind`(text: String, start: Int64, next: Int64) throws {
    let schedule = try #require(Schedule(text))
    #expect(schedule.next(after: Date(seconds: start)) == Date(seconds: next))
  }

  @Test(arguments: [
    "*/7 3-9 * * *", "0 0 13 * 5", "17 */5 */9 2-11/3 *", "0,59 23 28-31 * *", "*/30 12 * feb,aug sun,2",
  ])
  func `each minute that has such fields comes, and no other`(text: String) throws {
    let schedule = try #require(Schedule(text))
    let parts = text.split(separator: " ").map(String.init)
    func set(_ index: Int, _ range: ClosedRange<Int>) -> Set<Int> {
      Set(
        range.filter { value in
          parts[index].split(separator: ",").contains { part in
            let halves = part.split(separator: "/")
            let names = ["sun": 0, "feb": 2, "aug": 8]
            let bounds =
              halves[0] == "*"
              ? [range.lowerBound, range.upperBound]
              : halves[0].split(separator: "-").map {
                names[String($0)] ?? Int($0)!
              }
            let step = halves.count > 1 ? Int(halves[1])! : 1
            return value >= bounds[0] && value <= bounds.last! && (value - bounds[0]) % step == 0
          }
        })
    }
    let (minutes, hours, days, months, weekdays) = (
      set(0, 0...59), set(1, 0...23), set(2, 1...31), set(3, 1...12), set(4, 0...6)
    )
    var expected: [Int64] = []
    let start: Int64 = 1_700_000_000 / 60 * 60
    for minute in stride(from: start + 60, through: start + 80 * 86_400, by: 60) {
      let now = fields(minute)
      let isDay = days.contains(now.day)
      let isWeekday = weekdays.contains(now.weekday)
      let isAny = parts[2].hasPrefix("*") || parts[4].hasPrefix("*")
      if minutes.contains(now.minute), hours.contains(now.hour), months.contains(now.month),
        isAny ? isDay && isWeekday : isDay || isWeekday
      {
        expected.append(minute)
      }
    }
    var found: [Int64] = []
    var time = Date(seconds: start)
    while let next = schedule.next(after: time), next.seconds <= start + 80 * 86_400 {
      found.append(next.seconds)
      time = next
    }
    #expect(found == expected)
  }

  @Test(arguments: [
    "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
    "a * * * *",
    "*/0 * * * *", "5-1 * * * *", "1, * * * *", "1-2-3 * * * *", "+1 * * * *", "*/+5 * * * *", "@daily",
    "１ * * * *",
  ])
  func `what is no schedule is none`(text: String) {
    #expect(Schedule(text) == nil)
  }

  @Test func `a day that never comes has no time`() throws {
    #expect(try #require(Schedule("0 0 31 2 *")).next(after: Date(seconds: 0)) == nil)
  }
}
