import GatehouseModel
import GatehouseStorage

/// The value of a property at the iterator's position, as the difference from its value in the file.
struct HistoricalValue {
  /// A value that it had later; nil: the one that the file has.
  private var base: Mixed?
  /// Changes of elements between the iterator's position and that.
  private var elements: ArraySlice<ElementChange>
  /// Whether a single element of a set has come to `base`.
  private var hasNewMember = false

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

  /// Whether single elements of a set are put back or taken away: what else is in it is in order, and they may not be.
  var isUnordered: Bool { hasNewMember || elements.contains { $0.place == .member } }

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
      precondition(elements.count >= change.elements.count, "changes are passed as they were looked at")
      elements = elements.dropFirst(change.elements.count)
      return
    }
    for element in change.elements {
      base?.redo(element)
      if element.place == .member { hasNewMember = true }
    }
  }
}
