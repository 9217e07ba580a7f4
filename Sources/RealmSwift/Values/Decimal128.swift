public import Foundation
internal import GatehouseBSON

/// A decimal number of 34 digits, as IEEE 754-2008 has it: also infinite, or NaN.
public final class Decimal128: Sendable {
  /// The value as the store has it.
  let stored: GatehouseBSON.Decimal128

  init(_ stored: GatehouseBSON.Decimal128) {
    self.stored = stored
  }

  /// Creates zero.
  public required init() {
    stored = .zero
  }

  /// Creates a number from a text, an integer, a floating point number or another Decimal128; traps where the value is
  /// anything else.
  public required init(value: Any) {
    guard let stored = Self.stored(of: value) else {
      fatalError("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
    }
    self.stored = stored
  }

  /// Creates a number from an integer.
  public init(number: some BinaryInteger) {
    stored = Self.rounded(number.description)
  }

  /// Creates a number from one of Foundation's.
  public required init(number: NSNumber) {
    stored = Self.rounded(number.stringValue)
  }

  /// Creates the number with the fewest digits that gives a floating point number back.
  public init(number: some BinaryFloatingPoint & LosslessStringConvertible) {
    stored = Self.rounded(number.description)
  }

  /// Creates a number from a text, rounded to 34 digits; one that is no number gives a NaN.
  public required init(string: String) throws {
    stored = Self.rounded(string)
  }

  /// The least finite number.
  public static var min: Decimal128 {
    Decimal128(GatehouseBSON.Decimal128(high: 0xDFFF_ED09_BEAD_87C0, low: 0x378D_8E63_FFFF_FFFF))
  }

  /// The greatest finite number.
  public static var max: Decimal128 {
    Decimal128(GatehouseBSON.Decimal128(high: 0x5FFF_ED09_BEAD_87C0, low: 0x378D_8E63_FFFF_FFFF))
  }

  /// The text of the number.
  public var stringValue: String { stored.description }

  /// The nearest Double.
  public var doubleValue: Double { stored.double }

  /// Whether it is not a number.
  public var isNaN: Bool { stored.isNaN }

  /// Whether it is a NaN that signals.
  public var isSignaling: Bool { isNaN && stored.high >> 57 & 1 == 1 }

  /// Whether it is a NaN that signals.
  public var isSignalingNaN: Bool { isSignaling }

  /// The number that a text rounds to; NaN where it is none.
  private static func rounded(_ text: String) -> GatehouseBSON.Decimal128 {
    GatehouseBSON.Decimal128(nearest: text) ?? .nan
  }

  /// Returns the number that a value stands for, which is no truth value; nil where it stands for none.
  static func number(of value: Any) -> Decimal128? {
    if value is Bool { return nil }
    guard let stored = stored(of: value) else { return nil }
    return value is String && stored.isNaN ? nil : Decimal128(stored)
  }

  /// The number that a value stands for; nil where it stands for none.
  static func stored(of value: Any) -> GatehouseBSON.Decimal128? {
    switch value {
    case let value as Decimal128: value.stored
    case let value as String: rounded(value)
    case let value as any BinaryInteger: rounded(value.description)
    case let value as Double: rounded(value.description)
    case let value as Float: rounded(value.description)
    case let value as NSNumber: rounded(value.stringValue)
    default: nil
    }
  }
}

extension Decimal128: CustomStringConvertible {
  /// The text of the number.
  public var description: String { stringValue }
}

extension Decimal128: Comparable, Hashable {
  /// Whether the numbers are equal, however many zeros follow their points. A NaN equals itself.
  public static func == (lhs: Decimal128, rhs: Decimal128) -> Bool { order(lhs, rhs) == 0 }

  /// Whether the first is less. A NaN is less than every number.
  public static func < (lhs: Decimal128, rhs: Decimal128) -> Bool { order(lhs, rhs) < 0 }

  /// Whether the first is less or equal.
  public static func <= (lhs: Decimal128, rhs: Decimal128) -> Bool { order(lhs, rhs) <= 0 }

  /// Whether the first is greater or equal.
  public static func >= (lhs: Decimal128, rhs: Decimal128) -> Bool { order(lhs, rhs) >= 0 }

  /// Whether the first is greater.
  public static func > (lhs: Decimal128, rhs: Decimal128) -> Bool { order(lhs, rhs) > 0 }

  private static func order(_ left: Decimal128, _ right: Decimal128) -> Int {
    GatehouseBSON.Decimal128.compare(left.stored, right.stored)
  }

  /// Hashes the nearest Double, which equal numbers have in common.
  public func hash(into hasher: inout Hasher) { hasher.combine(isNaN ? 0 : doubleValue) }
}

extension Decimal128: Codable {
  /// Reads a text or a number.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      try self.init(string: text)
    } else if let integer = try? container.decode(Int64.self) {
      self.init(number: integer)
    } else if let double = try? container.decode(Double.self) {
      self.init(number: double)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "Cannot convert value to Decimal128")
    }
  }

  /// Writes the text of the number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
