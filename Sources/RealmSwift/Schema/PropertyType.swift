import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The type of a property's value, or of the elements of its collection.
public enum PropertyType: Int, Hashable, Sendable {
  /// A whole number.
  case int = 0
  /// A truth value.
  case bool = 1
  /// A text.
  case string = 2
  /// Bytes.
  case data = 3
  /// A point in time.
  case date = 4
  /// A floating point number of 32 bits.
  case float = 5
  /// A floating point number of 64 bits.
  case double = 6
  /// A link to an object, or an embedded one.
  case object = 7
  /// The objects that link to one.
  case linkingObjects = 8
  /// A value of any type.
  case any = 9
  /// An identifier of an object.
  case objectId = 10
  /// A decimal number.
  case decimal128 = 11
  // Realm's name.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// A universally unique identifier.
  case UUID = 12
}

extension PropertyType {
  /// The name in Realm's messages.
  var name: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object: "object"
    case .linkingObjects: "linking objects"
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    case .UUID: "uuid"
    }
  }
}
