import GatehouseBSON

/// The members of one document of the notation, each looked at once, problems collected.
struct NotationMembers {
  let objectType: String?
  let property: String?
  private let elements: [Document.Element]
  private(set) var problems: [SchemaProblem] = []

  /// Members other than `known`, and repeated ones, are problems.
  init(_ document: Document, of objectType: String?, property: String? = nil, known: [String]) {
    self.objectType = objectType
    self.property = property
    elements = document.elements
    for (position, element) in elements.enumerated() {
      if !known.contains(element.key) { report(.memberUnknown(element.key)) }
      if elements[..<position].contains(where: { $0.key == element.key }) {
        report(.memberRepeated(element.key))
      }
    }
  }

  mutating func report(_ rule: SchemaRule) {
    problems.append(SchemaProblem(objectType: objectType, property: property, rule))
  }

  func value(_ name: String) -> Value? {
    elements.first { $0.key == name }?.value
  }

  mutating func string(_ name: String) -> String? {
    guard let value = value(name) else { return nil }
    if case .string(let string) = value { return string }
    report(.memberOfWrongType(name))
    return nil
  }

  mutating func bool(_ name: String) -> Bool? {
    guard let value = value(name) else { return nil }
    if case .bool(let bool) = value { return bool }
    report(.memberOfWrongType(name))
    return nil
  }

  /// A whole number that is not negative.
  mutating func count(_ name: String) -> Int? {
    switch value(name) {
    case nil: return nil
    case .int32(let count)? where count >= 0: return Int(count)
    case .int64(let count)? where count >= 0: return Int(count)
    default:
      report(.memberOfWrongType(name))
      return nil
    }
  }

  mutating func document(_ name: String) -> Document? {
    guard let value = value(name) else { return nil }
    if case .document(let document) = value { return document }
    report(.memberOfWrongType(name))
    return nil
  }

  /// Reports each of the members that is there.
  mutating func refuse(_ names: [String]) {
    for name in names where value(name) != nil { report(.memberNotAllowed(name)) }
  }
}
