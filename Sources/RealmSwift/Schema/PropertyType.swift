import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The type of a property's value, or of the elements of its collection.
public enum PropertyType: Int, Hashable, Sendable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  case object = 7
  case linkingObjects = 8
  case any = 9
  case objectId = 10
  case decimal128 = 11
  // Realm's name.
  // swift-format-ignore: AlwaysUseLowerCamelCase
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
