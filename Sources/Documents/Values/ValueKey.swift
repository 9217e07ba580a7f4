public import GatehouseBSON

/// A value as the key of a table: equal and hashed as ``ValueOrder`` has it, so that 1 and 1.0 are one key.
public struct ValueKey: Hashable, Sendable {
  let value: Value?

  public init(_ value: Value?) { self.value = value }

  public static func == (left: ValueKey, right: ValueKey) -> Bool {
    ValueOrder.compareOptional(left.value, right.value) == 0
  }

  public func hash(into hasher: inout Hasher) {
    guard let value else { return hasher.combine(-2) }
    Self.combine(value, into: &hasher)
  }

  private static func combine(_ value: Value, into hasher: inout Hasher) {
    hasher.combine(value.rank)
    switch value {
    case .int32(let int): combineNumber(Double(int), into: &hasher)
    case .int64(let int): combineNumber(Double(int), into: &hasher)
    case .double(let double): combineNumber(double, into: &hasher)
    case .decimal128(let decimal): combineNumber(decimal.double, into: &hasher)
    case .string(let text), .symbol(let text): combineText(text, into: &hasher)
    case .document(let document):
      for element in document.elements {
        combineText(element.key, into: &hasher)
        combine(element.value, into: &hasher)
      }
    case .array(let values): for value in values { combine(value, into: &hasher) }
    case .binary, .uuid: hasher.combine(value.binary?.bytes)
    case .objectID(let id): hasher.combine(id)
    case .bool(let bool): hasher.combine(bool)
    case .date(let date): hasher.combine(date)
    case .timestamp(let timestamp): hasher.combine(timestamp)
    case .minKey, .maxKey, .undefined, .null, .regularExpression, .dbPointer, .javaScript,
      .javaScriptWithScope:
      break
    }
  }

  /// Numbers that are equal across types become the same double.
  private static func combineNumber(_ double: Double, into hasher: inout Hasher) {
    hasher.combine(double.isNaN ? -1 : double == 0 ? 0 : double.bitPattern.hashValue)
  }

  /// By bytes: `Hasher` takes canonically equivalent texts for the same.
  private static func combineText(_ text: String, into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}
