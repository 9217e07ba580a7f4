import GatehouseBSON

/// Changes the names in a file that is imported to those of the class, before its objects are checked.
public struct MemberMapping: Hashable, Sendable {
  /// Properties by the names that the file has for them.
  public var names: [String: String]
  /// Whether what the class has no property for is left out, in embedded objects as well.
  public var ignoresUnknown: Bool
  /// Names that are left out anyway.
  public var ignored: Set<String>

  public init(names: [String: String] = [:], ignoresUnknown: Bool = false, ignored: Set<String> = []) {
    self.names = names
    self.ignoresUnknown = ignoresUnknown
    self.ignored = ignored
  }

  /// Returns the object with the names that the class has.
  func apply(to document: Document, of objectType: ObjectType, in schema: Schema) -> Document {
    if self == MemberMapping() { return document }
    var mapped = Document()
    for element in document.elements where !ignored.contains(element.key) {
      mapped.append(names[element.key] ?? element.key, element.value)
    }
    return ignoresUnknown ? known(mapped, of: objectType, in: schema) : mapped
  }

  private func known(_ document: Document, of objectType: ObjectType, in schema: Schema) -> Document {
    if objectType.isSchemaless { return document }
    var known = Document()
    for element in document.elements {
      if let property = objectType[element.key], property.type.isWritable {
        let embedded = property.type.linkTarget.flatMap { schema[$0] }.flatMap { $0.isEmbedded ? $0 : nil }
        known.append(
          element.key, embedded.map { self.known(element.value, of: $0, in: schema) } ?? element.value)
      } else if element.key == ObjectType.keyName, objectType.hasObjectKey {
        known.append(element.key, element.value)
      }
    }
    return known
  }

  /// Leaves out what is unknown in an embedded object, or in a collection of such. A value of another type is for who
  /// checks it.
  private func known(_ value: Value, of objectType: ObjectType, in schema: Schema) -> Value {
    switch value {
    case .document(let document): .document(known(document, of: objectType, in: schema))
    case .array(let values): .array(values.map { known($0, of: objectType, in: schema) })
    default: value
    }
  }
}

extension PropertyType {
  /// Whether it is not computed.
  var isWritable: Bool {
    if case .linkingObjects = self { false } else { true }
  }
}
