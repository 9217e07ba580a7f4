public import GatehouseBSON

extension Property {
  /// Members of a property's object form (realm-js, `ObjectSchemaProperty`).
  private static let members =
    [
      "type", "objectType", "property", "optional", "indexed", "default", "mapTo",
    ] + Constraints.members

  /// Reads realm-js' notation of one property, adding what is wrong with it to `problems`.
  init?(name: String, notation: Value, of objectType: String, problems: inout [SchemaProblem]) {
    switch notation {
    case .string(let text):
      let document: Document = ["type": .string(text)]
      self.init(name: name, members: document, of: objectType, problems: &problems)
    case .document(let document):
      self.init(name: name, members: document, of: objectType, problems: &problems)
    default:
      problems.append(SchemaProblem(objectType: objectType, property: name, .malformedProperty))
      return nil
    }
  }

  private init?(
    name: String, members document: Document, of objectType: String, problems: inout [SchemaProblem]
  ) {
    var members = NotationMembers(document, of: objectType, property: name, known: Self.members)
    let type = Self.type(from: &members)
    let index = Self.index(from: &members)
    let storedName = members.string("mapTo")
    let constraints = Constraints(from: &members)
    problems += members.problems
    guard let type else { return nil }
    var defaultValue = members.value("default")
    // Null is what a nullable property has without saying so.
    if defaultValue == .null, let (container, _, optional) = type.stored, optional, container == .one {
      defaultValue = nil
    }
    self.init(
      name: name, storedName: storedName, type: type, index: index, defaultValue: defaultValue,
      constraints: constraints)
  }

  private static func index(from members: inout NotationMembers) -> Index {
    switch members.value("indexed") {
    case nil, .bool(false): return .none
    case .bool(true): return .general
    case .string("full-text"): return .fullText
    default:
      members.report(.memberOfWrongType("indexed"))
      return .none
    }
  }

  private static func type(from members: inout NotationMembers) -> PropertyType? {
    guard let text = members.string("type") else {
      if members.value("type") == nil { members.report(.memberMissing("type")) }
      return nil
    }
    switch text {
    case "linkingObjects": return linkingObjects(from: &members)
    case "object": return stored(.one, from: &members, fallback: nil)
    case "list": return stored(.list, from: &members, fallback: nil)
    case "set": return stored(.set, from: &members, fallback: nil)
    // realm-js: a dictionary of whatever.
    case "dictionary": return stored(.map, from: &members, fallback: "mixed")
    default: return shorthand(text, from: &members)
    }
  }

  private static func linkingObjects(from members: inout NotationMembers) -> PropertyType? {
    members.refuse(["optional", "indexed", "default"] + Constraints.members)
    let objectType = required("objectType", from: &members)
    let property = required("property", from: &members)
    guard let objectType, let property else { return nil }
    return .linkingObjects(objectType: objectType, property: property)
  }

  private static func stored(
    _ container: PropertyType.Container, from members: inout NotationMembers, fallback: String?
  ) -> PropertyType? {
    members.refuse(["property"])
    guard let text = members.string("objectType") ?? fallback else {
      if members.value("objectType") == nil { members.report(.memberMissing("objectType")) }
      return nil
    }
    guard let shorthand = TypeShorthand(text), shorthand.container == .one,
      !ElementType.containers.contains(shorthand.name)
    else {
      members.report(.malformedType(text))
      return nil
    }
    if container == .one && !ElementType(name: shorthand.name).isObject {
      members.report(.malformedType(text))
      return nil
    }
    return type(container, of: shorthand, from: &members)
  }

  private static func shorthand(_ text: String, from members: inout NotationMembers) -> PropertyType? {
    members.refuse(["property", "objectType"])
    guard let shorthand = TypeShorthand(text), !ElementType.containers.contains(shorthand.name) else {
      members.report(.malformedType(text))
      return nil
    }
    return type(shorthand.container, of: shorthand, from: &members)
  }

  /// The type, nullability being what is said, or what the type has by nature.
  private static func type(
    _ container: PropertyType.Container, of shorthand: TypeShorthand, from members: inout NotationMembers
  ) -> PropertyType {
    let element = ElementType(name: shorthand.name)
    let said = members.bool("optional")
    if said == false && shorthand.isMarkedOptional { members.report(.contradictoryOptional) }
    let optional = shorthand.isMarkedOptional || (said ?? element.isOptionalByNature(in: container))
    return PropertyType(container, of: element, optional: optional)
  }

  private static func required(_ name: String, from members: inout NotationMembers) -> String? {
    if members.value(name) == nil { members.report(.memberMissing(name)) }
    return members.string(name)
  }
}

extension Property {
  /// The property in realm-js' notation: one word where that says everything.
  public var notation: Value {
    if case .linkingObjects(let objectType, let property) = type {
      return .document(
        withMapping([
          "type": .string("linkingObjects"), "objectType": .string(objectType), "property": .string(property),
        ]))
    }
    if index == .none && defaultValue == nil && constraints == nil && storedName == name {
      return .string(type.shorthand)
    }
    var document = typeMembers
    switch index {
    case .none: break
    case .general: document.append("indexed", .bool(true))
    case .fullText: document.append("indexed", .string("full-text"))
    }
    if let defaultValue { document.append("default", defaultValue) }
    constraints?.append(to: &document)
    return .document(withMapping(document))
  }

  private var typeMembers: Document {
    guard let (container, element, optional) = type.stored else { return [:] }
    var document: Document = [:]
    switch container {
    case .one: document.append("type", .string(element.isObject ? "object" : element.name))
    case .list: document.append("type", .string("list"))
    case .set: document.append("type", .string("set"))
    case .map: document.append("type", .string("dictionary"))
    }
    if container != .one || element.isObject { document.append("objectType", .string(element.name)) }
    if optional != element.isOptionalByNature(in: container) { document.append("optional", .bool(optional)) }
    return document
  }

  private func withMapping(_ document: Document) -> Document {
    var document = document
    if storedName != name { document.append("mapTo", .string(storedName)) }
    return document
  }
}
