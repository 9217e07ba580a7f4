public import GatehouseBSON

/// Times that come again, in five fields as cron(8) has them: minute, hour, day of the month, month, day of the week. In UTC.
///
/// Each field is `*`, a number, a range `1-5`, any of them with a step `*/15`, or several with commas; months and days of the week also by
/// the first three letters of their English names, Sunday is 0 or 7. Where both days are given, either will do (POSIX, `crontab`).
public struct Schedule: Hashable, Sendable {
  /// As it was written.
  public let text: String
  private let minutes: Set<Int>
  private let hours: Set<Int>
  private let days: Set<Int>
  private let months: Set<Int>
  private let weekdays: Set<Int>
  private let isAnyDay: Bool
  private let isAnyWeekday: Bool

  private static let monthNames = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Nil: it is none.
  public init?(_ text: String) {
    let fields = text.split { $0 == " " || $0 == "\t" }
    guard fields.count == 5,
      let minutes = Schedule.values(of: fields[0], in: 0...59),
      let hours = Schedule.values(of: fields[1], in: 0...23),
      let days = Schedule.values(of: fields[2], in: 1...31),
      let months = Schedule.values(of: fields[3], in: 1...12, names: Schedule.monthNames, from: 1),
      let weekdays = Schedule.values(of: fields[4], in: 0...7, names: Schedule.weekdayNames, from: 0)
    else { return nil }
    self.text = text
    (self.minutes, self.hours, self.days, self.months) = (minutes, hours, days, months)
    self.weekdays = Set(weekdays.map { $0 % 7 })
    precondition(
      [minutes, hours, days, months, weekdays].allSatisfy { !$0.isEmpty },
      "each field of a schedule has a value")
    (isAnyDay, isAnyWeekday) = (fields[2].hasPrefix("*"), fields[4].hasPrefix("*"))
  }

  /// The first of its times behind a time; nil: there is none, such as on 30 February.
  public func next(after time: Date) -> Date? {
    // The calendar repeats after 400 years; a day of the week on 29 February comes within 40.
    let start = Schedule.floor(time.seconds, 60) * 60 + 60
    precondition(
      start > time.seconds && start - time.seconds <= 60, "the next minute is the first that may be one")
    var day = Schedule.floor(start, 86_400)
    var minute = Int((start - day * 86_400) / 60)
    for _ in 0..<(366 * 41) {
      if matches(day), let found = firstMinute(from: minute) {
        return Date(seconds: day * 86_400 + Int64(found) * 60, nanoseconds: 0)
      }
      (day, minute) = (day + 1, 0)
    }
    return nil
  }

  private func firstMinute(from start: Int) -> Int? {
    for hour in hours.sorted() where hour * 60 + 59 >= start {
      for minute in minutes.sorted() where hour * 60 + minute >= start { return hour * 60 + minute }
    }
    return nil
  }

  /// Whether it has times on a day since 1970-01-01, a Thursday.
  private func matches(_ day: Int64) -> Bool {
    let (month, dayOfMonth) = Schedule.civil(day)
    guard months.contains(month) else { return false }
    let isDay = days.contains(dayOfMonth)
    let isWeekday = weekdays.contains(Int(((day + 4) % 7 + 7) % 7))
    return isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday
  }

  private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }

  /// The month and the day in it (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
  private static func civil(_ days: Int64) -> (month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (Int(month < 10 ? month + 3 : month - 9), Int(dayOfYear - (153 * month + 2) / 5 + 1))
  }

  private static func values(
    of field: Substring, in range: ClosedRange<Int>, names: [String] = [], from first: Int = 0
  ) -> Set<Int>? {
    var values: Set<Int> = []
    func number(_ text: Substring) -> Int? {
      if let index = names.firstIndex(of: text.lowercased()) { return index + first }
      guard !text.isEmpty, text.utf8.count <= 2, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
    for part in field.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      var step = 1
      if halves.count == 2 {
        guard let given = Int(halves[1]), given > 0, given <= range.upperBound, halves[1].first != "+" else {
          return nil
        }
        step = given
      }
      let bounds = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      let low: Int
      let high: Int
      if halves[0] == "*" {
        (low, high) = (range.lowerBound, range.upperBound)
      } else if bounds.count == 2 {
        guard let first = number(bounds[0]), let last = number(bounds[1]), first <= last else { return nil }
        (low, high) = (first, last)
      } else {
        guard let only = number(halves[0]) else { return nil }
        // From there on, as App Services and Vixie's cron read it.
        (low, high) = (only, halves.count == 2 ? range.upperBound : only)
      }
      values.formUnion(stride(from: low, through: high, by: step))
    }
    return values
  }
}
