import GatehouseModel
import GatehouseStorage

/// What a property was like at the walk's point, in terms of what it is now.
struct HistoricalValue {
  /// A value that it had later; nil: the one that the file has.
  private var base: Mixed?
  /// Changes of elements between the walk's point and that.
  private var elements: ArraySlice<ElementChange>

  /// Before a change of all of it, or, with a value known otherwise, at the walk's point.
  init(_ value: Mixed) {
    base = value
    elements = []
  }

  /// Before a change of elements.
  init(before change: CollectionChange) {
    elements = change.elements[...]
  }

  /// Whether many changes lie between the walk's point and what is known.
  var isLong: Bool { elements.count > 16 }

  /// Whether it is as in the file.
  var isCurrent: Bool { base == nil && elements.isEmpty }

  /// Whether what the file has makes no difference.
  var isFixed: Bool { base != nil }

  /// What it was.
  func value(now: Mixed) -> Mixed {
    var value = base ?? now
    for element in elements.reversed() { value.undo(element) }
    return value
  }

  /// A later change lies ahead, of all of it.
  mutating func add(before value: Mixed) {
    if base == nil { base = value }
  }

  /// A later change lies ahead, of elements.
  mutating func add(_ change: CollectionChange) {
    if base == nil { elements += change.elements }
  }

  /// The walk passes the first change that lies ahead, which is of elements.
  mutating func pass(_ change: CollectionChange) {
    guard elements.isEmpty else {
      elements = elements.dropFirst(change.elements.count)
      return
    }
    for element in change.elements { base?.redo(element) }
  }
}

extension Mixed {
  /// What a collection is after a change of an element.
  mutating func redo(_ change: ElementChange) {
    apply(change.place, change.before, change.after)
  }

  /// What a collection was before a change of an element.
  mutating func undo(_ change: ElementChange) {
    if case .move(let from, let to) = change.place {
      apply(.move(from: to, to: from), nil, nil)
    } else {
      apply(change.place, change.after, change.before)
    }
  }

  private mutating func apply(_ place: ElementChange.Place, _ old: Mixed?, _ new: Mixed?) {
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
