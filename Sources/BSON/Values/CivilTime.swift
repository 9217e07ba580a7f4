/// A date and time of day in the proleptic Gregorian calendar, UTC.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
/// `days_from_civil` and `civil_from_days`.
struct CivilTime {
  var year: Int64
  var month: Int64
  var day: Int64
  var secondOfDay: Int64

  static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra: Int64 = 146_097

  init(year: Int64, month: Int64, day: Int64, secondOfDay: Int64) {
    self.year = year
    self.month = month
    self.day = day
    self.secondOfDay = secondOfDay
  }

  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  init(seconds: Int64) {
    let days: Int64
    (days, secondOfDay) = seconds.floored(by: Self.secondsPerDay)
    precondition(
      0..<Self.secondsPerDay ~= secondOfDay, "what is left of a day is shorter: \(secondOfDay)")
    let shifted = days + 719_468  // days since 0000-03-01
    let (era, dayOfEra) = shifted.floored(by: Self.daysPerEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01. Years beyond ±10^12 are the caller's to exclude.
  var days: Int64 {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = yearFromMarch.floored(by: 400)
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - 719_468
  }

  /// The number of days of a month, or nil if there is no such month.
  static func days(inMonth month: Int64, ofYear year: Int64) -> Int64? {
    switch month {
    case 1, 3, 5, 7, 8, 10, 12: 31
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: nil
    }
  }
}

extension Int64 {
  /// The quotient rounded towards negative infinity, and the remainder, which is never negative.
  fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
