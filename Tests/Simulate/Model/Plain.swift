import GatehouseBSON
import GatehouseModel

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

  /// Takes a value of an image of the store.
  init(_ value: Mixed) {
    self =
      switch value {
      case .null: .null
      case .string(let text): .text(text)
      case .int(let number): .integer(Int(number))
      default: .other(value.value { _ in .null })
      }
  }

  /// The primary key of an object.
  static func key(of object: [String: Plain]) -> Int {
    if case .integer(let key)? = object["_id"] { key } else { -1 }
  }
}

extension Value {
  /// The members of an object.
  var members: [String: Plain]? {
    guard case .document(let document) = self else { return nil }
    return Dictionary(document.elements.map { ($0.key, Plain($0.value)) }) { $1 }
  }
}
