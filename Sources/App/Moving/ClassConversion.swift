import GatehouseBSON

/// Makes classes of the JSON Schema of a collection, as App Services has it.
struct ClassConversion {

  /// A relationship of a property to another collection (`relationships.json`).
  struct Relationship {
    /// The name of the collection.
    let collection: String
    let foreignKey: String
    let isList: Bool
  }

  private let relationships: [String: Relationship]
  /// The class, and the embedded ones that it needs, in the notation of `schema.json`.
  private(set) var classes: [Value] = []
  private(set) var faults: [ConfigurationError] = []
  /// The places of what is taken otherwise than it is said.
  private(set) var notes: [ConfigurationError] = []

  /// `schema` is the content of `schema.json`; the class has the collection's name.
  init(_ schema: Document, of collection: String, relationships: [String: Relationship]) {
    self.relationships = relationships
    add(schema, named: collection, at: [], isEmbedded: false)
  }

  private mutating func fail(_ place: [JSONPlace.Step], _ text: String) {
    faults.append(ConfigurationError(at: place, text))
  }

  /// The keywords about values, for which a value of any type has none.
  private static let ofValues: Set<String> = ["enum", "minimum", "maximum", "minLength", "maxLength"]

  private mutating func note(_ place: [JSONPlace.Step], _ text: String) {
    notes.append(ConfigurationError(at: place, text))
  }

  private static let known: Set<String> = [
    "title", "bsonType", "type", "required", "properties", "additionalProperties", "description", "$schema",
    "$id",
  ]

