public import GatehouseModel

/// The net changes of a transaction, just before it is committed.
public struct ChangeSet {
  /// Each object once, by class in the order of the schema, then by key, embedded ones behind their owners. Objects of
  /// append-only classes are left out.
  public let objects: [ObjectChange]
  /// The version that the transaction's commit gets.
  public let version: Int64
  public let schema: Schema
  let appendOnly: AppendOnlyTables

  /// Returns a property of the object of the class that has the largest key; nil where there is no object. Sees the
  /// operations of this transaction.
  public func last(_ objectType: String, _ property: String) throws(StorageError) -> Mixed? {
    try appendOnly.last(objectType, property)
  }
}
