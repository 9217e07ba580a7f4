public import GatehouseBSON

/// The objects of classes in JSON Schema (draft 2020-12), as plain JSON spells them.
///
/// Definitions refer to each other, and bring those of the embedded objects that they need.
public struct ClassDefinitions: Sendable {
  /// Why there is a definition of a class.
  public enum Use: String, Hashable, Sendable, CaseIterable {
    /// An object as answers show it.
    case read
    /// An object that is to be created.
    case create
    /// An object that takes the place of another one, whose primary key stays.
    case replace
    /// A merge patch (RFC 7396).
    case patch
  }

  private struct Entry: Hashable {
    let objectType: String
    let use: Use
  }

  private let schema: Schema
  /// For classes, the positions of the properties that are not written.
  private let fixed: [String: Set<Int>]
  /// The place of definitions in their document, such as `#/$defs/`.
  private let place: String
  private var waiting: [Entry] = []
  private var known: Set<Entry> = []

  public init(_ schema: Schema, fixed: [String: Set<Int>] = [:], at place: String) {
    self.schema = schema
    self.fixed = fixed
    self.place = place
  }

  /// Returns the name of a definition: that of the class where it is one that OpenAPI allows.
  ///
  /// Other bytes become a period and two digits, and the use follows another period, so that no two names are the same:
  /// a class' name has no period.
  public static func name(of objectType: String, for use: Use = .read) -> String {
    var name = ""
    for byte in objectType.utf8 {
      if byte.isNameCharacter {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        name += byte < 16 ? ".0" : "."
        name += String(byte, radix: 16, uppercase: true)
      }
    }
    return use == .read ? name : "\(name).\(use.rawValue)"
  }

  /// Returns the definitions of the classes, and all that these refer to.
  public func definitions(of classes: [(objectType: String, uses: [Use])]) -> Document {
    var copy = self
    for (objectType, uses) in classes {
      for use in uses { copy.want(Entry(objectType: objectType, use: use)) }
    }
    var definitions: Document = ["type.double": .document(.anyDouble)]
    var next = 0
    while next < copy.waiting.count {
      let entry = copy.waiting[next]
      next += 1
      guard let objectType = schema[entry.objectType] else { continue }
      let definition = copy.definition(of: objectType, for: entry.use)
      definitions.append(Self.name(of: entry.objectType, for: entry.use), .document(definition))
    }
    return definitions
  }

  /// Returns the definition of what identifies an object of the class.
  public func key(of objectType: ObjectType) -> Document {
    guard let primaryKey = objectType.primaryKey, case .one(let element, _) = primaryKey.type else {
      return .objectKey
    }
    return scalar(element)
  }

  private mutating func want(_ entry: Entry) {
    if known.insert(entry).inserted { waiting.append(entry) }
  }

  private mutating func reference(to objectType: String, for use: Use) -> Document {
    want(Entry(objectType: objectType, use: use))
    return ["$ref": .string(place + Self.name(of: objectType, for: use))]
  }

  private mutating func definition(of objectType: ObjectType, for use: Use) -> Document {
    var properties = Document()
    var required: [Value] = []
    if objectType.hasObjectKey, use == .read || use == .create {
      properties.append("_key", .document(use == .read ? .objectKey : .givenKey))
      if use == .read { required.append(.string("_key")) }
    }
    for (index, property) in objectType.properties.enumerated() where shows(index, of: objectType, for: use) {
      properties.append(property.name, .document(definition(of: property, for: use)))
      if requires(index, of: objectType, for: use) { required.append(.string(property.name)) }
    }
    // Tools name types by the title, and each name must be there once.
    let title = use == .read ? objectType.name : "\(objectType.name) \(use.rawValue)"
    var document: Document = ["title": .string(title), "type": .string("object")]
    let checks = objectType.constraints.checks
    if !checks.isEmpty {
      document.append("description", .string("Objects meet: \(checks.joined(separator: "; "))"))
    }
    document.append("properties", .document(properties))
    if !required.isEmpty { document.append("required", .array(required)) }
    // Answers may have more: a class gets new properties, and `fields` names some.
    if use != .read { document.append("additionalProperties", .bool(objectType.isSchemaless)) }
    return document
  }

  private func shows(_ index: Int, of objectType: ObjectType, for use: Use) -> Bool {
    if objectType.hidden.contains(index) || index == objectType.fieldsIndex { return false }
    if use == .read { return true }
    if case .linkingObjects = objectType.properties[index].type { return false }
    if fixed[objectType.name]?.contains(index) == true { return false }
    return use == .create || objectType.primaryKeyIndex != index
  }

