import GatehouseModel

// Each element of a collection is a row, however few bytes its value has: a small request could have millions written.

extension ObjectDraft {
  /// The number of elements of its collections, those of embedded objects and mixed values included.
  var elementCount: Int { assignments.reduce(0) { $0 + $1.value.elementCount } }
}

extension DraftValue {
  /// The number of elements of the collections in it.
  var elementCount: Int {
    switch self {
    case .value, .link: 0
    case .embedded(let draft): draft.elementCount
    case .list(let values): values.reduce(values.count) { $0 + $1.elementCount }
    case .map(let entries): entries.reduce(entries.count) { $0 + $1.value.elementCount }
    }
  }
}

extension ObjectPatch {
  /// The number of elements that it writes.
  var elementCount: Int {
    changes.reduce(0) { count, change in
      switch change.value {
      case .assign(let value): count + value.elementCount
      case .merge(let entries): entries.reduce(count + entries.count) { $0 + ($1.value?.elementCount ?? 0) }
      case .patch(let patch): count + patch.elementCount
      }
    }
  }
}

extension PropertyChange {
  /// The number of elements that it writes, or looks for.
  var elementCount: Int {
    switch self {
    case .assign(let value): value.elementCount
    case .insert(let values, _), .union(let values), .subtract(let values), .intersect(let values):
      values.reduce(values.count) { $0 + $1.elementCount }
    case .merge(let entries, _): entries.reduce(entries.count) { $0 + $1.value.elementCount }
    case .patch(let patch): patch.elementCount
    case .remove, .move, .removeElements: 0
    }
  }
}

extension Operation {
  /// The number of elements of collections that it writes into one object.
  var elementCount: Int {
    switch self {
    case .create(_, let draft, _), .put(_, _, let draft, _): draft.elementCount
    case .update(_, _, let patch, _), .each(_, .update(let patch)): patch.elementCount
    case .change(_, _, _, let change, _): change.elementCount
    // The result of an edit is known only when it has been applied.
    case .edit, .delete, .each(_, .edit), .each(_, .delete): 0
    case .each(_, .compute), .each(_, .transform): 0
    }
  }
}
