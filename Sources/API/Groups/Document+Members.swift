import GatehouseBSON
import GatehouseHTTP

extension Response {
  /// Whether what was asked for has been done.
  var isSuccess: Bool { (200..<300).contains(status.rawValue) }
}

extension Document {
  /// Has one element of that name in the place of the first one, or at the end.
  mutating func replace(_ key: String, _ value: Value) {
    if let index = elements.firstIndex(where: { $0.key == key }) {
      elements[index].value = value
    } else {
      append(key, value)
    }
  }
}

extension Value {
  /// The value as a number; nil: it is no whole one.
  var asInt: Int? {
    switch self {
    case .int32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    default: nil
    }
  }
}
