/// Classes and properties that keep their data under other names.
public struct SchemaRenames: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// They take place one after the other, before the others.
  public var classes: [ClassRename] = []
  /// They name their classes by their new names.
  public var properties: [PropertyRename] = []

  public init(classes: [ClassRename] = [], properties: [PropertyRename] = []) {
    self.classes = classes
    self.properties = properties
  }

  public init(arrayLiteral properties: PropertyRename...) {
    self.init(properties: properties)
  }

  /// Adds what a text says, `Class:New` or `Class.property:new`; false: it says neither.
  public mutating func add(_ text: some StringProtocol) -> Bool {
    if let rename = PropertyRename(text: text) {
      properties.append(rename)
    } else if let rename = ClassRename(text: text) {
      classes.append(rename)
    } else {
      return false
    }
    return true
  }
}

extension Schema {
  /// The schema with all of them.
  public func renaming(_ renames: SchemaRenames) -> Schema {
    let renamed = renames.classes.reduce(self) { $0.renaming($1) }
    return renames.properties.reduce(renamed) { $0.renaming($1) }
  }
}
