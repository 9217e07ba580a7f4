import GatehouseBSON

/// A value as JSON shows it.
enum Plain: Hashable {
  case null
  case integer(Int)
  case text(String)
  case other(Value)

  init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .string(let text): .text(text)
      case .int32(let number): .integer(Int(number))
      case .int64(let number): .integer(Int(number))
      default: .other(value)
      }
  }
}

extension Value {
  /// The members of an object.
  var members: [String: Plain]? {
    guard case .document(let document) = self else { return nil }
    return Dictionary(document.elements.map { ($0.key, Plain($0.value)) }) { $1 }
  }
}
