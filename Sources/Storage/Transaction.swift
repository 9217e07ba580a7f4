public import Model

/// Writes that happen together or not at all.
public struct Transaction: Sendable {
  public var operations: [Operation]
  /// In which form ``Commit/Result/object`` comes; nil: not at all.
  public var returning: Representation?

  public init(_ operations: [Operation], returning: Representation? = nil) {
    self.operations = operations
    self.returning = returning
  }
}

/// One write.
public enum Operation: Sendable {
  /// What a creation does when the primary key is taken. Realm's `UpdatePolicy`.
  public enum UpdatePolicy: String, Hashable, Sendable {
    case error
    /// Writes the given properties that differ.
    case modified
    /// Writes all given properties; all of them count as changed.
    case all
  }

  /// What must hold for the operation to take place.
  public enum Precondition: Hashable, Sendable {
    case none
    /// The object exists with one of those versions.
    case version([Int64])
    /// The object exists.
    case exists
    /// The object does not exist.
    case absent
  }

  case create(objectType: String, draft: ObjectDraft, policy: UpdatePolicy)
  /// The object becomes exactly the draft; it is created where it does not exist.
  case put(objectType: String, id: Mixed, draft: ObjectDraft, precondition: Precondition)
  case update(objectType: String, id: Mixed, patch: ObjectPatch, precondition: Precondition)
  case delete(objectType: String, id: Mixed, precondition: Precondition)
}

/// What a transaction did, durably.
public struct Commit: Sendable {
  /// What one operation did.
  public struct Result: Sendable {
    public enum Effect: Hashable, Sendable { case created, updated, unchanged, deleted }

    public let effect: Effect
    /// The primary key, or `_key` as an int.
    public let id: Mixed
    /// The object's version afterwards (its ETag); for a deletion the commit's.
    public let objectVersion: Int64
    /// The object afterwards, in the form that ``Transaction/returning`` asked for.
    public let object: [UInt8]?
  }

  public let version: Int64
  public let results: [Result]
}

/// A form in which objects leave the store.
public enum Representation: Hashable, Sendable {
  /// Plain JSON, typed by the schema.
  case json
  /// Canonical Extended JSON v2.
  case extendedJSON
  case bson
}
