/// Reads the pieces that the texts of a date are made of, from left to right.
struct DigitScanner {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { position == text.count }
  private var next: UInt8? { position < text.count ? text[position] : nil }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  /// Exactly so many digits, at most 19.
  mutating func unsigned(digits count: Int) -> UInt64? {
    guard text.count - position >= count else { return nil }
    var number: UInt64 = 0
    for index in position..<position + count {
      let digit = text[index] &- 0x30
      guard digit < 10 else { return nil }
      number = number * 10 + UInt64(digit)
    }
    position += count
    return number
  }

  private mutating func number(digits count: Int, in range: ClosedRange<Int64>) -> Int64? {
    guard let number = unsigned(digits: count), range ~= Int64(number) else { return nil }
    return Int64(number)
  }

  private var countOfDigits: Int {
    var end = position
    while end < text.count, text[end] &- 0x30 < 10 { end += 1 }
    return end - position
  }

  private mutating func year() -> Int64? {
    guard let sign = next, sign == 0x2B || sign == 0x2D else { return number(digits: 4, in: 0...9999) }
    position += 1
    let count = countOfDigits
    guard 6...12 ~= count, let year = unsigned(digits: count) else { return nil }
    return sign == 0x2D ? -Int64(year) : Int64(year)
  }

  /// RFC 3339's `partial-time` after `full-date`, with the fraction.
  mutating func dateTime() -> Date? {
    guard let year = year(), skip(0x2D), let month = number(digits: 2, in: 1...12), skip(0x2D),
      let last = CivilTime.days(inMonth: month, ofYear: year),
      let day = number(digits: 2, in: 1...last), skip(0x54) || skip(0x74),
      let hour = number(digits: 2, in: 0...23), skip(0x3A),
      let minute = number(digits: 2, in: 0...59), skip(0x3A),
      let second = number(digits: 2, in: 0...59), let nanoseconds = fraction()
    else { return nil }
    let secondOfDay = hour * 3600 + minute * 60 + second
    let civil = CivilTime(year: year, month: month, day: day, secondOfDay: secondOfDay)
    // The day before is a whole one away, so that the least date does not overflow on the way.
    let isPast = civil.days < 0
    let (midnight, overflow) = (civil.days + (isPast ? 1 : 0)).multipliedReportingOverflow(
      by: CivilTime.secondsPerDay)
    let (seconds, carry) = midnight.addingReportingOverflow(
      secondOfDay - (isPast ? CivilTime.secondsPerDay : 0))
    return overflow || carry ? nil : Date(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Nanoseconds: zero without a point, otherwise from one to nine digits.
  mutating func fraction() -> Int32? {
    guard skip(0x2E) else { return 0 }
    let count = countOfDigits
    guard 1...9 ~= count, var fraction = unsigned(digits: count) else { return nil }
    for _ in count..<9 { fraction *= 10 }
    return Int32(fraction)
  }

  /// RFC 3339's `time-offset`, in seconds.
  mutating func offset() -> Int64? {
    if skip(0x5A) || skip(0x7A) { return 0 }
    guard let sign = next, sign == 0x2B || sign == 0x2D else { return nil }
    position += 1
    guard let hour = number(digits: 2, in: 0...23), skip(0x3A), let minute = number(digits: 2, in: 0...59)
    else { return nil }
    return (hour * 3600 + minute * 60) * (sign == 0x2D ? -1 : 1)
  }
}
