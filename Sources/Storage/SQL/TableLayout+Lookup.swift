import GatehouseModel
import GatehouseQuery

/// Values that an index finds.
extension TableLayout {
  /// Whether an index leads from a property's value, or from a value of its collection, to objects.
  func isIndexed(_ property: Int) -> Bool {
    let layout = properties[property]
    if layout.property.index == .general || layout.property.isUnique { return true }
    // The index of documents' identifiers has their places in the order of mixed values.
    if objectType.primaryKeyIndex == property { return layout.element != .mixed }
    if case .object? = layout.element { return true }
    return objectType.indexes.contains {
      $0.keys[0].property == property && !$0.keys[0].isFolded && $0.path.isEmpty
    }
      || objectType.constraints.uniqueKeys.contains { $0[0] == property }
  }

  /// Whether an index has the objects in the order of the property's values.
  func isOrdered(by property: Int) -> Bool {
    isIndexed(property) || objectType.primaryKeyIndex == property
  }

  /// Whether an index has the property's texts with their case folded.
  func isIndexedFolded(_ property: Int) -> Bool {
    objectType.indexes.contains { $0.keys.contains { $0.property == property && $0.isFolded } }
  }

  /// Whether one index has both properties as keys, so that SQLite can use it for both.
  func isIndexed(_ first: Int, with second: Int) -> Bool {
    objectType.indexes.contains { index in
      index.keys.contains { $0.property == first } && index.keys.contains { $0.property == second }
    }
      || objectType.constraints.uniqueKeys.contains { $0.contains(first) && $0.contains(second) }
  }

  /// Whether one index finds what equals constants in `equal`, in the order of the sort keys.
  func isIndexed(equal: Set<Int>, then sort: [(property: Int, ascending: Bool)]) -> Bool {
    objectType.indexes.contains { index in
      let count = index.keys.prefix { equal.contains($0.property) && !$0.isFolded }.count
      let rest = index.keys.dropFirst(count)
      guard rest.count >= sort.count, !sort.isEmpty else { return false }
      let directions = zip(rest, sort).map { key, term in
        key.property == term.property && !key.isFolded ? key.isAscending == term.ascending : nil
      }
      return !directions.contains(nil) && Set(directions).count == 1
    }
  }
}

extension Catalog {
  /// Whether an index leads from a value to the objects that the path yields it for.
  func isIndexed(_ path: KeyPath) -> Bool {
    guard let table = try? table(path.targetType) else { return false }
    switch path.end {
    case .object, .key: return true
    case .value(let property), .elements(let property), .entry(let property, _, []):
      return table.isIndexed(property)
    case .nested, .nestedElements, .element, .entry, .keys, .function: return false
    }
  }

  /// Whether an index has the texts that the path yields with their case folded.
  func isIndexedFolded(_ path: KeyPath) -> Bool {
    guard case .value(let property) = path.end, let table = try? table(path.targetType) else { return false }
    return table.isIndexedFolded(property)
  }

  /// Whether no two objects at the end of the path have the same value.
  func isUnique(_ path: KeyPath) -> Bool {
    switch path.end {
    case .key: true
    case .value(let property): schema[path.targetType]?.primaryKeyIndex == property
    case .object, .nested, .elements, .nestedElements, .element, .entry, .keys, .function: false
    }
  }
}
