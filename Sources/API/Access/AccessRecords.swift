import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// The keys and roles as a store has them.
struct AccessRecords {
  let keys: [APIKey]
  /// Nil: nobody has said.
  let policy: Policy?

  /// Throws ``StorageError/corrupt(_:)`` where something else is there.
  init(_ reader: Reader) throws(StorageError) {
    var keys: [APIKey] = []
    for record in try reader.records(AccessControl.kind) {
      guard let document = try? Document(bson: record.value), let key = APIKey(record: document) else {
        throw .corrupt("key")
      }
      keys.append(key)
    }
    self.keys = keys
    guard let value = try reader.record(AccessControl.policy) else {
      policy = nil
      return
    }
    guard let document = try? Document(bson: value),
      let policy = try? Policy(notation: .document(document))
    else { throw .corrupt("roles") }
    self.policy = policy
  }
}
