import GatehouseModel
import GatehouseStorage

/// A change as it is told to those who watch an object.
struct ChangeEvent {
  let stamp: EventStamp
  let outcome: Outcome
  let objectType: String
  let id: Mixed
  let before: ObjectState?
  let after: ObjectState?
  /// The object's own properties that changed, or that lead to what changed.
  let changed: [Int]
  /// Whether it is the object itself that changed.
  let isOwn: Bool

  /// Whether nothing has changed but those properties.
  func concerns(nothingBut hidden: Set<Int>) -> Bool {
    !hidden.isEmpty && !changed.isEmpty && changed.allSatisfy(hidden.contains)
  }
}

/// A change that the iterator is about to pass, and the object before and after it.
struct AppliedChange {
  let change: LoggedChange
  let identity: Identity
  let before: ObjectState?
  let after: ObjectState?
  /// The properties that an update changed; empty for other changes.
  let changed: [Int]

  init(_ change: LoggedChange, _ layout: ClassLayout, before: ObjectState?) {
    self.change = change
    identity = Identity(objectType: change.objectType, id: change.id)
    self.before = before
    switch change.operation {
    case .insert: after = ObjectState(layout, id: change.id, key: change.key, image: change.after)
    case .delete, .schema: after = nil
    case .update:
      var state = before
      state?.redo(change)
      after = state
    }
    changed = change.operation == .update ? layout.changedProperties(of: change) : []
  }

  /// Whether it is one of the changes that the way counts, for objects from which it leads here.
  ///
  /// A new object, and one that is gone, is a change of the property that links to it, which is an update of its own.
  func counts(for linkPath: LinkPath) -> Bool {
    guard change.operation == .update else { return linkPath.steps.last?.isBackward == true }
    guard let properties = linkPath.properties else { return true }
    return changed.contains { properties.contains($0) }
  }
}
