import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A property of a class.
public struct Property: CustomStringConvertible, Sendable {
  /// The name in Swift.
  public internal(set) var name: String
  /// The name in the store.
  public internal(set) var columnName: String
  /// The type of the value, or of a collection's elements.
  public internal(set) var type: PropertyType
  /// Whether it is a list.
  public internal(set) var isArray = false
  /// Whether it is a set.
  public internal(set) var isSet = false
  /// Whether it is a map.
  public internal(set) var isMap = false
  /// Whether the property has an index; a primary key always has.
  public internal(set) var isIndexed = false
  /// Whether the value, or an element, may be nil.
  public internal(set) var isOptional = false
  /// The class of the objects that are linked to.
  public internal(set) var objectClassName: String?
  var isPrimary = false
  /// The property of the class ``objectClassName`` that links here, where these are linking objects.
  var originProperty: String?

  init(name: String, type: PropertyType) {
    self.name = name
    columnName = name
    self.type = type
  }

  var isCollection: Bool { isArray || isSet || isMap }

  /// Whether there can be an index of the values.
  var mayBeIndexed: Bool {
    !isCollection && [.int, .bool, .string, .date, .objectId, .UUID, .any].contains(type)
  }

  public var description: String {
    var lines = ["type = \(type.name);"]
    if type == .object || type == .linkingObjects {
      lines.append("objectClassName = \(objectClassName ?? "(null)");")
      lines.append("linkOriginPropertyName = \(originProperty ?? "(null)");")
    }
    lines += [
      "columnName = \(columnName);", "indexed = \(isIndexed ? "YES" : "NO");",
      "isPrimary = \(isPrimary ? "YES" : "NO");", "array = \(isArray ? "YES" : "NO");",
      "set = \(isSet ? "YES" : "NO");", "dictionary = \(isMap ? "YES" : "NO");",
      "optional = \(isOptional ? "YES" : "NO");",
    ]
    return "\(name) {\n\(lines.map { "\t\($0)\n" }.joined())}"
  }
}

extension Property: Equatable {
  public static func == (lhs: Property, rhs: Property) -> Bool {
    lhs.name == rhs.name && lhs.columnName == rhs.columnName && lhs.type == rhs.type
      && lhs.isArray == rhs.isArray && lhs.isSet == rhs.isSet && lhs.isMap == rhs.isMap
      && lhs.isIndexed == rhs.isIndexed && lhs.isOptional == rhs.isOptional
      && lhs.isPrimary == rhs.isPrimary && lhs.objectClassName == rhs.objectClassName
      && lhs.originProperty == rhs.originProperty
  }
}
