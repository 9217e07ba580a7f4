import Testing

@testable import GatehouseBSON

@Suite struct CivilTimeTests {
  @Test(
    arguments: [
      (0, 1970, 1, 1, 0), (-1, 1969, 12, 31, 86_399), (951_782_399, 2000, 2, 28, 86_399),
      (951_782_400, 2000, 2, 29, 0), (4_107_542_400, 2100, 3, 1, 0), (-62_135_596_800, 1, 1, 1, 0),
      (-62_167_219_200, 0, 1, 1, 0), (253_402_300_799, 9999, 12, 31, 86_399),
    ] as [(Int64, Int64, Int64, Int64, Int64)])
  func `seconds since 1970 are a date and a time of day, and the other way round`(
    seconds: Int64, year: Int64, month: Int64, day: Int64, secondOfDay: Int64
  ) {
    let time = CivilTime(seconds: seconds)
    #expect([time.year, time.month, time.day, time.secondOfDay] == [year, month, day, secondOfDay])
    #expect(time.days * CivilTime.secondsPerDay + time.secondOfDay == seconds)
  }

  /// The Gregorian calendar repeats itself after 400 years.
  @Test func `each day of 400 years comes after the one before it`() {
    var expected = CivilTime(year: 1970, month: 1, day: 1, secondOfDay: 0)
    for day in 0..<Int64(146_097) {
      let time = CivilTime(seconds: day * CivilTime.secondsPerDay)
      let isExpected = (time.year, time.month, time.day) == (expected.year, expected.month, expected.day)
      guard isExpected, time.days == day else { return #expect(Bool(false), "day \(day)") }
      if let last = CivilTime.days(inMonth: expected.month, ofYear: expected.year), expected.day < last {
        expected.day += 1
      } else {
        (expected.month, expected.day) = (expected.month % 12 + 1, 1)
        if expected.month == 1 { expected.year += 1 }
      }
    }
    #expect([expected.year, expected.month, expected.day] == [2370, 1, 1])
  }

  @Test(
    arguments: [(1, 2023, 31), (4, 2023, 30), (2, 2023, 28), (2, 2024, 29), (2, 1900, 28), (2, 2000, 29)]
      as [(Int64, Int64, Int64)])
  func `a month has its days`(month: Int64, year: Int64, days: Int64) {
    #expect(CivilTime.days(inMonth: month, ofYear: year) == days)
  }

  @Test(arguments: [0, 13, -1] as [Int64])
  func `there are twelve months`(month: Int64) {
    #expect(CivilTime.days(inMonth: month, ofYear: 2000) == nil)
  }
}
