import Glibc

extension Value {
  /// Whether the values are of the same type and the same to the last bit: `NaN` equals itself, 0.0 is not
  /// -0.0, and `é` is not `e` with an accent put on.
  public static func == (left: Value, right: Value) -> Bool {
    // By one side at a time, so that a type that is left out does not compile.
    switch left {
    case .null: if case .null = right { true } else { false }
    case .bool(let left): if case .bool(let right) = right { left == right } else { false }
    case .int32(let left): if case .int32(let right) = right { left == right } else { false }
    case .int64(let left): if case .int64(let right) = right { left == right } else { false }
    case .double(let left):
      if case .double(let right) = right { left.bitPattern == right.bitPattern } else { false }
    case .decimal128(let left): if case .decimal128(let right) = right { left == right } else { false }
    case .string(let left): if case .string(let right) = right { left.hasSameBytes(as: right) } else { false }
    case .binary(let left): if case .binary(let right) = right { left == right } else { false }
    case .uuid(let left): if case .uuid(let right) = right { left == right } else { false }
    case .objectID(let left): if case .objectID(let right) = right { left == right } else { false }
    case .date(let left): if case .date(let right) = right { left == right } else { false }
    case .document(let left): if case .document(let right) = right { left == right } else { false }
    case .array(let left): if case .array(let right) = right { left == right } else { false }
    case .timestamp(let left): if case .timestamp(let right) = right { left == right } else { false }
    case .regularExpression(let left):
      if case .regularExpression(let right) = right { left == right } else { false }
    case .minKey: if case .minKey = right { true } else { false }
    case .maxKey: if case .maxKey = right { true } else { false }
    case .undefined: if case .undefined = right { true } else { false }
    case .symbol(let left): if case .symbol(let right) = right { left.hasSameBytes(as: right) } else { false }
    case .javaScript(let left):
      if case .javaScript(let right) = right { left.hasSameBytes(as: right) } else { false }
    case .javaScriptWithScope(let left, let leftScope):
      if case .javaScriptWithScope(let right, let rightScope) = right {
        left.hasSameBytes(as: right) && leftScope == rightScope
      } else {
        false
      }
    case .dbPointer(let left, let leftID):
      if case .dbPointer(let right, let rightID) = right {
        left.hasSameBytes(as: right) && leftID == rightID
      } else {
        false
      }
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
