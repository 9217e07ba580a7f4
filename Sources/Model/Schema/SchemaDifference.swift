/// The changes that turn one schema into another, in the order of the new one, removals last.
public struct SchemaDifference: Hashable, Sendable {
  public let changes: [SchemaChange]

  /// Whether the schemas are equal.
  public var isEmpty: Bool { changes.isEmpty }

  /// The changes that lose data, or that objects may not be able to follow.
  public var destructive: [SchemaChange] { changes.filter(\.isDestructive) }
}

/// One difference between two schemas.
public enum SchemaChange: Hashable, Sendable {
  case classAdded(ObjectType)
  case classRemoved(ObjectType)
  /// The class keeps its objects.
  case classRenamed(from: String, to: String)
  /// A class becomes embedded, or ceases to be.
  case embeddedChanged(objectType: String, isEmbedded: Bool)
  /// Clients see the objects of a class no longer, or see them now.
  case asymmetricChanged(objectType: String, isAsymmetric: Bool)
  /// By the names of the properties as the respective schema has them; nil is `_key`.
  case primaryKeyChanged(objectType: String, from: String?, to: String?)
  case propertyAdded(objectType: String, Property)
  case propertyRemoved(objectType: String, Property)
  /// Another name for clients, the stored one being the same.
  case propertyRenamed(objectType: String, from: String, to: String, storedName: String)
  /// Another name in the store, that for clients being the same.
  case storedNameChanged(objectType: String, property: String, from: String, to: String)
  /// Another type, also if nullability changes with it.
  case propertyRetyped(objectType: String, property: String, from: PropertyType, to: PropertyType)
  /// The same type, nullable now, or required now.
  case optionalChanged(objectType: String, property: String, isOptional: Bool)
  case indexChanged(objectType: String, property: String, from: Property.Index, to: Property.Index)
  /// An index beside those of single properties, its keys as the notation spells them.
  case indexAdded(objectType: String, keys: [String])
  case indexRemoved(objectType: String, keys: [String])
  /// Values of those properties, all together, become unique: the change is refused where objects have the same ones.
  case uniqueAdded(objectType: String, properties: [String])
  case uniqueRemoved(objectType: String, properties: [String])
  /// Other rules for values: the change is refused where objects break them.
  case constraintsChanged(objectType: String, property: String)
  /// A predicate that objects have to meet.
  case checkAdded(objectType: String, String)
  case checkRemoved(objectType: String, String)
  case defaultChanged(objectType: String, property: String)
  case projectionAdded(objectType: String, projection: String)
  case projectionRemoved(objectType: String, projection: String)
  case projectionChanged(objectType: String, projection: String)
  case propertiesReordered(objectType: String)
  case classesReordered

  /// Whether it loses data, or objects that exist may break its rule: a drop, another type, null no longer
  /// legal, another primary key, a new required property without default. Linking objects are computed, so
  /// nothing is lost with them.
  public var isDestructive: Bool {
    switch self {
    case .classRemoved, .embeddedChanged, .primaryKeyChanged: true
    case .propertyAdded(_, let property): property.leavesObjectsWithoutValue
    case .propertyRemoved(_, let property): property.type.stored != nil
    case .propertyRetyped(_, _, let old, let new): old.stored != nil || new.isRequired
    case .optionalChanged(_, _, let isOptional): !isOptional
    case .classAdded, .classRenamed, .asymmetricChanged, .propertyRenamed, .storedNameChanged, .indexChanged,
      .indexAdded,
      .indexRemoved, .defaultChanged, .uniqueAdded, .uniqueRemoved, .constraintsChanged, .checkAdded,
      .checkRemoved,
      .propertiesReordered, .classesReordered:
      false
    case .projectionAdded, .projectionRemoved, .projectionChanged: false
    }
  }
}

extension Property {
  /// Whether a creation must give the property a value.
  public var isRequiredWithoutDefault: Bool {
    type.isRequired && defaultValue == nil && !isUpdateTime
  }

  /// Whether objects that exist have no value for the property when it is new: of identifiers, one for all would be none.
  var leavesObjectsWithoutValue: Bool {
    isRequiredWithoutDefault || type.isRequired && generatedDefault?.isUnique == true
  }
}

extension PropertyType {
  /// Whether every object has to have a value, and null is none.
  var isRequired: Bool {
    if case .one(_, optional: false) = self { true } else { false }
  }
}
