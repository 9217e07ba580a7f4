/// The rule that a text of a Decimal128 broke.
public enum Decimal128Error: Error, Hashable, Sendable {
  /// Not a number, `Infinity` or `NaN`.
  case malformed
  /// More than 34 significant digits, of which the dropped ones are not all zeros.
  case inexact
  /// The exponent exceeds the range, even with zeros added or dropped.
  case outOfRange
}

extension Decimal128: TextRepresentable {
  /// Reads a number, refusing whatever could not be kept exactly.
  public init?(text: UnsafeBufferPointer<UInt8>) {
    guard let value = try? Decimal128(parsing: text) else { return nil }
    self = value
  }

  /// Reads a number, refusing whatever could not be kept exactly.
  ///
  /// Source: the BSON decimal128 specification, "From String Representation":
  /// <https://github.com/mongodb/specifications/blob/master/source/bson-decimal128/decimal128.md>.
  public init(parsing text: UnsafeBufferPointer<UInt8>) throws(Decimal128Error) {
    var parser = Decimal128Parser(text)
    self = try parser.parse()
  }

  /// Appends the canonical text of the BSON decimal128 specification, "To String Representation".
  public func appendText(to bytes: inout [UInt8]) {
    switch parts {
    case .nan: bytes.append(contentsOf: "NaN".utf8)
    case .infinity(let isNegative):
      bytes.append(contentsOf: (isNegative ? "-Infinity" : "Infinity").utf8)
    case .finite(let isNegative, let coefficient, let exponent):
      if isNegative { bytes.append(0x2D) }
      let digits = Array(String(coefficient).utf8)
      let scientific = digits.count - 1 + exponent
      if exponent <= 0 && scientific >= -6 {
        Self.appendPlain(digits, scale: -exponent, to: &bytes)
      } else {
        Self.appendScientific(digits, exponent: scientific, to: &bytes)
      }
    }
  }

  private static func appendPlain(_ digits: [UInt8], scale: Int, to bytes: inout [UInt8]) {
    let whole = digits.count - scale
    if scale == 0 {
      bytes += digits
    } else if whole > 0 {
      bytes += digits[..<whole]
      bytes.append(0x2E)
      bytes += digits[whole...]
    } else {
      bytes += [0x30, 0x2E]
      bytes += repeatElement(0x30, count: -whole)
      bytes += digits
    }
  }

  private static func appendScientific(_ digits: [UInt8], exponent: Int, to bytes: inout [UInt8]) {
    bytes.append(digits[0])
    if digits.count > 1 {
      bytes.append(0x2E)
      bytes += digits[1...]
    }
    bytes += [0x45, exponent < 0 ? 0x2D : 0x2B]
    bytes += String(exponent.magnitude).utf8
  }
}
