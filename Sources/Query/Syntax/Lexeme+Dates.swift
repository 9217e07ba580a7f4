/// Dates and timestamps.
extension Lexeme {
  /// `T<seconds>:<nanoseconds>`, both of the same sign.
  func timestamp() throws(QueryError) -> SyntaxTree.Literal {
    let parts = bytes.dropFirst().split(separator: UInt8(ascii: ":"))
    guard parts.count == 2, let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
      let nanoseconds = Int32(String(decoding: parts[1], as: UTF8.self)),
      -1_000_000_000 < nanoseconds, nanoseconds < 1_000_000_000,
      seconds >= 0 || nanoseconds <= 0, seconds <= 0 || nanoseconds >= 0
    else { throw .invalidTimestamp(offset: offset) }
    return try floored(seconds, nanoseconds)
  }

  /// Makes the nanoseconds positive, as ``GatehouseBSON/Date`` counts them.
  private func floored(_ seconds: Int64, _ nanoseconds: Int32) throws(QueryError) -> SyntaxTree.Literal {
    if nanoseconds >= 0 { return .date(seconds: seconds, nanoseconds: nanoseconds) }
    let (earlier, overflow) = seconds.subtractingReportingOverflow(1)
    if overflow { throw .invalidTimestamp(offset: offset) }
    return .date(seconds: earlier, nanoseconds: nanoseconds + 1_000_000_000)
  }

  /// `YYYY-M-D@H:M:S[:N]`. The last field is nanoseconds, which count backwards before 1970 (realm-core).
  func date() throws(QueryError) -> SyntaxTree.Literal {
    let fields = bytes.split { !$0.isDigit }.map {
      Int64(String(decoding: $0, as: UTF8.self)) ?? -1
    }
    guard fields.count >= 6, 1900...9999 ~= fields[0], 1...12 ~= fields[1], 1...31 ~= fields[2],
      0...23 ~= fields[3], 0...59 ~= fields[4], 0...60 ~= fields[5]
    else { throw .invalidDate(offset: offset) }
    let nanoseconds = fields.count == 7 ? fields[6] : 0
    if !(0..<1_000_000_000 ~= nanoseconds) { throw .invalidDate(offset: offset) }
    let days = Self.days(year: fields[0], month: fields[1], day: fields[2])
    let seconds = days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
    return try floored(seconds, Int32(seconds < 0 ? -nanoseconds : nanoseconds))
  }

  /// Days since 1970-01-01 in the Gregorian calendar (Howard Hinnant, `days_from_civil`).
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
