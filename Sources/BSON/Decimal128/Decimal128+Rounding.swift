extension Decimal128 {
  /// Reads a number and rounds it half to even to what a Decimal128 can hold; nil: the text is no number.
  public init?(nearest text: String) {
    var bytes = text
    let value = bytes.withUTF8 { bytes -> Decimal128? in
      do throws(Decimal128Error) {
        return try Decimal128(parsing: bytes)
      } catch {
        return error == .malformed ? nil : Self.rounded(bytes)
      }
    }
    guard let value else { return nil }
    self = value
  }

  /// - Precondition: the text is a number.
  private static func rounded(_ text: UnsafeBufferPointer<UInt8>) -> Decimal128? {
    let isNegative = text.first == UInt8(ascii: "-")
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    var (coefficient, digits, exponent) = (UInt128(0), 0, 0)
    var (isFraction, isInexact) = (false, false)
    for byte in mantissa {
      if byte == UInt8(ascii: ".") {
        if isFraction { return nil }
        isFraction = true
        continue
      }
      guard 0x30...0x39 ~= byte else { return nil }
      // Two digits more than are kept, and whether anything follows them.
      if digits < maximumDigits + 2 {
        coefficient = coefficient * 10 + UInt128(byte & 0xF)
        if coefficient != 0 { digits += 1 }
        if isFraction { exponent -= 1 }
      } else {
        isInexact = isInexact || byte != 0x30
        if !isFraction { exponent += 1 }
      }
    }
    guard let power = power(of: rest.dropFirst(mantissa.count)) else { return nil }
    return rounded(
      WideCoefficient(coefficient), isNegative: isNegative, exponent: exponent + power, isInexact: isInexact)
  }

  /// The number behind the letter, at most a million, which is far out of range whatever the digits are that a text in
  /// memory has; nil: it is none.
  private static func power(of text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var text = text.dropFirst()
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { text = text.dropFirst() }
    var number = 0
    for byte in text {
      guard 0x30...0x39 ~= byte else { return nil }
      if number < 1 << 50 { number = number * 10 + Int(byte & 0xF) }
    }
    return isNegative ? -number : number
  }
}
