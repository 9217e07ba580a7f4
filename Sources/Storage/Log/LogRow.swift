import GatehouseBSON
import GatehouseModel

/// A change as the log keeps it, behind the version that it belongs to.
///
/// The images are dictionaries in ``MixedCoding``, by stored names, links as primary keys: of all properties for a
/// creation or deletion, of the changed ones for an update. A creation that has none leaves that to the object's row.
struct LogRow {
  let ordinal: Int64
  /// Empty for a change of the schema.
  let objectType: String
  let key: Int64
  /// The primary key, or the object key.
  let id: Mixed
  let operation: LoggedChange.Operation
  let before: [UInt8]?
  let after: [UInt8]?
  /// Collections of which only some elements changed, as ``CollectionChange/encode(_:)`` writes them; those are not in
  /// the images.
  let elements: [UInt8]?
  /// Whether an update replaced the whole object.
  var isReplacement = false

  /// Bytes of images.
  var size: Int { (before?.count ?? 0) + (after?.count ?? 0) + (elements?.count ?? 0) }
}
