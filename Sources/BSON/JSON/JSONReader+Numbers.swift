extension JSONReader {
  mutating func readNumber() throws(JSONError) -> Value {
    var number = DecimalNumber(isNegative: next == 0x2D)
    let start = position
    if number.isNegative { position += 1 }
    try readInteger(&number)
    if position < end, bytes[position] == 0x2E {
      position += 1
      try readDigits(&number, isFraction: true)
    } else if position == end || bytes[position] | 0x20 != 0x65, let integer = number.integer {
      return Int32(exactly: integer).map { .int32($0) } ?? .int64(integer)
    }
    if position < end, bytes[position] | 0x20 == 0x65 { try readExponent(&number) }
    let text = UnsafeBufferPointer(start: bytes + start, count: position - start)
    guard let double = number.double(of: text), double.isFinite else {
      throw JSONError(.numberOutOfRange, at: start)
    }
    return .double(double)
  }

  private mutating func readInteger(_ number: inout DecimalNumber) throws(JSONError) {
    let isZero = next == 0x30
    try readDigits(&number, isFraction: false)
    if isZero, number.countOfDigits > 1 {
      throw JSONError(.leadingZero, at: position - number.countOfDigits)
    }
  }

  @inline(__always)
  private mutating func readDigits(
    _ number: inout DecimalNumber, isFraction: Bool
  ) throws(JSONError) {
    let start = position
    while position < end {
      let digit = bytes[position] &- 0x30
      guard digit < 10 else { break }
      number.append(digit)
      position += 1
    }
    guard position > start else { throw error(position < end ? .malformedNumber : .unexpectedEnd) }
    if isFraction { number.exponent -= position - start }
  }

  private mutating func readExponent(_ number: inout DecimalNumber) throws(JSONError) {
    position += 1
    let sign = next
    if sign == 0x2D || sign == 0x2B { position += 1 }
    var exponent = DecimalNumber(isNegative: sign == 0x2D)
    try readDigits(&exponent, isFraction: false)
    // Beyond the reach of all digits that a text has, so that the sum is none of the greatest numbers.
    let reach: Int64 = 1 << 50
    let power = exponent.integer ?? (exponent.isNegative ? -reach : reach)
    number.exponent += Int(max(-reach, min(reach, power)))
  }
}
