import GatehouseBSON

// Values share their parts, so that a few steps make one that would take more than all memory when it is written. So
// what expressions and stages make is measured, no further than up to the limit.
extension Value {
  /// Bytes that one value may take: four times what MongoDB lets a document have.
  static let sizeLimit = 64 << 20

  /// The bytes of memory that the value takes; throws where they are too many, or it is too deep.
  func checkedSize() throws(DocumentsError) -> Int {
    var left = Value.sizeLimit
    guard takes(from: &left, depth: 0) else {
      throw DocumentsError(
        .exceededMemoryLimit,
        "a value would take more than \(Value.sizeLimit) bytes, or be deeper than \(Value.depthLimit) levels")
    }
    return Value.sizeLimit - left
  }

  /// The bytes that a text or the places of an array take, without a look at what is in these.
  var shallowSize: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .array(let elements): elements.count * MemoryLayout<Value>.stride
    default: 0
    }
  }

  /// Some levels more than a document may have, since it is not one yet.
  private static let depthLimit = Limits().depth * 2

  /// Whether what is left is enough.
  private func takes(from left: inout Int, depth: Int) -> Bool {
    if depth > Value.depthLimit { return false }
    switch self {
    case .document(let document):
      left -= 64
      for element in document.elements {
        left -= 16 + element.key.utf8.count
        if left < 0 || !element.value.takes(from: &left, depth: depth + 1) { return false }
      }
    case .array(let values):
      left -= 48
      for value in values where !value.takes(from: &left, depth: depth + 1) { return false }
    default: left -= memory
    }
    return left >= 0
  }
}
