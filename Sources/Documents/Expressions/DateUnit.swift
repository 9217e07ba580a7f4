import GatehouseBSON

/// A unit in which dates are added, subtracted and cut off.
enum DateUnit: String {
  case year, quarter, month, week, day, hour, minute, second, millisecond

  init(_ value: Value?, _ name: String) throws(DocumentsError) {
    guard case .string(let text)? = value, let unit = DateUnit(rawValue: text) else {
      throw .failedToParse("unknown time unit value in \(name)")
    }
    self = unit
  }

  /// 0 is Sunday, which is where weeks begin if nothing else is said.
  static func weekday(_ value: Value?, _ name: String) throws(DocumentsError) -> Int {
    guard let value else { return 0 }
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    guard case .string(let text) = value,
      let index = names.firstIndex(where: { $0 == text.lowercased() || $0.prefix(3) == text.lowercased() })
    else { throw .failedToParse("unknown day of week value in \(name)") }
    return index
  }

  private var months: Int? {
    switch self {
    case .year: 12
    case .quarter: 3
    case .month: 1
    case .week, .day, .hour, .minute, .second, .millisecond: nil
    }
  }

  /// The milliseconds of a unit that always has as many; nil of months and longer.
  var millisecondsOfFixed: Int? { months == nil ? milliseconds : nil }

  /// Whether it is counted by what clocks show, and not by time that has passed.
  var isOfCalendar: Bool {
    switch self {
    case .year, .quarter, .month, .week, .day: true
    case .hour, .minute, .second, .millisecond: false
    }
  }

  private var milliseconds: Int {
    switch self {
    case .year, .quarter, .month, .day: 86_400_000
    case .week: 7 * 86_400_000
    case .hour: 3_600_000
    case .minute: 60_000
    case .second: 1000
    case .millisecond: 1
    }
  }

  func adding(_ amount: Int, to date: Date, offset: Int) -> Date? {
    if amount.magnitude >= 1 << 45 { return nil }
    guard let months else {
      let (product, overflow) = amount.multipliedReportingOverflow(by: milliseconds)
      let (sum, carry) = date.milliseconds.addingReportingOverflow(Int64(product))
      return overflow || carry ? nil : Date(milliseconds: sum)
    }
    let parts = DateParts(date, offset: offset)
    let month = parts.month - 1 + amount * months
    let year = parts.year + DateParts.floored(month, by: 12)
    let first = month - DateParts.floored(month, by: 12) * 12 + 1
    let day = min(parts.day, DateParts.daysInMonth(first, of: year))
    return DateParts.date(
      days: DateParts.days(year: year, month: first, day: day),
      seconds: parts.hour * 3600 + parts.minute * 60 + parts.second, milliseconds: parts.millisecond,
      offset: offset)
  }

  /// The number of the unit that the date is in.
  func index(of date: Date, _ offset: Int, firstDay: Int) -> Int {
    let parts = DateParts(date, offset: offset)
    if let months { return DateParts.floored(parts.year * 12 + parts.month - 1, by: months) }
    if self == .week { return DateParts.floored(parts.days + 4 - firstDay, by: 7) }
    if self == .day { return parts.days }
    return DateParts.floored(Int(date.milliseconds) + offset * 1000, by: milliseconds)
  }

  /// The begin of the bin that the date is in. Bins are counted from 2000-01-01.
  func truncated(_ date: Date, bin: Int, _ zone: (offset: Int, firstDay: Int)) -> Date? {
    let reference = Date(seconds: 946_684_800 - Int64(zone.offset))
    var base = index(of: reference, zone.offset, firstDay: zone.firstDay)
    // The first week that begins in 2000.
    if self == .week, zone.firstDay != 6 { base += 1 }
    let index = index(of: date, zone.offset, firstDay: zone.firstDay) - base
    let first = base + DateParts.floored(index, by: bin) * bin
    precondition(0..<bin ~= index + base - first, "a date is in the bin that it is cut to")
    if let months {
      let month = first * months
      let year = DateParts.floored(month, by: 12)
      return DateParts.date(
        days: DateParts.days(year: year, month: month - year * 12 + 1, day: 1), seconds: 0, milliseconds: 0,
        offset: zone.offset)
    }
    switch self {
    case .week:
      return DateParts.date(
        days: first * 7 - 4 + zone.firstDay, seconds: 0, milliseconds: 0, offset: zone.offset)
    case .day: return DateParts.date(days: first, seconds: 0, milliseconds: 0, offset: zone.offset)
    case .year, .quarter, .month, .hour, .minute, .second, .millisecond:
      let (product, overflow) = first.multipliedReportingOverflow(by: milliseconds)
      return overflow ? nil : Date(milliseconds: Int64(product - zone.offset * 1000))
    }
  }
}