  private mutating func add(
    _ schema: Document, named name: String, at place: [JSONPlace.Step], isEmbedded: Bool
  ) {
    for element in schema.elements where !ClassConversion.known.contains(element.key) {
      fail(place + [.name(element.key)], "“\(element.key)” has no counterpart in a class")
    }
    if schema["additionalProperties"] == .bool(true) {
      note(place + [.name("additionalProperties")], "“\(name)” has no fields but its properties")
    }
    var required: Set<String> = []
    if case .array(let names)? = schema["required"] {
      required = Set(names.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }
    var properties = Document()
    if case .document(let members)? = schema["properties"] {
      for element in members.elements {
        let path = place + [.name("properties"), .name(element.key)]
        guard case .document(let property) = element.value else {
          fail(path, "a property is described by an object")
          continue
        }
        if element.key == "_id", !isEmbedded, ClassConversion.types(of: property).names.count != 1 {
          fail(path, "“_id” has one “bsonType”")
          continue
        }
        let isOptional = !required.contains(element.key) && (isEmbedded || element.key != "_id")
        let owner = "\(name)_\(element.key)"
        let relationship = isEmbedded ? nil : relationships[element.key]
        if let notation = notation(property, owner: owner, relationship, isOptional: isOptional, at: path) {
          properties.append(element.key, notation)
        }
      }
    }
    var type: Document = ["name": .string(name)]
    if isEmbedded {
      type.append("embedded", .bool(true))
    } else if properties["_id"] != nil {
      type.append("primaryKey", .string("_id"))
    } else {
      fail(place, "a class of documents needs “_id”")
    }
    type.append("properties", .document(properties))
    classes.append(.document(type))
  }

  /// Returns what `schema.json` says of a property; nil where it cannot be one.
  private mutating func notation(
    _ property: Document, owner: String, _ relationship: Relationship?, isOptional: Bool,
    at place: [JSONPlace.Step]
  ) -> Value? {
    if let relationship {
      guard relationship.foreignKey == "_id" else {
        fail(
          place,
          "a link leads to “_id”, and not to “\(relationship.foreignKey)”; the values stay what they are")
        return plain(property, owner: owner, isOptional: isOptional, at: place)
      }
      return .string(relationship.isList ? "\(relationship.collection)[]" : "\(relationship.collection)?")
    }
    return plain(property, owner: owner, isOptional: isOptional, at: place)
  }

  private mutating func plain(
    _ property: Document, owner: String, isOptional: Bool, at place: [JSONPlace.Step]
  ) -> Value? {
    guard let type = type(of: property, owner: owner, isOptional: isOptional, at: place) else { return nil }
    var notation: Document = ["type": .string(type)]
    for element in property.elements {
      switch element.key {
      case let name where type.hasPrefix("mixed") && ClassConversion.ofValues.contains(name):
        note(place + [.name(element.key)], "“\(element.key)” is not asked of values of any type")
      case "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
        notation.append(element.key, element.value)
      case "bsonType", "type", "title", "description", "items", "properties", "required", "uniqueItems",
        "additionalProperties":
        break
      default: fail(place + [.name(element.key)], "“\(element.key)” has no counterpart in a class")
      }
    }
    return notation.elements.count == 1 ? .string(type) : .document(notation)
  }

  /// The types that a description allows beside null.
  private static func types(of property: Document) -> (names: [String], allowsNull: Bool) {
    switch property["bsonType"] ?? property["type"] {
    case .string(let name)?: return ([name], false)
    case .array(let values)?:
      let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
      return (names.filter { $0 != "null" }, names.contains("null"))
    case _: return ([], false)
    }
  }

  /// Returns the one type that a description allows beside null; nil: there are several, or none is said, and values are of any
  /// type.
  private mutating func name(of property: Document, at place: [JSONPlace.Step]) -> String? {
    let names = ClassConversion.types(of: property).names
    if names.count == 1 { return names[0] }
    note(
      place,
      names.isEmpty ? "without a type, values are of any type" : "values of several types are of any type")
    return nil
  }

  private mutating func type(
    of property: Document, owner: String, isOptional: Bool, at place: [JSONPlace.Step]
  ) -> String? {
    guard let name = name(of: property, at: place) else { return "mixed" }
    switch name {
    case "array":
      let end = property["uniqueItems"] == .bool(true) ? "<>" : "[]"
      guard case .document(let items)? = property["items"] else {
        note(place, "elements of a list without “items” are of any type")
        return "mixed" + end
      }
      return element(items, owner: owner, at: place + [.name("items")]).map { $0 + end }
    case "object":
      if property["properties"] == nil {
        guard case .document(let values)? = property["additionalProperties"] else {
          note(place, "an object without “properties” is a value of any type")
          return "mixed"
        }
        let path = place + [.name("additionalProperties")]
        return element(values, owner: owner, at: path).map { "\($0){}" }
      }
      guard let embedded = element(property, owner: owner, at: place) else { return nil }
      // An embedded object by itself may always be missing.
      return "\(embedded)?"
    case "timestamp":
      noteTimestamps(place)
      return "mixed"
    default:
      guard let scalar = ClassConversion.scalars[name] else {
        fail(place, "there is no type “\(name)”")
        return nil
      }
      let isNullable = isOptional || ClassConversion.types(of: property).allowsNull
      return isNullable && scalar != "mixed" ? "\(scalar)?" : scalar
    }
  }

  /// Returns the type of elements, or of an object: a scalar, or the name of a class that is made for it.
  private mutating func element(_ property: Document, owner: String, at place: [JSONPlace.Step]) -> String? {
    guard let name = name(of: property, at: place) else { return "mixed" }
    if let scalar = ClassConversion.scalars[name] {
      guard ClassConversion.types(of: property).allowsNull, scalar != "mixed" else { return scalar }
      note(place, "elements that may be null are of any type")
      return "mixed"
    }
    if name == "timestamp" {
      noteTimestamps(place)
      return "mixed"
    }
    guard name == "object", property["properties"] != nil else {
      guard name == "array" || name == "object" else {
        fail(place, "there is no type “\(name)” for elements")
        return nil
      }
      note(place, name == "array" ? "lists of lists are “mixed”" : "objects without “properties” are “mixed”")
      return "mixed"
    }
    var title = owner
    if case .string(let text)? = property["title"], !text.isEmpty { title = text }
    add(property, named: title, at: place, isEmbedded: true)
    return title
  }

  private mutating func noteTimestamps(_ place: [JSONPlace.Step]) {
    note(
      place,
      "a “timestamp” is a value of any type, but timestamps themselves are taken by collections without a schema only"
    )
  }

  private static let scalars = [
    "string": "string", "int": "int", "long": "int", "number": "double", "double": "double",
    "decimal": "decimal128", "bool": "bool", "boolean": "bool", "date": "date", "objectId": "objectId",
    "binData": "data", "uuid": "uuid", "mixed": "mixed",
  ]
}

extension ClassConversion {
  /// Returns the relationships that `relationships.json` says, by the properties that have them.
  static func relationships(_ value: Value?) -> [String: Relationship] {
    guard case .document(let document)? = value else { return [:] }
    var relationships: [String: Relationship] = [:]
    for element in document.elements {
      guard case .document(let rule) = element.value, case .string(let reference)? = rule["ref"],
        let collection = reference.split(separator: "/").last
      else { continue }
      var key = "_id"
      if case .string(let name)? = rule["foreign_key"] ?? rule["foreignKey"] { key = name }
      relationships[element.key] = Relationship(
        collection: String(collection), foreignKey: key,
        isList: (rule["is_list"] ?? rule["isList"]) == .bool(true))
    }
    return relationships
  }
}
