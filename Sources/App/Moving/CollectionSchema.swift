import GatehouseBSON
import GatehouseModel

/// Makes the JSON Schema of a collection, as App Services has it, of a class: the way back of ``ClassConversion``.
struct CollectionSchema {
  private let schema: Schema
  /// The links, by property.
  private(set) var relationships = Document()
  private(set) var document = Document()

  /// - Parameters:
  ///   - source: The name of the data source that relationships are in.
  ///   - database: The name of its database.
  init(of type: ObjectType, in schema: Schema, source: String, database: String) {
    self.schema = schema
    document = object(type)
    for property in type.properties {
      guard let target = property.type.linkTarget, schema[target]?.isEmbedded == false else { continue }
      let isList = if case .one = property.type { false } else { true }
      relationships.append(
        property.name,
        .document([
          "ref": .string("#/relationship/\(source)/\(database)/\(target)"),
          "foreign_key": .string(schema[target]?.primaryKey?.name ?? "_id"), "is_list": .bool(isList),
        ]))
    }
  }

  private func object(_ type: ObjectType) -> Document {
    var required: [Value] = []
    var properties = Document()
    for property in type.properties {
      guard let description = description(of: property) else { continue }
      properties.append(property.name, .document(description))
      if case .one(_, optional: false) = property.type { required.append(.string(property.name)) }
    }
    return [
      "title": .string(type.name), "bsonType": .string("object"), "required": .array(required),
      "properties": .document(properties),
    ]
  }

  /// Nil: it is not stored.
  private func description(of property: Property) -> Document? {
    switch property.type {
    case .one(let element, _): return self.element(element)
    case .list(let element, _):
      return ["bsonType": .string("array"), "items": .document(self.element(element))]
    case .set(let element, _):
      return [
        "bsonType": .string("array"), "uniqueItems": .bool(true), "items": .document(self.element(element)),
      ]
    case .map(let element, _):
      return ["bsonType": .string("object"), "additionalProperties": .document(self.element(element))]
    case .linkingObjects: return nil
    }
  }

  private func element(_ element: ElementType) -> Document {
    if case .object(let name) = element {
      guard let type = schema[name] else { return ["bsonType": .string("mixed")] }
      if type.isEmbedded { return object(type) }
      // A link is the primary key of its target.
      guard case .one(let key, _)? = type.primaryKey?.type else { return ["bsonType": .string("long")] }
      return self.element(key)
    }
    return ["bsonType": .string(CollectionSchema.name(of: element))]
  }

  private static func name(of element: ElementType) -> String {
    switch element {
    case .bool: "bool"
    case .int: "long"
    case .float, .double: "double"
    case .decimal128: "decimal"
    case .string: "string"
    case .data: "binData"
    case .date: "date"
    case .objectID: "objectId"
    case .uuid: "uuid"
    case .mixed, .object: "mixed"
    }
  }
}
