import GatehouseModel
import GatehouseStorage

/// The value of a property at the iterator's position, as the difference from its value in the file.
struct HistoricalValue {
  /// A value that it had later; nil: the one that the file has.
  private var base: Mixed?
  /// Changes of elements between the iterator's position and that.
  private var elements: ArraySlice<ElementChange>

  /// Before a change of all of it, or, with a value known otherwise, at the iterator's position.
  init(_ value: Mixed) {
    base = value
    elements = []
  }

  /// Before a change of elements.
  init(before change: CollectionChange) {
    elements = change.elements[...]
  }

  /// Whether many changes lie between the iterator's position and what is known.
  var isLong: Bool { elements.count > 16 }

  /// Whether it is as in the file.
  var isCurrent: Bool { base == nil && elements.isEmpty }

  /// Whether what the file has makes no difference.
  var isFixed: Bool { base != nil }

  /// Returns the value at the iterator's position, from the one that the file has.
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

  /// The iterator passes the first change that lies ahead, which is of elements.
  mutating func pass(_ change: CollectionChange) {
    guard elements.isEmpty else {
      elements = elements.dropFirst(change.elements.count)
      return
    }
    for element in change.elements { base?.redo(element) }
  }
}

extension Mixed {
  /// Applies a change of an element to a collection.
  mutating func redo(_ change: ElementChange) {
    apply(change.place, from: change.before, to: change.after)
  }

  /// Reverts a change of an element of a collection.
  mutating func undo(_ change: ElementChange) {
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
