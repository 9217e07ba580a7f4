import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension ObjectSchema {
  /// A class of a store.
  init(stored type: GatehouseModel.ObjectType) {
    allProperties = type.namedProperties.map { property in
      var result = Property(stored: property)
      result.isPrimary = property.name == type.primaryKey?.name
      result.isIndexed = result.isPrimary || property.index == .general
      return result
    }
    className = type.name
    objectClass = DynamicObject.self
    isEmbedded = type.isEmbedded
    isAsymmetric = type.isAsymmetric
  }
}

extension Property {
  /// A property of a store's class.
  fileprivate init(stored property: GatehouseModel.Property) {
    self.init(name: property.name, type: .int)
    columnName = property.storedName
    switch property.type {
    case .one(let element, let optional): set(element, optional)
    case .list(let element, let optional):
      set(element, optional)
      isArray = true
    case .set(let element, let optional):
      set(element, optional)
      isSet = true
    case .map(let element, let optional):
      set(element, optional)
      isMap = true
    case .linkingObjects(let objectType, let origin):
      type = .linkingObjects
      objectClassName = objectType
      originProperty = origin
    }
  }

  private mutating func set(_ element: GatehouseModel.ElementType, _ optional: Bool) {
    isOptional = optional
    switch element {
    case .bool: type = .bool
    case .int: type = .int
    case .float: type = .float
    case .double: type = .double
    case .decimal128: type = .decimal128
    case .string: type = .string
    case .data: type = .data
    case .date: type = .date
    case .objectID: type = .objectId
    case .uuid: type = .UUID
    case .mixed: type = .any
    case .object(let name):
      type = .object
      objectClassName = name
    }
  }
}
