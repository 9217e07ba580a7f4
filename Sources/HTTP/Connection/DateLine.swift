/// The `date` field line in IMF-fixdate (RFC 9110 §5.6.7), made once a second.
struct DateLine: Sendable {
  private var second = Int.min
  private(set) var bytes: [UInt8] = []

  /// Makes the line anew if the second is another. Seconds since 1970: a clock that was never set may be before that, and tells its start.
  mutating func update(second: Int) {
    let second = max(0, second)
    if second == self.second { return }
    self.second = second
    bytes = Self.line(second)
  }

  private static func line(_ second: Int) -> [UInt8] {
    let day = second / 86_400
    let (year, month, dayOfMonth) = civil(day)
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // 1970-01-01 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][day % 7]
    let clock = [second / 3_600 % 24, second / 60 % 60, second % 60].map(padded).joined(separator: ":")
    let text = "date: \(weekday), \(padded(dayOfMonth)) \(names[month - 1]) \(year) \(clock) GMT\r\n"
    return Array(text.utf8)
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The date of a day since 1970-01-01 in the Gregorian calendar, by Howard Hinnant's `civil_from_days`.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
  }
}
