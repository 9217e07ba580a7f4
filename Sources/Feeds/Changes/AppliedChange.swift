import GatehouseModel
import GatehouseStorage

/// A change of an object, and the object before and after it.
struct AppliedChange {
  let identity: Identity
  let operation: LoggedChange.Operation
  let before: ObjectState?
  private(set) var after: ObjectState?
  /// The properties that an update changed; empty for other changes.
  let changed: [Int]

  /// As the log has it.
  init(_ change: LoggedChange, _ layout: ClassLayout, before: ObjectState?) {
    identity = Identity(objectType: change.objectType, id: change.id)
    operation = change.operation
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

  /// Brings sets of links into the order in which a read behind the change has them, where the iterator is.
  fileprivate mutating func orderSets(_ iterator: HistoryIterator, _ snapshot: Snapshot) throws(StorageError)
  {
    guard var state = after, !state.unordered.isEmpty else { return }
    after = nil
    try iterator.orderSets(of: &state, snapshot)
    after = state
  }

  /// As somebody sees it: an object that they begin to see is new, and one that they cease to see is gone. Nil: they see
  /// nothing of it.
  init?(of identity: Identity, from before: ObjectState?, to after: ObjectState?, changed: [Int]) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _?): operation = .insert
    case (_?, nil): operation = .delete
    case (_?, _?):
      if changed.isEmpty { return nil }
      operation = .update
    }
    (self.identity, self.before, self.after) = (identity, before, after)
    self.changed = operation == .update ? changed : []
  }

  /// Whether it is a change of one of those properties.
  func concerns(_ properties: CountedProperties) -> Bool {
    changed.contains { property in
      properties.contains(property) {
        guard let layout = (after ?? before)?.layout, property == layout.objectType.fieldsIndex else {
          return nil
        }
        return layout.names(of: [property], from: before, to: after)
      }
    }
  }

  /// Whether it is one of the changes that the way counts, for objects from which it leads here.
  ///
  /// A new object, and one that is gone, is a change of the property that links to it, which is an update of its own.
  func counts(for linkPath: LinkPath) -> Bool {
    guard operation == .update else { return linkPath.steps.last?.isBackward == true }
    return linkPath.properties.map(concerns) ?? true
  }
}

extension Dependencies {
  /// Whether a change of the object counts.
  func counts(_ change: AppliedChange) -> Bool { own.map(change.concerns) ?? true }
}

extension HistoryIterator {
  /// Goes behind a change of a class that it follows, also where it throws, and returns it with the object before and after it.
  func apply(
    _ change: LoggedChange, to layout: ClassLayout, in snapshot: Snapshot
  ) throws(StorageError) -> AppliedChange {
    let before: ObjectState?
    do throws(StorageError) {
      before =
        switch change.operation {
        case .insert, .schema: nil
        case .delete: ObjectState(layout, id: change.id, key: change.key, image: change.before)
        case .update: try object(Identity(objectType: change.objectType, id: change.id), snapshot)
        }
    } catch {
      pass(change)
      throw error
    }
    var applied = AppliedChange(change, layout, before: before)
    pass(change)
    try applied.orderSets(self, snapshot)
    return applied
  }
}
