import GatehouseBSON

/// Dates to texts and back.
enum DateText {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let fullMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  static func format(_ date: Date, _ format: String, offset: Int) throws(DocumentsError) -> String {
    let parts = DateParts(date, offset: offset)
    var text = ""
    var isEscaped = false
    for character in format.unicodeScalars {
      if !isEscaped {
        if character == "%" { isEscaped = true } else { text.unicodeScalars.append(character) }
        continue
      }
      isEscaped = false
      text += try piece(character, parts, offset: offset)
    }
    if isEscaped { throw .at(18535, "Unmatched '%' at end of format string") }
    return text
  }

  private static func piece(
    _ letter: Unicode.Scalar, _ parts: DateParts, offset: Int
  ) throws(DocumentsError) -> String {
    switch letter {
    case "%": "%"
    case "Y": DateParts.padded(parts.year, 4)
    case "m": DateParts.padded(parts.month, 2)
    case "d": DateParts.padded(parts.day, 2)
    case "H": DateParts.padded(parts.hour, 2)
    case "M": DateParts.padded(parts.minute, 2)
    case "S": DateParts.padded(parts.second, 2)
    case "L": DateParts.padded(parts.millisecond, 3)
    case "j": DateParts.padded(parts.dayOfYear, 3)
    case "w": String(parts.dayOfWeek)
    case "U": DateParts.padded(parts.week, 2)
    case "G": DateParts.padded(parts.isoWeek.year, 4)
    case "V": DateParts.padded(parts.isoWeek.week, 2)
    case "u": String(parts.isoDayOfWeek)
    case "b": months[parts.month - 1]
    case "B": fullMonths[parts.month - 1]
    case "z":
      (offset < 0 ? "-" : "+") + DateParts.padded(abs(offset) / 3600, 2)
        + DateParts.padded(abs(offset) / 60 % 60, 2)
    case "Z": String(offset / 60)
    default: throw .at(18536, "Invalid format character '%\(letter)' in format string")
    }
  }

  /// ISO 8601: a date, alone or with a time, a fraction and an offset.
  static func parse(_ text: String, in zone: TimeZone = .utc) -> Date? {
    if let date = Date(text) { return date }
    for format in ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
      if let date = parse(text, format: format, in: zone) { return date }
    }
    for format in ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"] {
      for end in ["", ".%L", "%z", ".%L%z", " %z", "Z", ".%LZ"] {
        if let date = parse(text, format: format + end, in: end.hasSuffix("Z") ? .utc : zone) {
          return date
        }
      }
    }
    return nil
  }

  static func parse(_ text: String, format: String, in zone: TimeZone) -> Date? {
    var reader = DateReader(text: Array(text.utf8), zone: zone)
    var isEscaped = false
    for byte in format.utf8 {
      if !isEscaped, byte == UInt8(ascii: "%") {
        isEscaped = true
        continue
      }
      guard isEscaped && byte != UInt8(ascii: "%") ? reader.read(byte) : reader.skip(byte) else { return nil }
      isEscaped = false
    }
    return reader.date
  }

  /// Reads the pieces of a text that a format names.
  private struct DateReader {
    let text: [UInt8]
    private var zone: TimeZone
    private var position = 0
    private var year = 1970
    private var month = 1
    private var day = 1
    private var dayOfYear: Int?
    private var hour = 0
    private var minute = 0
    private var second = 0
    private var millisecond = 0
    private var iso: (year: Int?, week: Int, day: Int) = (nil, 1, 1)

    init(text: [UInt8], zone: TimeZone) {
      self.text = text
      self.zone = zone
    }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard position < text.count, text[position] == byte else { return false }
      position += 1
      return true
    }

    /// Up to so many digits.
    private mutating func number(_ count: Int, in range: ClosedRange<Int>) -> Int? {
      let start = position
      var number = 0
      while position < text.count, position < start + count, text[position] &- 0x30 < 10 {
        number = number * 10 + Int(text[position] - 0x30)
        position += 1
      }
      return position > start && range.contains(number) ? number : nil
    }

    private mutating func assign(
      _ part: WritableKeyPath<DateReader, Int>, _ count: Int, in range: ClosedRange<Int>
    ) -> Bool {
      guard let number = number(count, in: range) else { return false }
      self[keyPath: part] = number
      return true
    }

    mutating func read(_ letter: UInt8) -> Bool {
      switch letter {
      case UInt8(ascii: "Y"): return assign(\.year, 4, in: 0...9999)
      case UInt8(ascii: "m"): return assign(\.month, 2, in: 1...12)
      case UInt8(ascii: "d"): return assign(\.day, 2, in: 1...31)
      case UInt8(ascii: "H"): return assign(\.hour, 2, in: 0...24)
      case UInt8(ascii: "M"): return assign(\.minute, 2, in: 0...59)
      case UInt8(ascii: "S"): return assign(\.second, 2, in: 0...60)
      case UInt8(ascii: "L"):
        let start = position
        guard assign(\.millisecond, 3, in: 0...999) else { return false }
        for _ in position - start..<3 { millisecond *= 10 }
        return true
      case UInt8(ascii: "j"):
        dayOfYear = number(3, in: 1...366)
        return dayOfYear != nil
      case UInt8(ascii: "G"):
        iso.year = number(4, in: 0...9999)
        return iso.year != nil
      case UInt8(ascii: "V"): return assign(\.iso.week, 2, in: 1...53)
      case UInt8(ascii: "u"): return assign(\.iso.day, 1, in: 1...7)
      case UInt8(ascii: "b"): return readMonth(DateText.months)
      case UInt8(ascii: "B"): return readMonth(DateText.fullMonths)
      case UInt8(ascii: "z"): return readOffset()
      default: return false
      }
    }

    private mutating func readMonth(_ names: [String]) -> Bool {
      let rest = String(decoding: text[position...], as: UTF8.self).lowercased()
      guard let index = names.firstIndex(where: { rest.hasPrefix($0.lowercased()) }) else { return false }
      month = index + 1
      position += names[index].utf8.count
      return true
    }

    private mutating func readOffset() -> Bool {
      if skip(UInt8(ascii: "Z")) {
        zone = .utc
        return true
      }
      let rest = text[position...].prefix { $0 != UInt8(ascii: " ") }
      guard let seconds = TimeZone.seconds(String(decoding: rest, as: UTF8.self)) else { return false }
      zone = TimeZone(offset: seconds)
      position += rest.count
      return true
    }

    /// Nil where text is left, or there is no such day.
    var date: Date? {
      guard position == text.count else { return nil }
      var days = DateParts.days(year: year, month: month, day: day)
      if let dayOfYear { days = DateParts.days(year: year, month: 1, day: 1) + dayOfYear - 1 }
      if let year = iso.year {
        let fourth = DateParts.days(year: year, month: 1, day: 4)
        let parts = DateParts(Date(seconds: Int64(fourth) * 86_400), offset: 0)
        days = fourth - parts.isoDayOfWeek + 1 + (iso.week - 1) * 7 + iso.day - 1
      }
      if day > DateParts.daysInMonth(month, of: year) { return nil }
      return DateParts.date(
        days: days, seconds: hour * 3600 + minute * 60 + second, milliseconds: millisecond, offset: 0
      ).map(zone.date(ofLocal:))
    }
  }
}
