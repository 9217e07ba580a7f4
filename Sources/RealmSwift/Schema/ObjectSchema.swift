import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A class of a Realm: its name and its properties.
public struct ObjectSchema: CustomStringConvertible, Sendable {
  /// The properties, linking objects among them, in the order of their declarations.
  var allProperties: [Property]
  /// The name in schemas.
  public internal(set) var className: String
  /// The class in Swift.
  public internal(set) var objectClass: AnyClass
  /// Whether objects are parts of others.
  public internal(set) var isEmbedded: Bool
  /// Whether objects are created, and never seen again.
  public internal(set) var isAsymmetric: Bool

  /// The properties that are stored, in the order of their declarations; linking objects are found by their names alone.
  public var properties: [Property] { allProperties.filter { $0.type != .linkingObjects } }

  /// The property that identifies an object; nil: there is none.
  public var primaryKeyProperty: Property? { allProperties.first(where: \.isPrimary) }

  init(_ type: ObjectBase.Type) {
    let layout = ClassLayout.of(type)
    allProperties = layout.fields.map(\.property)
    className = layout.className
    objectClass = type
    isEmbedded = type is RealmSwiftEmbeddedObject.Type
    isAsymmetric = type is RealmSwiftAsymmetricObject.Type
  }

  public var description: String {
    let computed = allProperties.filter { $0.type == .linkingObjects }
    let lines = (properties + computed).map { property in
      property.description.split(separator: "\n").map { "\t\($0)\n" }.joined()
    }
    return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines.joined())}"
  }

  /// The position of a property that an object without a class in Swift is asked for: by its name, or that in the store.
  func index(ofDynamic name: String) -> Int? {
    allProperties.firstIndex { $0.name == name } ?? allProperties.firstIndex { $0.columnName == name }
  }

  /// The property of that name.
  public subscript(propertyName: String) -> Property? {
    allProperties.first { $0.name == propertyName }
  }
}

extension ObjectSchema: Equatable {
  public static func == (lhs: ObjectSchema, rhs: ObjectSchema) -> Bool {
    lhs.className == rhs.className && lhs.allProperties == rhs.allProperties
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
