public import Model

/// Operations that follow from what a transaction did: they are committed with it, or nothing is.
///
/// Whoever keeps a record of writes can so have it exactly when it has the writes.
public struct Sequel: Sendable {
  /// Gives the operations; called on the writer's queue, for a transaction that is repeated after a failure of
  /// another one more than once. Links and precondition failures of them fail the transaction.
  public let operations: @Sendable (Effects) throws(StorageError) -> [Operation]
  /// Whether the operations depend on what the objects were and are. If not, ``Effects/objects`` is empty.
  public let needsObjects: Bool

  public init(
    needsObjects: Bool = true,
    _ operations: @escaping @Sendable (Effects) throws(StorageError) -> [Operation]
  ) {
    self.operations = operations
    self.needsObjects = needsObjects
  }
}

/// What a transaction did in all, just before it is committed.
public struct Effects {
  /// What happened to one object: created without `before`, deleted without `after`.
  ///
  /// An embedded object is there if it was changed where it is; else it is a part of its owner's properties.
  public struct Object: Sendable {
    public let objectType: String
    /// The class of the object that an embedded object belongs to; else ``objectType``.
    public var ownerType: String
    public let key: ObjectKey
    /// All stored properties as they were: a dictionary by stored names, links as primary keys.
    public let before: Mixed?
    /// Likewise, as they are.
    public let after: Mixed?
    /// The stored names of the properties that were written.
    public let written: Set<String>

    public init(
      objectType: String, key: ObjectKey, before: Mixed?, after: Mixed?, written: Set<String>
    ) {
      self.objectType = objectType
      ownerType = objectType
      self.key = key
      self.before = before
      self.after = after
      self.written = written
    }
  }

  /// Each object once, by class in the order of the schema, then by key, embedded ones behind their owners. Guarded classes are left out.
  public let objects: [Object]
  /// The version that the transaction's commit gets.
  public let version: Int64
  public let schema: Schema
  let session: WriteSession

  /// A property of the object of the class that has the largest key; nil where there is no object. Operations of
  /// this transaction are seen.
  public func last(_ objectType: String, _ property: String) throws(StorageError) -> Mixed? {
    try session.last(objectType, property)
  }
}