  private func requires(_ index: Int, of objectType: ObjectType, for use: Use) -> Bool {
    let property = objectType.properties[index]
    switch use {
    case .read: if case .linkingObjects = property.type { return false } else { return true }
    case .create, .replace: return property.mustBeGiven(asPrimaryKey: index == objectType.primaryKeyIndex)
    case .patch: return false
    }
  }

  private mutating func definition(of property: Property, for use: Use) -> Document {
    let constraints = ValueConstraints(property)
    var document = definition(of: property.type, for: use, meeting: constraints)
    let notes = [
      note(on: property.type), use == .create ? property.defaultNote : nil,
      property.type.stored.flatMap { constraints?.note(on: $0.element) },
    ].compactMap(\.self)
    if property.isUpdateTime { document.append("readOnly", .bool(true)) }
    if !notes.isEmpty { document.append("description", .string(notes.joined(separator: " "))) }
    return document
  }

  private func note(on type: PropertyType) -> String? {
    switch type {
    case .linkingObjects(let target, let property):
      return "The \(target) objects whose \(property) links here; only where `fields` asks for them."
    case .one, .list, .set, .map:
      guard let target = type.linkTarget, schema[target]?.isEmbedded == false else { return nil }
      return "What identifies \(target) objects."
    }
  }

  private mutating func definition(
    of type: PropertyType, for use: Use, meeting constraints: ValueConstraints?
  ) -> Document {
    switch type {
    case .one(let element, let optional):
      let definition = single(element, for: use, meeting: constraints)
      return optional ? definition.orNull : definition
    case .list(let element, let optional), .set(let element, let optional):
      let elements = self.element(element, optional, for: use, meeting: constraints)
      var document: Document = ["type": .string("array"), "items": .document(elements)]
      if case .set = type, use == .read { document.append("uniqueItems", .bool(true)) }
      // Who does not see all objects sees fewer links.
      let bounds = use == .read && isLink(element) ? CountBounds() : constraints?.spelt.count ?? CountBounds()
      document.append(bounds, of: "Items")
      return use == .patch && bounds.contains(0) ? document.orNull : document
    case .map(let element, let optional):
      var document: Document = ["type": .string("object")]
      // Null takes the entry away.
      let values = self.element(element, optional || use == .patch, for: use, meeting: constraints)
      document.append("additionalProperties", .document(values))
      if use != .read { document.append("propertyNames", .document(.mapKey)) }
      if use != .patch { document.append(constraints?.spelt.count ?? CountBounds(), of: "Properties") }
      return use == .patch ? document.orNull : document
    case .linkingObjects(let target, _):
      return ["type": .string("array"), "items": .document(link(to: target))]
    }
  }

  private func isLink(_ element: ElementType) -> Bool {
    if case .object(let name) = element { schema[name]?.isEmbedded == false } else { false }
  }

  private mutating func single(
    _ element: ElementType, for use: Use, meeting constraints: ValueConstraints?
  ) -> Document {
    guard case .object(let name) = element else {
      return constraints.flatMap { element.jsonSchema(for: $0) } ?? scalar(element)
    }
    guard let target = schema[name], target.isEmbedded else { return link(to: name) }
    switch use {
    case .read, .create, .patch: return reference(to: name, for: use)
    case .replace: return reference(to: name, for: .create)
    }
  }

  /// Elements of collections are given as a whole, also by a patch.
  private mutating func element(
    _ element: ElementType, _ optional: Bool, for use: Use, meeting constraints: ValueConstraints?
  ) -> Document {
    let definition = single(element, for: use == .patch ? .create : use, meeting: constraints)
    return optional ? definition.orNull : definition
  }

  private func link(to objectType: String) -> Document {
    guard let target = schema[objectType] else { return Document() }
    guard case .one(_, optional: true)? = target.primaryKey?.type else { return key(of: target) }
    return key(of: target).orNull
  }

  private func scalar(_ element: ElementType) -> Document {
    switch element {
    case .float, .double: ["$ref": .string(place + "type.double")]
    case .bool, .int, .decimal128, .string, .data, .date, .objectID, .uuid, .mixed, .object:
      element.jsonSchema
    }
  }
}

extension Property {
  fileprivate var defaultNote: String? {
    if isUpdateTime { return "Made by the server, whatever is given." }
    guard let defaultValue else { return nil }
    if generatedDefault != nil { return "Made by the server where it is left out." }
    return "Where it is left out: \(String(decoding: defaultValue.plainJSON, as: UTF8.self))."
  }
}

extension UInt8 {
  fileprivate var isNameCharacter: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
