import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A class of a Realm: its name and its properties.
public struct ObjectSchema: CustomStringConvertible, Sendable {
  /// The properties, in the order of their declarations.
  public internal(set) var properties: [Property]
  /// The name in schemas.
  public internal(set) var className: String
  /// The class in Swift.
  public internal(set) var objectClass: AnyClass
  /// Whether objects are parts of others.
  public internal(set) var isEmbedded: Bool
  /// Whether objects are created, and never seen again.
  public internal(set) var isAsymmetric: Bool

  /// The property that identifies an object; nil: there is none.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimary) }

  init(_ type: ObjectBase.Type) {
    let layout = ClassLayout.of(type)
    properties = layout.fields.map(\.property)
    className = layout.className
    objectClass = type
    isEmbedded = type is RealmSwiftEmbeddedObject.Type
    isAsymmetric = type is RealmSwiftAsymmetricObject.Type
  }

  public var description: String {
    let lines = properties.map { property in
      property.description.split(separator: "\n").map { "\t\($0)\n" }.joined()
    }
    return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())}"
  }

  /// The property of that name.
  public subscript(propertyName: String) -> Property? {
    properties.first { $0.name == propertyName }
  }
}

extension ObjectSchema: Equatable {
  public static func == (lhs: ObjectSchema, rhs: ObjectSchema) -> Bool {
    lhs.className == rhs.className && lhs.properties == rhs.properties
      && lhs.isEmbedded == rhs.isEmbedded && lhs.isAsymmetric == rhs.isAsymmetric
  }
}

/// All classes of a Realm.
public struct Schema: CustomStringConvertible, Sendable {
  /// The classes.
  public internal(set) var objectSchema: [ObjectSchema]

  public var description: String {
    let classes = objectSchema.map { schema in
      schema.description.split(separator: "\n").map { "\t\($0)\n" }.joined()
    }
    return "Schema {\n\(classes.joined())}"
  }

  /// The class of that name.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }
}

extension Schema: Equatable {
  public static func == (lhs: Schema, rhs: Schema) -> Bool {
    lhs.objectSchema.sorted { $0.className < $1.className }
      == rhs.objectSchema.sorted { $0.className < $1.className }
  }
}
