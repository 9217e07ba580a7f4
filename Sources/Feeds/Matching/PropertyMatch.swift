import GatehouseModel
import GatehouseStorage

/// Finds out what a change is to those who watch a place.
struct PropertyMatch {
  private let watch: PropertyWatch
  private let transition: Transition
  private let before: PropertyWatch.View
  /// The objects that count as changed where they are elements.
  private let touched: Set<Mixed>

  init(_ watch: PropertyWatch, _ transition: Transition) {
    self.watch = watch
    self.transition = transition
    before = watch.view(transition.before)
    var touched: Set<Mixed> = []
    for change in transition.changes {
      guard let elementType = watch.elementType else { break }
      if change.identity.objectType == elementType, change.operation == .update,
        watch.dependencies.counts(change)
      {
        touched.insert(change.identity.id)
      }
      for linkPath in watch.dependencies.linkPaths
      where linkPath.end == change.identity.objectType && change.counts(for: linkPath) {
        touched.formUnion(transition.shownOrigins(of: linkPath, to: change).map(\.id))
      }
    }
    self.touched = touched
  }

  /// The change and the value behind it; nil: nothing has changed.
  var change: (change: PropertyEvent, view: PropertyWatch.View)? {
    let isOnPath = transition.changes.contains { change in
      before.objects.contains { $0.identity == change.identity }
    }
    // Elements are where they were unless something on the path has changed.
    guard isOnPath || !touched.isEmpty else { return nil }
    let after = isOnPath ? watch.view(transition.after) : before
    switch (before.value, after.value) {
    case (nil, nil): return nil
    case (nil, _?): return (.insert, after)
    case (_?, nil): return (.delete, after)
    case (let old?, let new?):
      let elements = isOnPath ? elements(after) : nil
      guard let change = change(from: old, to: new, elements, showing: after) else { return nil }
      return (change, after)
    }
  }

  private func change(
    from old: Mixed, to new: Mixed, _ elements: [ElementChange]?, showing after: PropertyWatch.View
  ) -> PropertyEvent? {
    switch (watch.path.type, old, new) {
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
      return isSet(after) || old != new || touched.contains(new) ? .value : nil
    }
  }

  private func isSet(_ after: PropertyWatch.View) -> Bool {
    guard let (owner, index) = after.property else { return false }
    return transition.changes.contains { $0.identity == owner && $0.changed.contains(index) }
  }

  /// The changes of single elements, where they are told and nothing of the collection may be concealed.
  private func elements(_ after: PropertyWatch.View) -> [ElementChange]? {
    guard let (owner, index) = after.property, owner == transition.identity, let own = transition.own,
      let state = own.after, !transition.mayConceal(index, of: owner)
    else { return nil }
    let name = state.layout.objectType.properties[index].storedName
    return transition.logged.elements.first { $0.property == name }?.elements
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
