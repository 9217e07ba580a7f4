package import GatehouseModel

extension Mixed {
  /// Applies a change of an element to a collection.
  package mutating func redo(_ change: ElementChange) {
    apply(change.place, from: change.before, to: change.after)
  }

  /// Reverts a change of an element of a collection.
  package mutating func undo(_ change: ElementChange) {
    if case .move(let from, let to) = change.place {
      apply(.move(from: to, to: from), from: nil, to: nil)
    } else {
      apply(change.place, from: change.after, to: change.before)
    }
  }

  private mutating func apply(_ place: ElementChange.Place, from old: Mixed?, to new: Mixed?) {
    switch (self, place) {
    case (.dictionary(var entries), .key(let key)):
      let index = entries.firstIndex { $0.key.compareBytes(key) >= 0 } ?? entries.count
      let isThere = index < entries.count && entries[index].key.compareBytes(key) == 0
      entries.replaceSubrange(
        index..<(isThere ? index + 1 : index), with: new.map { [Entry(key: key, value: $0)] } ?? [])
      self = .dictionary(entries)
    case (.list(var values), .index(let index)):
      guard index <= values.count else { return }
      let end = old == nil ? index : min(index + 1, values.count)
      values.replaceSubrange(index..<end, with: new.map { [$0] } ?? [])
      self = .list(values)
    case (.list(var values), .move(let from, let to)):
      guard from < values.count, to < values.count else { return }
      values.insert(values.remove(at: from), at: to)
      self = .list(values)
    case (.list(var values), .member):
      if let old, let index = values.firstIndex(of: old) { values.remove(at: index) }
      if let new { values.append(new) }
      // A set is in the order of its values.
      self = .list(values.sorted { MixedOrder.sortOrder($0, $1) < 0 })
    default: break
    }
  }
}
