import GatehouseBSON

/// A date taken apart, in a time zone of a fixed offset.
struct DateParts {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int
  var millisecond: Int
  /// Days since 1970-01-01.
  let days: Int

  init(_ date: Date, offset: Int) {
    let milliseconds = date.milliseconds
    let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let seconds = Int(quotient) + (rest < 0 ? -1 : 0) + offset
    millisecond = Int(rest < 0 ? rest + 1000 : rest)
    days = DateParts.floored(seconds, by: 86_400)
    let secondOfDay = seconds - days * 86_400
    (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
    (year, month, day) = DateParts.civil(days)
    precondition(
      0..<86_400 ~= secondOfDay && 1...12 ~= month && 1...31 ~= day, "a date is a time of a calendar's day")
  }

  static func floored(_ value: Int, by divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  /// Howard Hinnant's `civil_from_days`.
  static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floored(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let civilMonth = month < 10 ? month + 3 : month - 9
    return (
      yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// Howard Hinnant's `days_from_civil`; a month may be any number.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let months = month - 1
    let extra = floored(months, by: 12)
    let (year, month) = (year + extra, months - extra * 12 + 1)
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floored(shiftedYear, by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func daysInMonth(_ month: Int, of year: Int) -> Int {
    days(year: year, month: month + 1, day: 1) - days(year: year, month: month, day: 1)
  }

  /// 1 is Sunday.
  var dayOfWeek: Int { (days + 4) - DateParts.floored(days + 4, by: 7) * 7 + 1 }
  /// 1 is Monday.
  var isoDayOfWeek: Int { dayOfWeek == 1 ? 7 : dayOfWeek - 1 }
  var dayOfYear: Int { days - DateParts.days(year: year, month: 1, day: 1) + 1 }
  /// Weeks begin on Sunday; days before the first are in week 0.
  var week: Int { (dayOfYear - dayOfWeek + 7) / 7 }

  /// The year and week of ISO 8601: the week with the year's first Thursday is its first.
  var isoWeek: (year: Int, week: Int) {
    let thursday = days - isoDayOfWeek + 4
    let year = DateParts.civil(thursday).year
    return (year, (thursday - DateParts.days(year: year, month: 1, day: 1)) / 7 + 1)
  }

  var isoText: String {
    let date = "\(DateParts.padded(year, 4))-\(DateParts.padded(month, 2))-\(DateParts.padded(day, 2))"
    let time = "\(DateParts.padded(hour, 2)):\(DateParts.padded(minute, 2)):\(DateParts.padded(second, 2))"
    return "\(date)T\(time).\(DateParts.padded(millisecond, 3))"
  }

  static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  /// The date of parts, each of which may be any number; nil where it is too far away.
  static func date(days: Int, seconds: Int, milliseconds: Int, offset: Int) -> Date? {
    guard abs(days) < 1 << 40, abs(seconds) < 1 << 52, abs(milliseconds) < 1 << 60 else { return nil }
    let (total, overflow) = Int64(days * 86_400 + seconds - offset).multipliedReportingOverflow(by: 1000)
    let (sum, carry) = total.addingReportingOverflow(Int64(milliseconds))
    return overflow || carry ? nil : Date(milliseconds: sum)
  }
}

/// The date of a value that has one.
enum DateValue {
  static func date(_ value: Value?, _ name: String) throws(DocumentsError) -> Date {
    switch value {
    case .date(let date)?:
      // So far from the ends of time that sums with it do not overflow.
      if date.milliseconds.magnitude > 1 << 60 { throw DocumentsError(.overflow, "date overflow in \(name)") }
      return date
    case .objectID(let id)?: return Date(seconds: Int64(id.high >> 32))
    case .timestamp(let timestamp)?: return Date(seconds: Int64(timestamp.time))
    default: throw .at(16006, "can't convert from BSON type \(value.typeName) to Date in \(name)")
    }
  }
}
