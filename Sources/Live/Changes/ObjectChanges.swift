import GatehouseModel
public import GatehouseStorage

/// The change of one object between two states.
public struct ObjectChanges {
  /// A change of a collection: of some elements, one after the other, or of all of them.
  public enum Edit {
    case elements([ElementChange])
    /// All elements went, and others came.
    case replaced(before: Int, after: Int)

    var isReplacement: Bool { if case .replaced = self { true } else { false } }
  }

  /// Whether it was not there before.
  public internal(set) var isNew = false
  /// Whether it is not there any more.
  public internal(set) var isGone = false
  /// The stored names of the properties that were written, collections among them.
  public internal(set) var properties: Set<String> = []
  /// The changes of collections, by stored names, in order.
  public internal(set) var edits: [String: [Edit]] = [:]

  /// Whether a property was written; with the key of an entry, that entry of the map that the property is.
  func hasWritten(_ property: String, _ key: String?) -> Bool {
    guard properties.contains(property) else { return false }
    guard let key, let edits = edits[property] else { return true }
    return edits.contains { edit in
      switch edit {
      case .replaced: true
      case .elements(let changes): changes.contains { $0.place == .key(key) }
      }
    }
  }

  mutating func add(_ change: LoggedChange) {
    switch change.operation {
    case .insert: (isNew, isGone) = (true, false)
    case .delete: isGone = true
    case .schema: break
    case .update:
      let before = change.before?.entries ?? []
      for entry in change.after?.entries ?? [] {
        properties.insert(entry.key)
        guard let after = entry.value.elementCount else { continue }
        let old = before.first { $0.key == entry.key }?.value.elementCount ?? 0
        edits[entry.key, default: []].append(.replaced(before: old, after: after))
      }
      for collection in change.elements {
        properties.insert(collection.property)
        edits[collection.property, default: []].append(.elements(collection.elements))
      }
    }
  }
}

extension Mixed {
  fileprivate var entries: [Entry] { if case .dictionary(let entries) = self { entries } else { [] } }

  /// The number of elements of a collection; nil: it is none.
  fileprivate var elementCount: Int? {
    switch self {
    case .list(let elements): elements.count
    case .dictionary(let entries): entries.count
    default: nil
    }
  }
}
