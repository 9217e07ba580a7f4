import GatehouseModel

extension ClassLayout {
  /// Returns the names of properties that changed: of a document those of its fields that have another value, are new or are
  /// gone. Where it is not known what the document was, all that it has.
  func names(of changed: [Int], from before: ObjectState?, to after: ObjectState?) -> [String] {
    changed.flatMap { property in
      guard property == objectType.fieldsIndex else { return [objectType.properties[property].name] }
      let (old, new) = (before?.values[property], after?.values[property])
      let entries = (old?.differences(from: new) ?? []) + (new?.differences(from: old) ?? [])
      return Set(entries.map { ExactText($0.key) }).map(\.text).sorted { $0.compareBytes($1) < 0 }
    }
  }
}

extension Mixed {
  /// Returns the entries of a dictionary that another one does not have.
  func differences(from other: Mixed?) -> [Entry] {
    guard case .dictionary(let entries) = self else { return [] }
    guard case .dictionary(let others)? = other else { return entries }
    // Both are in bytewise order of their keys.
    var rest = others[...]
    return entries.filter { entry in
      while let next = rest.first, next.key.compareBytes(entry.key) < 0 { rest.removeFirst() }
      return rest.first != entry
    }
  }
}
