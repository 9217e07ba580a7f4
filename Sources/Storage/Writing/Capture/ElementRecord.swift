import GatehouseModel

/// The changes of single elements of one collection in a transaction so far.
struct ElementRecord {
  private var changes: [ElementChange] = []
  /// Where in ``changes`` a map's key or a set's value is.
  private var positions: [Mixed: Int] = [:]

  /// Adds a change. One of the same key or member as an earlier one continues it.
  mutating func add(_ change: ElementChange) {
    switch change.place {
    case .key(let key): add(change, for: .string(key))
    case .member: add(change, for: change.before ?? change.after ?? .null)
    case .index, .move: changes.append(change)
    }
  }

  private mutating func add(_ change: ElementChange, for identity: Mixed) {
    if let position = positions[identity] {
      changes[position].after = change.after
    } else {
      positions[identity] = changes.count
      changes.append(change)
    }
  }

  /// The net changes: an element that came and went was never there.
  var elements: [ElementChange] {
    changes.filter { change in
      switch change.place {
      case .key: change.before != nil || change.after != nil
      case .member: (change.before == nil) != (change.after == nil)
      case .index, .move: true
      }
    }
  }

  /// Returns a property with the collection as it was before the changes, which led to the entry's value. Throws where they cannot have:
  /// a list whose blocks count wrong has told them of places that it does not have.
  func undone(_ entry: Mixed.Entry) throws(StorageError) -> Mixed.Entry {
    switch entry.value {
    case .dictionary(let entries): return Mixed.Entry(key: entry.key, value: .dictionary(undone(entries)))
    case .list(var values):
      for change in changes.reversed() {
        guard change.undo(on: &values) else { throw .corrupt("blocks of a list") }
      }
      return Mixed.Entry(key: entry.key, value: .list(values))
    default: return entry
    }
  }

  private func undone(_ entries: [Mixed.Entry]) -> [Mixed.Entry] {
    var entries = entries.filter { positions[.string($0.key)] == nil }
    for case let change in changes {
      guard case .key(let key) = change.place, let before = change.before else { continue }
      entries.append(Mixed.Entry(key: key, value: before))
    }
    return entries.sorted { $0.key.compareBytes($1.key) < 0 }
  }
}

extension ElementChange {
  /// Takes back the change of a list or set; false: the list has no such place.
  fileprivate func undo(on values: inout [Mixed]) -> Bool {
    switch (place, before, after) {
    case (.key, _, _): break
    case (.member, nil, let after?): values.removeAll { $0 == after }
    case (.member, let before?, nil): values.append(before)
    case (.member, _, _): break
    case (.move(let from, let to), _, _) where values.indices.contains(from) && values.indices.contains(to):
      values.insert(values.remove(at: to), at: from)
    case (.index(let index), let before?, nil) where (0...values.count).contains(index):
      values.insert(before, at: index)
    case (.index(let index), nil, _) where values.indices.contains(index): values.remove(at: index)
    case (.index(let index), let before?, _?) where values.indices.contains(index): values[index] = before
    case (.move, _, _), (.index, _, _): return false
    }
    return true
  }
}
