public import GatehouseBSON

/// MongoDB's order of all BSON values: types in their order, numbers by value across their types.
///
/// Source: <https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/>.
public enum ValueOrder {
  /// Negative where `left` comes first, positive where `right` does, zero where they are equal.
  public static func compare(_ left: Value, _ right: Value) -> Int {
    let (leftRank, rightRank) = (left.rank, right.rank)
    if leftRank != rightRank { return order(leftRank, rightRank) }
    if leftRank == Value.numberRank { return NumberOrder.compare(left, right) }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.date(let left), .date(let right)): return order(left, right)
    case (.objectID(let left), .objectID(let right)): return order(left, right)
    case (.timestamp(let left), .timestamp(let right)):
      return order(
        UInt64(left.time) << 32 | UInt64(left.increment), UInt64(right.time) << 32 | UInt64(right.increment))
    case (.document(let left), .document(let right)): return compareDocuments(left, right)
    case (.array(let left), .array(let right)): return compareArrays(left, right)
    default: return compareOthers(left, right)
    }
  }

  /// The order where a value may be missing: what is missing comes first, before null and MinKey.
  static func compareOptional(_ left: Value?, _ right: Value?) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let left?, let right?): compare(left, right)
    }
  }

  /// Whether the order has the values at the same place: 1 and 1.0, but not `[1, 2]` and `[2, 1]`.
  public static func isEqual(_ left: Value, _ right: Value) -> Bool { compare(left, right) == 0 }

  private static func compareOthers(_ left: Value, _ right: Value) -> Int {
    if let left = left.text, let right = right.text { return compareBytes(left, right) }
    if let left = left.binary, let right = right.binary { return compareBinaries(left, right) }
    switch (left, right) {
    case (.regularExpression(let left), .regularExpression(let right)):
      let first = compareBytes(left.pattern, right.pattern)
      return first != 0 ? first : compareBytes(left.options, right.options)
    case (.javaScript(let left), .javaScript(let right)): return compareBytes(left, right)
    case (.javaScriptWithScope(let left, let leftScope), .javaScriptWithScope(let right, let rightScope)):
      let first = compareBytes(left, right)
      return first != 0 ? first : compareDocuments(leftScope, rightScope)
    case (.dbPointer(let left, let leftID), .dbPointer(let right, let rightID)):
      let first = order(left.utf8.count, right.utf8.count)
      if first != 0 { return first }
      let second = compareBytes(left, right)
      return second != 0 ? second : order(leftID, rightID)
    default: return 0
    }
  }

  /// The type of each member first, then its name, then its value.
  private static func compareDocuments(_ left: Document, _ right: Document) -> Int {
    for (left, right) in zip(left.elements, right.elements) {
      var result = order(left.value.rank, right.value.rank)
      if result == 0 { result = compareBytes(left.key, right.key) }
      if result == 0 { result = compare(left.value, right.value) }
      if result != 0 { return result }
    }
    return order(left.elements.count, right.elements.count)
  }

  private static func compareArrays(_ left: [Value], _ right: [Value]) -> Int {
    for (left, right) in zip(left, right) {
      let result = compare(left, right)
      if result != 0 { return result }
    }
    return order(left.count, right.count)
  }

  /// Length, then subtype, then bytes.
  private static func compareBinaries(_ left: Binary, _ right: Binary) -> Int {
    if left.bytes.count != right.bytes.count { return order(left.bytes.count, right.bytes.count) }
    if left.subtype != right.subtype { return order(left.subtype, right.subtype) }
    for (left, right) in zip(left.bytes, right.bytes) where left != right { return order(left, right) }
    return 0
  }

  static func compareBytes(_ left: String, _ right: String) -> Int {
    let (left, right) = (left.utf8Span.span, right.utf8Span.span)
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index] ? -1 : 1
    }
    return order(left.count, right.count)
  }

  static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}

extension Value {
  static let numberRank = 10

  /// The place of the type among the types. Types with the same one are compared by value.
  var rank: Int {
    switch self {
    case .minKey: -1
    case .undefined: 0
    case .null: 5
    case .int32, .int64, .double, .decimal128: Value.numberRank
    case .string, .symbol: 15
    case .document: 20
    case .array: 25
    case .binary, .uuid: 30
    case .objectID: 35
    case .bool: 40
    case .date: 45
    case .timestamp: 47
    case .regularExpression: 50
    case .dbPointer: 55
    case .javaScript: 60
    case .javaScriptWithScope: 65
    case .maxKey: 127
    }
  }

  /// The text of a string or a symbol.
  var text: String? {
    switch self {
    case .string(let text), .symbol(let text): text
    default: nil
    }
  }

  /// The bytes of a binary, a UUID's included.
  var binary: Binary? {
    switch self {
    case .binary(let binary): return binary
    case .uuid(let uuid):
      var bytes: [UInt8] = []
      for word in [uuid.high, uuid.low] {
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
      }
      return Binary(subtype: 4, bytes: bytes)
    default: return nil
    }
  }
}
