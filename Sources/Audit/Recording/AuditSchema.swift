import GatehouseModel

/// The parts of a schema that recording needs, derived once for all writes under it.
final class AuditSchema: Sendable {
  let schema: Schema
  /// The writers of the objects of each class but the trail's, embedded ones included.
  let writers: [String: ObjectWriter]
  /// The classes whose functions say what is recorded.
  let represented: Set<String>
  /// The class of stored events; nil if the schema has none yet.
  let trail: TrailClass?

  init(_ schema: Schema) {
    self.schema = schema
    var writers: [String: ObjectWriter] = [:]
    for type in schema.objectTypes where type.name != StoredEvent.className {
      writers[type.name] = ObjectWriter(type, in: schema)
    }
    self.writers = writers
    represented = Set(schema.objectTypes.filter { $0.representingFunction != nil }.map(\.name))
    trail = TrailClass(in: schema)
  }
}
