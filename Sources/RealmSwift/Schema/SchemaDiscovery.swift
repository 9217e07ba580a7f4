import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Synchronization

extension Schema {
  /// The classes of the process that Realms without `objectTypes` have.
  static var shared: Schema {
    let known = discovered.withLock { $0 }
    if let known { return known }
    let schema = Schema(of: discoveredTypes())
    discovered.withLock { $0 = schema }
    return schema
  }

  private static let discovered = Mutex<Schema?>(nil)

  private static func discoveredTypes() -> [ObjectBase.Type] {
    let bases: [AnyClass] = [
      ObjectBase.self, RealmSwiftObject.self, RealmSwiftEmbeddedObject.self,
      RealmSwiftAsymmetricObject.self, DynamicObject.self,
    ]
    return RuntimeClasses.subclasses(of: ObjectBase.self).filter { type in
      !bases.contains { $0 == type } && !type._realmIgnoreClass() && type.shouldIncludeInDefaultSchema()
    }
  }

  /// The classes in the order of their names.
  init(of types: [ObjectBase.Type]) {
    objectSchema = types.map { ObjectSchema($0) }.sorted { $0.className < $1.className }
  }

  /// The rules that the classes break, as Realm says it.
  var problems: [String] {
    var problems: [String] = []
    for (index, schema) in objectSchema.enumerated() {
      if objectSchema[..<index].contains(where: { $0.className == schema.className }) {
        problems.append("Type '\(schema.className)' appears more than once in the schema.")
      }
      problems += self.problems(of: schema)
    }
    return problems
  }

  private func problems(of schema: ObjectSchema) -> [String] {
    var problems: [String] = []
    let primary = schema.allProperties.filter(\.isPrimary)
    let name = schema.className
    if primary.count > 1 {
      problems.append(
        "Properties '\(primary[0].name)' and '\(primary[1].name)' are both marked as the primary key of '\(name)'."
      )
    }
    if schema.isEmbedded, !primary.isEmpty {
      problems.append("Embedded object type '\(name)' cannot have a primary key.")
    }
    for property in schema.allProperties {
      if property.isPrimary, ![.int, .string, .objectId, .UUID].contains(property.type) {
        problems.append(
          """
          Property '\(property.name)' cannot be made the primary key of '\(name)' because it is not a \
          'string', 'int', 'objectId', or 'uuid' property.
          """)
      }
      if property.isIndexed, !property.isPrimary, !property.mayBeIndexed {
        problems.append(
          "Property '\(name).\(property.name)' of type '\(property.typeName)' cannot be indexed.")
      }
      problems += self.problems(of: property, in: name)
    }
    return problems
  }

  private func problems(of property: Property, in name: String) -> [String] {
    let place = "'\(name).\(property.name)'"
    guard property.type == .object || property.type == .linkingObjects, let target = property.objectClassName
    else { return [] }
    if let problem = property.nullabilityProblem { return [problem] }
    guard let targetSchema = self[target] else {
      return ["Property \(place) of type '\(property.typeName)' has unknown object type '\(target)'"]
    }
    if property.type == .linkingObjects {
      guard let origin = property.originProperty, let source = targetSchema[origin] else {
        return [
          """
          Property '\(target).\(property.originProperty ?? "")' declared as origin of linking objects property \
          \(place) does not exist
          """
        ]
      }
      if source.type != .object {
        return [
          "Property '\(target).\(origin)' declared as origin of linking objects property \(place) is not a link"
        ]
      }
      if source.objectClassName != name {
        return [
          """
          Property '\(target).\(origin)' declared as origin of linking objects property \(place) links to \
          type '\(source.objectClassName ?? "")'
          """
        ]
      }
      return []
    }
    if property.isSet, targetSchema.isEmbedded {
      return [
        "Set property \(place) cannot contain embedded object type '\(target)'. Set contains only links."
      ]
    }
    return []
  }
}

extension Property {
  /// Why objects of the property may, or may not, be nil; nil: they are as they have to be (S:RLMSwiftProperty, C:object_schema.cpp).
  fileprivate var nullabilityProblem: String? {
    guard type == .object else { return nil }
    let target = objectClassName ?? ""
    if isArray || isSet {
      let kind = isArray ? "List" : "MutableSet"
      return isOptional ? "\(kind)<\(target)> property '\(name)' must not be marked as optional." : nil
    }
    if isOptional { return nil }
    return isMap
      ? "Map<String, \(target)> property '\(name)' must be marked as optional."
      : "Object property '\(name)' must be marked as optional."
  }

  /// The type as messages about values have it (`RLMThrowTypeError`): `'int?' array`.
  var kindName: String {
    let mayBeNull = isOptional || type == .object && !isArray && !isSet
    let kind = isArray ? " array" : isSet ? " set" : isMap ? " dictionary" : ""
    return "'\(objectClassName ?? type.name)\(mayBeNull ? "?" : "")'\(kind)"
  }

  /// The type as Realm's messages have it.
  var typeName: String {
    if isArray { return "array" }
    if isSet { return "set" }
    if isMap { return "dictionary" }
    return type.name
  }
}
