import GatehouseModel

/// The class of stored events as a schema has it.
struct TrailClass: Sendable {
  /// The indexes of the properties of metadata keys, by name.
  let properties: [String: Int]

  /// Nil if the schema has no such class, or one of somebody else's making.
  init?(in schema: Schema) {
    guard let type = schema[StoredEvent.className], type.isTrail else { return nil }
    var properties: [String: Int] = [:]
    for (index, property) in type.properties.enumerated().dropFirst(StoredEvent.properties.count) {
      properties[property.name] = index
    }
    self.properties = properties
  }

  /// Whether the class has a property for each key.
  func holds(_ metadata: Metadata) -> Bool {
    metadata.pairs.allSatisfy { properties[$0.key] != nil }
  }
}

extension ObjectType {
  /// Whether the class is the one that the recorder makes.
  var isTrail: Bool {
    properties.prefix(StoredEvent.properties.count).elementsEqual(StoredEvent.properties)
  }
}
