import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension ObjectSchema {
  /// The class as the store has it.
  var stored: GatehouseModel.ObjectType {
    GatehouseModel.ObjectType(
      name: className, kind: isEmbedded ? .embedded : isAsymmetric ? .asymmetric : .topLevel,
      properties: allProperties.map(\.stored), primaryKey: primaryKeyProperty?.name)
  }
}

extension Property {
  /// The property as the store has it.
  var stored: GatehouseModel.Property {
    GatehouseModel.Property(
      name: name, storedName: columnName, type: storedType, index: isIndexed && !isPrimary ? .general : .none)
  }

  private var storedType: GatehouseModel.PropertyType {
    if type == .linkingObjects {
      return .linkingObjects(objectType: objectClassName ?? "", property: originProperty ?? "")
    }
    let element = storedElement
    if isArray { return .list(element, optional: hasOptionalElements) }
    if isSet { return .set(element, optional: hasOptionalElements) }
    if isMap { return .map(element, optional: type == .object || hasOptionalElements) }
    return .one(element, optional: type == .object || hasOptionalElements)
  }

  private var hasOptionalElements: Bool { type == .any || type != .object && isOptional }

  private var storedElement: GatehouseModel.ElementType {
    switch type {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .data: .data
    case .date: .date
    case .float: .float
    case .double: .double
    case .object, .linkingObjects: .object(objectClassName ?? "")
    case .any: .mixed
    case .objectId: .objectID
    case .decimal128: .decimal128
    case .UUID: .uuid
    }
  }
}
