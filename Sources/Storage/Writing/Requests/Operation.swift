public import GatehouseModel
public import GatehouseQuery

/// One write.
public enum Operation: Sendable {
  /// The effect of a creation when the primary key is taken. Realm's `UpdatePolicy`.
  public enum UpdatePolicy: String, Hashable, Sendable {
    case error
    /// Writes the given properties that differ.
    case modified
    /// Writes all given properties; all of them count as changed.
    case all
  }

  /// The condition for the operation to take place.
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
  /// Changes that depend on what the object holds.
  case edit(objectType: String, id: Mixed, edit: ObjectEdit, precondition: Precondition)
  /// Something inside an object, or inside one that a path through links leads to. The precondition's versions are
  /// those of the object that changes; whether there is something is asked of the place itself.
  case change(
    objectType: String, id: Mixed, path: ResourcePath, change: PropertyChange, precondition: Precondition)
  case delete(objectType: String, id: Mixed, precondition: Precondition)
  /// The same for every object that the plan matches when the operation's turn comes.
  case each(Plan, Action)

  /// A change of each of several objects.
  public enum Action: Sendable {
    case update(ObjectPatch)
    case edit(ObjectEdit)
    /// All values are computed before the first is written.
    case compute([Computation])
    /// Patches that code outside of the store gives.
    case transform(ObjectTransform)
    case delete
  }
}
