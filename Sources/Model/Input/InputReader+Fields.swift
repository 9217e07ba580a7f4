import GatehouseBSON

// Documents: what is no property is a field.
extension InputReader {
  /// The values of an object of a schemaless class, whose fields the property at that position holds.
  mutating func draft(
    _ document: Document, of objectType: ObjectType, _ fields: Int, depth: Int
  ) -> ObjectDraft {
    takesAllTypes = true
    defer { takesAllTypes = false }
    var draft = ObjectDraft(assignments: [])
    let (properties, rest) = parts(of: document, objectType)
    for element in properties {
      guard let index = objectType.index(of: element.key) else { continue }
      let mark = problems.count
      if draft.assignments.contains(where: { $0.property == index }) { report(.repeatedProperty) }
      let value = documentIdentifier(element.value).map { DraftValue.value($0) }
      draft.assign(value ?? .value(.null), to: index)
      locate(from: mark, element.key)
    }
    if !rest.elements.isEmpty,
      let map = value(.document(rest), as: objectType.properties[fields].type, depth: depth)
    {
      draft.assign(map, to: fields)
    }
    return draft
  }

  /// The changes that a merge patch makes to an object of a schemaless class.
  mutating func patch(
    _ document: Document, of objectType: ObjectType, _ fields: Int, depth: Int
  ) -> ObjectPatch {
    takesAllTypes = true
    defer { takesAllTypes = false }
    var patch = ObjectPatch(changes: [])
    let (properties, rest) = parts(of: document, objectType)
    for element in properties {
      guard let index = objectType.index(of: element.key) else { continue }
      let mark = problems.count
      if patch.changes.contains(where: { $0.property == index }) { report(.repeatedProperty) }
      if let value = documentIdentifier(element.value) {
        patch.changes.append(ObjectPatch.Change(property: index, value: .assign(.value(value))))
      }
      locate(from: mark, element.key)
    }
    if !rest.elements.isEmpty, let merge = merge(fields: rest, depth: depth) {
      patch.changes.append(ObjectPatch.Change(property: fields, value: merge))
    }
    patch.changes.sort { $0.property < $1.property }
    return patch
  }

  private func parts(
    of document: Document, _ objectType: ObjectType
  ) -> (properties: [Document.Element], fields: Document) {
    let isProperty = document.elements.map { objectType.index(of: $0.key) != nil }
    let pairs = zip(document.elements, isProperty)
    return (pairs.filter { $1 }.map { $0.0 }, Document(pairs.filter { !$1 }.map { $0.0 }))
  }

  /// Reads the identifier of a document: any value but a list and a link, nor is there a link in it.
  mutating func documentIdentifier(_ value: Value) -> Mixed? {
    if value == .null { return .nullIdentifier }
    let takesAllTypes = takesAllTypes
    self.takesAllTypes = true
    defer { self.takesAllTypes = takesAllTypes }
    guard let draft = mixed(value, depth: 1) else { return nil }
    if case .list = draft {
      // MongoDB's rule: an array would be many keys.
    } else if let identifier = draft.identifier {
      return identifier
    }
    report(.illegalIdentifier)
    return nil
  }
}

extension DraftValue {
  /// The value where it may identify a document, or be a part of what does.
  fileprivate var identifier: Mixed? {
    switch self {
    case .value(let value): return value
    case .map(let entries):
      var members: [Mixed.Entry] = []
      for entry in entries {
        guard let value = entry.value.identifier else { return nil }
        members.append(Mixed.Entry(key: entry.key, value: value))
      }
      return .dictionary(members)
    case .list(let values):
      var elements: [Mixed] = []
      for value in values {
        guard let element = value.identifier else { return nil }
        elements.append(element)
      }
      return .list(elements)
    case .link, .embedded: return nil
    }
  }
}
