extension SchemaChange: CustomStringConvertible {
  /// One line for people: the place, what happens, and whether that is destructive.
  public var description: String {
    "\(place): \(event)\(isDestructive ? " (destructive)" : "")"
  }

  private var place: String {
    switch self {
    case .classAdded(let objectType), .classRemoved(let objectType): objectType.name
    case .classRenamed(let name, _): name
    case .embeddedChanged(let objectType, _), .asymmetricChanged(let objectType, _),
      .primaryKeyChanged(let objectType, _, _),
      .propertiesReordered(let objectType), .indexAdded(let objectType, _), .indexRemoved(let objectType, _),
      .uniqueAdded(let objectType, _), .uniqueRemoved(let objectType, _), .checkAdded(let objectType, _),
      .checkRemoved(let objectType, _):
      objectType
    case .propertyAdded(let objectType, let property), .propertyRemoved(let objectType, let property):
      "\(objectType).\(property.name)"
    case .propertyRenamed(let objectType, let property, _, _),
      .storedNameChanged(let objectType, let property, _, _),
      .propertyRetyped(let objectType, let property, _, _),
      .optionalChanged(let objectType, let property, _),
      .indexChanged(let objectType, let property, _, _),
      .defaultChanged(let objectType, let property), .constraintsChanged(let objectType, let property):
      "\(objectType).\(property)"
    case .projectionAdded(let objectType, _), .projectionRemoved(let objectType, _),
      .projectionChanged(let objectType, _):
      objectType
    case .classesReordered: "schema"
    }
  }

  private var event: String {
    switch self {
    case .classAdded: "class added"
    case .classRemoved: "class removed"
    case .embeddedChanged(_, let isEmbedded): isEmbedded ? "becomes embedded" : "is no longer embedded"
    case .asymmetricChanged(_, let isAsymmetric):
      isAsymmetric ? "becomes asymmetric" : "is no longer asymmetric"
    case .primaryKeyChanged(_, let old, let new):
      "primary key \(old ?? ObjectType.keyName) becomes \(new ?? ObjectType.keyName)"
    case .propertyAdded(_, let property):
      "\(property.type.word) added"
        + (property.isRequiredWithoutDefault ? ", required, without default" : "")
    case .propertyRemoved(_, let property): "\(property.type.word) removed"
    case .propertyRenamed(_, _, let new, _), .classRenamed(_, let new): "is called \(new)"
    case .storedNameChanged(_, _, let old, let new): "stored as \(new), was \(old)"
    case .propertyRetyped(_, _, let old, let new): "\(old.word) becomes \(new.word)"
    case .optionalChanged(_, _, let isOptional): isOptional ? "may be null" : "may no longer be null"
    case .indexChanged(_, _, let old, let new): "index \(old.word) becomes \(new.word)"
    case .indexAdded(_, let keys): "index over \(keys.joined(separator: ", ")) added"
    case .indexRemoved(_, let keys): "index over \(keys.joined(separator: ", ")) removed"
    case .uniqueAdded(_, let properties): "\(properties.joined(separator: ", ")) unique"
    case .uniqueRemoved(_, let properties): "\(properties.joined(separator: ", ")) no longer unique"
    case .constraintsChanged: "rules for values changed"
    case .checkAdded(_, let check): "check added: \(check)"
    case .checkRemoved(_, let check): "check removed: \(check)"
    case .defaultChanged: "default changed"
    case .projectionAdded(_, let projection): "projection \(projection) added"
    case .projectionRemoved(_, let projection): "projection \(projection) removed"
    case .projectionChanged(_, let projection): "projection \(projection) changed"
    case .propertiesReordered: "properties in another order"
    case .classesReordered: "classes in another order"
    }
  }
}

extension Property.Index {
  fileprivate var word: String {
    switch self {
    case .none: "none"
    case .general: "general"
    case .fullText: "full-text"
    }
  }
}

extension PropertyType {
  fileprivate var word: String {
    guard case .linkingObjects(let objectType, let property) = self else { return shorthand }
    return "linkingObjects of \(objectType).\(property)"
  }
}
