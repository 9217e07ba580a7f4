/// Reads the text of a Decimal128 in one pass.
struct Decimal128Parser {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var coefficient: UInt128 = 0
  /// Digits in ``coefficient`` after leading zeros.
  private var digits = 0
  /// The part of the exponent that comes from the digits read so far: dropped ones add, those behind the point
  /// subtract.
  private var exponent = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  mutating func parse() throws(Decimal128Error) -> Decimal128 {
    let isNegative = readSign()
    if let special = readWord(isNegative: isNegative) { return special }
    try readDigits()
    try readExponent()
    guard position == text.count else { throw .malformed }
    return try fit(isNegative: isNegative)
  }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func readSign() -> Bool {
    guard let sign = next, sign == 0x2D || sign == 0x2B else { return false }
    position += 1
    return sign == 0x2D
  }

  /// `inf`, `infinity` or `nan` in any case, if that is all there is.
  private func readWord(isNegative: Bool) -> Decimal128? {
    let word = text[position...].map { $0 | 0x20 }
    if word.elementsEqual("nan".utf8) { return .nan }
    let isInfinity = word.elementsEqual("infinity".utf8) || word.elementsEqual("inf".utf8)
    return isInfinity ? .infinity(isNegative: isNegative) : nil
  }

  /// Digits with at most one point among, before or after them.
  private mutating func readDigits() throws(Decimal128Error) {
    var (isEmpty, isFraction) = (true, false)
    while let byte = next {
      if byte == 0x2E && !isFraction {
        isFraction = true
      } else if byte &- 0x30 < 10 {
        isEmpty = false
        try add(digit: byte &- 0x30, isFraction: isFraction)
      } else {
        break
      }
      position += 1
    }
    if isEmpty { throw .malformed }
  }

  private mutating func add(digit: UInt8, isFraction: Bool) throws(Decimal128Error) {
    if digits == Decimal128.maximumDigits {
      // Exact only if nothing but zeros is dropped.
      guard digit == 0 else { throw .inexact }
      if !isFraction { exponent += 1 }
      return
    }
    coefficient = coefficient * 10 + UInt128(digit)
    if coefficient != 0 { digits += 1 }
    if isFraction { exponent -= 1 }
  }

  private mutating func readExponent() throws(Decimal128Error) {
    guard let letter = next, letter | 0x20 == 0x65 else { return }
    position += 1
    let isNegative = readSign()
    let start = position
    var number = 0
    while let byte = next, byte &- 0x30 < 10 {
      // Far out of range already: the length of no text can bring it back.
      if number < 1 << 50 { number = number * 10 + Int(byte &- 0x30) }
      position += 1
    }
    guard position > start else { throw .malformed }
    exponent += isNegative ? -number : number
  }

  /// Brings the exponent into range by adding or dropping zeros.
  private mutating func fit(isNegative: Bool) throws(Decimal128Error) -> Decimal128 {
    let range = Decimal128.exponents
    if coefficient == 0 { exponent = min(max(exponent, range.lowerBound), range.upperBound) }
    while exponent > range.upperBound {
      guard digits < Decimal128.maximumDigits else { throw .outOfRange }
      (coefficient, digits, exponent) = (coefficient * 10, digits + 1, exponent - 1)
    }
    while exponent < range.lowerBound {
      guard coefficient % 10 == 0 else { throw .outOfRange }
      (coefficient, digits, exponent) = (coefficient / 10, digits - 1, exponent + 1)
    }
    return Decimal128(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }
}
