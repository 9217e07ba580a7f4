import Glibc

extension Value {
  /// Whether the values are of the same type and the same to the last bit: `NaN` equals itself, 0.0 is not
  /// -0.0, and `é` is not `e` with an accent put on.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null), (.minKey, .minKey), (.maxKey, .maxKey), (.undefined, .undefined): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int32(let left), .int32(let right)): left == right
    case (.int64(let left), .int64(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.decimal128(let left), .decimal128(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.binary(let left), .binary(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.objectID(let left), .objectID(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.document(let left), .document(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.regularExpression(let left), .regularExpression(let right)): left == right
    case (.symbol(let left), .symbol(let right)): left.hasSameBytes(as: right)
    case (.javaScript(let left), .javaScript(let right)): left.hasSameBytes(as: right)
    case (.javaScriptWithScope(let left, let leftScope), .javaScriptWithScope(let right, let rightScope)):
      left.hasSameBytes(as: right) && leftScope == rightScope
    case (.dbPointer(let left, let leftID), .dbPointer(let right, let rightID)):
      left.hasSameBytes(as: right) && leftID == rightID
    default: false
    }
  }
}

extension String {
  /// Whether the bytes are the same. `==` takes canonically equivalent texts for equal as well.
  public func hasSameBytes(as other: String) -> Bool {
    var other = other
    return other.withUTF8 { hasBytes($0) }
  }

  @inline(__always)
  func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = self
    return text.withUTF8 { text in
      guard text.count == bytes.count else { return false }
      guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, text.count) == 0
    }
  }
}
