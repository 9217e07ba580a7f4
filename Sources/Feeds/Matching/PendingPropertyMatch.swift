import GatehouseModel
import GatehouseStorage

/// Finds out what a change is to those who watch a place.
struct PendingPropertyMatch {
  let node: PropertyWatchNode
  private let before: PropertyWatch.View
  /// The objects that count as changed where they are elements.
  private let touched: Set<Mixed>

  /// To be asked before the iterator passes the change.
  init(_ node: PropertyWatchNode, _ applied: AppliedChange, in history: HistoricalSnapshot) {
    self.node = node
    let watch = node.watch
    before = watch.view(history)
    var touched: Set<Mixed> = []
    if let elementType = watch.elementType {
      if applied.identity.objectType == elementType, applied.change.operation == .update,
        watch.dependencies.counts(applied.changed)
      {
        touched.insert(applied.identity.id)
      }
      for linkPath in watch.dependencies.linkPaths
      where linkPath.end == applied.identity.objectType && applied.counts(for: linkPath) {
        for origin in history.origins(of: linkPath, to: applied.identity, applied.before, applied.after) {
          touched.insert(origin.id)
        }
      }
    }
    self.touched = touched
  }

  /// Returns the change and the value behind it, once the iterator has passed the change; nil: nothing has changed.
  func change(_ applied: AppliedChange, _ history: HistoricalSnapshot) -> (
    change: PropertyEvent, view: PropertyWatch.View
  )? {
    let isOnPath = before.objects.contains { $0.identity == applied.identity }
    // Elements are where they were unless something on the path has changed.
    guard isOnPath || !touched.isEmpty else { return nil }
    let after = isOnPath ? node.watch.view(history) : before
    switch (before.value, after.value) {
    case (nil, nil): return nil
    case (nil, _?): return (.insert, after)
    case (_?, nil): return (.delete, after)
    case (let old?, let new?):
      let elements = isOnPath ? elements(applied, after) : nil
      guard let change = change(from: old, to: new, by: applied, elements, showing: after) else { return nil }
      return (change, after)
    }
  }

  private func change(
    from old: Mixed, to new: Mixed, by applied: AppliedChange, _ elements: [ElementChange]?,
    showing after: PropertyWatch.View
  ) -> PropertyEvent? {
    switch (node.watch.path.type, old, new) {
    case (.list, .list(let old), .list(let new)):
      let diff = listDiff(from: old, to: new, elements)
      return diff.isEmpty ? nil : .elements(diff)
    case (.set, .list(let old), .list(let new)):
      let diff = CollectionDiff(from: old, to: new) { touched.contains($0) }
      return diff.isEmpty ? nil : .elements(diff)
    case (.map, .dictionary(let old), .dictionary(let new)):
      let diff = mapDiff(from: old, to: new, elements)
      return diff.isEmpty ? nil : .entries(diff)
    default:
      // A property that is set to what it was is a change (Realm).
      let isSet =
        after.property.map { $0.owner == applied.identity && applied.changed.contains($0.index) } ?? false
      return isSet || old != new || touched.contains(new) ? .value : nil
    }
  }

  /// The changes of single elements, where they are told.
  private func elements(_ applied: AppliedChange, _ after: PropertyWatch.View) -> [ElementChange]? {
    guard let (owner, index) = after.property, owner == applied.identity, let state = applied.after else {
      return nil
    }
    let name = state.layout.objectType.properties[index].storedName
    return applied.change.elements.first { $0.property == name }?.elements
  }

  private func mapDiff(
    from old: [Mixed.Entry], to new: [Mixed.Entry], _ elements: [ElementChange]?
  ) -> MapDiff {
    // By bytes, as maps are ordered: two keys may be one to a string's own `==`.
    let set = Set(
      (elements ?? []).compactMap { element -> Mixed? in
        if case .key(let key) = element.place { .string(key) } else { nil }
      })
    var diff = MapDiff()
    var rest = old[...]
    for (index, entry) in new.enumerated() {
      while let next = rest.first, next.key.compareBytes(entry.key) < 0 {
        diff.deletions.append(rest.removeFirst().key)
      }
      if let next = rest.first, next.key.compareBytes(entry.key) == 0 {
        rest.removeFirst()
        guard next.value != entry.value || set.contains(.string(entry.key)) || touched.contains(entry.value)
        else { continue }
        diff.modifications.append(entry.key)
      } else {
        diff.insertions.append(entry.key)
      }
      diff.shown.append(index)
    }
    diff.deletions += rest.map(\.key)
    return diff
  }

  private func listDiff(
    from old: [Mixed], to new: [Mixed], _ elements: [ElementChange]?
  ) -> CollectionDiff {
    // Each element gets a number that it keeps wherever it goes.
    var numbers = Array(old.indices)
    var modified: Set<Int> = []
    if let elements {
      var next = old.count
      for element in elements { numbers.follow(element, next: &next, modified: &modified) }
    } else {
      let start = zip(old, new).prefix { $0 == $1 }.count
      let rest = min(old.count, new.count) - start
      let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.prefix(rest).count
      numbers.replaceSubrange(
        start..<(old.count - end), with: old.count..<(old.count + new.count - start - end))
    }
    for (number, value) in zip(numbers, new) where touched.contains(value) { modified.insert(number) }
    return CollectionDiff(from: Array(old.indices), to: numbers) { modified.contains($0) }
  }
}

extension [Int] {
  /// Does to the numbers what was done to the elements.
  fileprivate mutating func follow(
    _ change: ElementChange, next: inout Int, modified: inout Set<Int>
  ) {
    switch (change.place, change.before, change.after) {
    case (.index(let index), nil, _?) where index <= count:
      insert(next, at: index)
      next += 1
    case (.index(let index), _?, nil) where index < count: remove(at: index)
    case (.index(let index), _?, _?) where index < count: modified.insert(self[index])
    case (.move(let from, let to), _, _) where from < count && to < count: insert(remove(at: from), at: to)
    default: break
    }
  }
}
