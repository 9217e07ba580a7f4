extension Date: TextRepresentable {
  /// Reads RFC 3339's `date-time` with up to nine digits of fraction and any offset, and
  /// ECMAScript's expanded years (a sign and at least six digits) for what four digits can't say.
  ///
  /// A leap second is malformed: there is no such point in time here.
  public init?(text: UnsafeBufferPointer<UInt8>) {
    var scanner = DigitScanner(text)
    guard let date = scanner.dateTime(), let offset = scanner.offset(), scanner.isAtEnd else {
      return nil
    }
    let (seconds, overflow) = date.seconds.subtractingReportingOverflow(offset)
    if overflow { return nil }
    self.init(seconds: seconds, nanoseconds: date.nanoseconds)
  }

  /// Appends RFC 3339 text in UTC with as many digits of fraction as needed.
  public func appendText(to bytes: inout [UInt8]) {
    appendDateTime(CivilTime(seconds: seconds), to: &bytes)
    bytes.append(0x5A)
  }

  /// The date whose text in the store this is, or nil if it is malformed.
  ///
  /// That text is `2024-01-02T03:04:05.123456789` in UTC for the years 0 to 9999; for later ones `T` and 19
  /// digits of seconds, for earlier ones `-` and 19 digits of (seconds + 2^63), both with the same fraction.
  /// So bytewise order is the order of time.
  public init?(storedText text: UnsafeBufferPointer<UInt8>) {
    var scanner = DigitScanner(text)
    let marker = text.first ?? 0
    guard marker == 0x54 || marker == 0x2D else {
      guard let date = scanner.dateTime(), scanner.isAtEnd else { return nil }
      self = date
      return
    }
    _ = scanner.skip(marker)
    guard let count = scanner.unsigned(digits: 19), let count = Int64(exactly: count),
      let nanoseconds = scanner.fraction(), scanner.isAtEnd
    else { return nil }
    self.init(seconds: marker == 0x54 ? count : count + .min, nanoseconds: nanoseconds)
  }

  /// Appends the text that the store keeps, which sorts as time does.
  public func appendStoredText(to bytes: inout [UInt8]) {
    let civil = CivilTime(seconds: seconds)
    switch civil.year {
    case 0...9999: return appendDateTime(civil, to: &bytes)
    case ..<0:
      bytes.append(0x2D)
      bytes.appendDigits(UInt64(bitPattern: seconds) &- 1 << 63, count: 19)
    default:
      bytes.append(0x54)
      bytes.appendDigits(UInt64(bitPattern: seconds), count: 19)
    }
    bytes.appendFraction(nanoseconds)
  }

  /// The text that the store keeps.
  public var storedText: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(40)
    appendStoredText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func appendDateTime(_ civil: CivilTime, to bytes: inout [UInt8]) {
    if 0...9999 ~= civil.year {
      bytes.append(addingCapacity: 4) { output in
        output.appendPair(civil.year / 100)
        output.appendPair(civil.year % 100)
      }
    } else {
      bytes.appendExpandedYear(civil.year)
    }
    let (minute, second) = (civil.secondOfDay / 60, civil.secondOfDay % 60)
    bytes.append(addingCapacity: 15) { output in
      output.appendPair(civil.month, after: 0x2D)
      output.appendPair(civil.day, after: 0x2D)
      output.appendPair(minute / 60, after: 0x54)
      output.appendPair(minute % 60, after: 0x3A)
      output.appendPair(second, after: 0x3A)
    }
    bytes.appendFraction(nanoseconds)
  }
}

extension OutputSpan<UInt8> {
  /// Appends a separator and two digits.
  @inline(__always)
  fileprivate mutating func appendPair(_ number: Int64, after separator: UInt8) {
    append(separator)
    appendPair(number)
  }

  @inline(__always)
  fileprivate mutating func appendPair(_ number: Int64) {
    append(0x30 &+ UInt8(truncatingIfNeeded: number / 10))
    append(0x30 &+ UInt8(truncatingIfNeeded: number % 10))
  }
}

extension [UInt8] {
  /// ECMAScript's: a sign and at least six digits.
  fileprivate mutating func appendExpandedYear(_ year: Int64) {
    append(year < 0 ? 0x2D : 0x2B)
    let magnitude = year.magnitude
    appendDigits(magnitude, count: Swift.max(6, String(magnitude).utf8.count))
  }

  /// Appends the point and the digits of a fraction without trailing zeros, or nothing for zero.
  fileprivate mutating func appendFraction(_ nanoseconds: Int32) {
    if nanoseconds == 0 { return }
    let (first, others) = UInt64(nanoseconds).quotientAndRemainder(dividingBy: 100_000_000)
    let digits = EightDigits(others)
    append(addingCapacity: 10) { output in
      output.append(0x2E)
      output.append(0x30 &+ UInt8(truncatingIfNeeded: first))
      var rest = digits.characters
      for _ in digits.trailingZeros..<8 {
        output.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }
  }

  /// Appends the last `count` decimal digits of a number, with leading zeros.
  fileprivate mutating func appendDigits(_ number: UInt64, count: Int) {
    var divisor: UInt64 = 1
    for _ in 1..<count { divisor *= 10 }
    append(addingCapacity: count) { output in
      for _ in 0..<count {
        output.append(0x30 &+ UInt8(truncatingIfNeeded: number / divisor % 10))
        divisor /= 10
      }
    }
  }
}
