import GatehouseBSON

extension InputReader {
  /// The changes that a merge patch (RFC 7396) makes, in the order of the class.
  mutating func patch(_ document: Document, of objectType: ObjectType, depth: Int) -> ObjectPatch {
    if let fields = objectType.fieldsIndex {
      return self.patch(document, of: objectType, fields, depth: depth)
    }
    var patch = ObjectPatch(changes: [])
    patch.changes.reserveCapacity(document.elements.count)
    var next = 0
    for element in document.elements {
      let mark = problems.count
      if let index = objectType.index(of: element.key, expected: next) {
        next = index + 1
        let value = change(element.value, of: objectType.properties[index].type, depth: depth)
        if patch.changes.contains(where: { $0.property == index }) { report(.repeatedProperty) }
        if let value { patch.changes.append(ObjectPatch.Change(property: index, value: value)) }
      } else {
        let isKey = element.key == ObjectType.keyName && objectType.hasObjectKey
        report(isKey ? .readOnly : .unknownProperty)
      }
      locate(from: mark, element.key)
    }
    patch.changes.sort { $0.property < $1.property }
    return patch
  }

  /// Maps and embedded objects are merged, as RFC 7396 does with documents; null, which removes there,
  /// leaves a collection empty here. Anything else is assigned.
  private mutating func change(_ value: Value, of type: PropertyType, depth: Int) -> PatchValue? {
    switch (type, value) {
    case (.list, .null), (.set, .null): return .assign(.list([]))
    case (.map, .null): return .assign(.map([]))
    case (.map(let element, let optional), .document(let document)):
      return merge(document, of: element, optional: optional, depth: depth)
    case (.one(.object(let name), _), .document(let document)):
      guard let target = schema[name], target.isEmbedded, let depth = deeper(depth) else { break }
      return .patch(patch(document, of: target, depth: depth))
    default: break
    }
    return self.value(value, as: type, depth: depth).map { .assign($0) }
  }

  private mutating func merge(
    _ document: Document, of element: ElementType, optional: Bool, depth: Int
  ) -> PatchValue? {
    .merge(
      entries(of: document) { (reader, value) in
        reader.element(value, as: element, optional: optional, depth: depth).map { ($0, nil) }
      })
  }

  /// The changes of a document's fields, and of documents inside of them.
  mutating func merge(fields document: Document, depth: Int) -> PatchValue? {
    .merge(nestedEntries(of: document, depth: depth))
  }

  private mutating func nestedEntries(of document: Document, depth: Int) -> [PatchValue.Entry] {
    entries(of: document) { (reader, value) in
      guard case .document(let inner) = value, !inner.isReference else {
        return reader.mixed(value, depth: depth).map { ($0, nil) }
      }
      guard let depth = reader.deeper(depth) else { return nil }
      let merged = reader.nestedEntries(of: inner, depth: depth)
      // Where there is no document yet, what would be removed is not there.
      let value = DraftValue.map(
        merged.compactMap { entry in entry.value.map { DraftValue.Entry(key: entry.key, value: $0) } })
      return (value, merged)
    }
  }

  /// The entries that the members of a document change; null removes one.
  private mutating func entries(
    of document: Document,
    _ read: (inout InputReader, Value) -> (value: DraftValue, merged: [PatchValue.Entry]?)?
  ) -> [PatchValue.Entry] {
    var entries: [PatchValue.Entry] = []
    entries.reserveCapacity(document.elements.count)
    for member in document.elements {
      let mark = problems.count
      checkKey(member.key)
      if case .null = member.value {
        entries.append(PatchValue.Entry(key: member.key, value: nil))
      } else if let (value, merged) = read(&self, member.value) {
        entries.append(PatchValue.Entry(key: member.key, value: value, merged: merged))
      }
      locate(from: mark, member.key)
    }
    order(&entries, key: \.key)
    return entries
  }
}
