import GatehouseModel
import GatehouseStorage

extension Recorder {
  /// Makes sure that the store has the class, with a property for each key.
  func prepare(_ metadata: Metadata) async throws {
    while let (schema, generation) = try lackingSchema(metadata) {
      let outcome: SchemaOutcome
      do throws(StorageError) {
        outcome = try await store.apply(schema, destructive: false, generation: generation, privileged: true)
      } catch {
        // Somebody else's change came first.
        guard error == .schemaChanged else { throw error }
        continue
      }
      return noteTrailOnly(outcome.version)
    }
  }

  /// Throws ``AuditError/tooManyMetadataKeys(limit:)`` where the class has no room for the keys that it lacks.
  func requireRoom(for metadata: Metadata) throws(AuditError) {
    let present = store.schema[StoredEvent.className]?.properties.dropFirst(StoredEvent.properties.count)
    let own: Set = [Metadata.callerKey, Metadata.customKey]
    let keys = Set(present?.map(\.name) ?? []).union(metadata.keys).subtracting(own)
    guard keys.count <= Metadata.mostKeys else { throw .tooManyMetadataKeys(limit: Metadata.mostKeys) }
  }

  /// The schema with what it lacks, and the generation that it was made from; nil where it has everything.
  private func lackingSchema(_ metadata: Metadata) throws(AuditError) -> (schema: Schema, generation: Int64)?
  {
    let (schema, generation) = store.schemaState
    let trail = auditSchema(of: schema).trail
    if trail?.holds(metadata) == true { return nil }
    let present = schema[StoredEvent.className]
    guard present == nil || trail != nil else { throw .classOccupied }
    let missing = metadata.keys.filter { present?[$0] == nil }
    let known = present?.properties.dropFirst(StoredEvent.properties.count).map(\.name) ?? []
    let type = StoredEvent.objectType(metadata: known + missing)
    var types = schema.objectTypes.map { $0.name == type.name ? type : $0 }
    if present == nil { types.append(type) }
    return (Schema(types), generation)
  }
}
