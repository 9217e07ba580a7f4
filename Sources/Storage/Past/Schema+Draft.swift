import GatehouseModel

extension Schema {
  /// Returns the draft of an object that has those values, by stored names, in the form of the change log.
  func draft(of values: [String: Mixed], as type: ObjectType) -> ObjectDraft {
    ObjectDraft(
      assignments: type.properties.indices.compactMap { index in
        let property = type.properties[index]
        guard let (container, element, _) = property.type.stored, let value = values[property.storedName]
        else { return nil }
        return ObjectDraft.Assignment(property: index, value: draft(of: value, in: container, of: element))
      })
  }

  private func draft(
    of value: Mixed, in container: PropertyType.Container, of element: ElementType
  ) -> DraftValue {
    switch (container, value) {
    case (.list, .list(let values)), (.set, .list(let values)):
      .list(values.map { draft(of: $0, as: element) })
    case (.map, .dictionary(let entries)):
      .map(entries.map { DraftValue.Entry(key: $0.key, value: draft(of: $0.value, as: element)) })
    case (.list, _), (.set, _): .list([])
    case (.map, _): .map([])
    case (.one, _): draft(of: value, as: element)
    }
  }

  private func draft(of value: Mixed, as element: ElementType) -> DraftValue {
    if value == .null { return .value(.null) }
    switch element {
    case .mixed: return mixedDraft(of: value)
    case .object(let name):
      guard let type = self[name], type.isEmbedded else { return .link(objectType: name, primaryKey: value) }
      guard case .dictionary(let entries) = value else { return .value(.null) }
      let values = Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
      return .embedded(draft(of: values, as: type))
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid:
      return .value(value)
    }
  }

  /// Links inside mixed values are references in the log.
  private func mixedDraft(of value: Mixed) -> DraftValue {
    switch value {
    case .list(let values): return .list(values.map(mixedDraft))
    case .dictionary(let entries):
      if let (objectType, id) = value.loggedReference { return .link(objectType: objectType, primaryKey: id) }
      return .map(entries.map { DraftValue.Entry(key: $0.key, value: mixedDraft(of: $0.value)) })
    default: return .value(value)
    }
  }
}

extension Mixed {
  /// The object that `{"$id":primary key,"$ref":class}` refers to; no key of a map begins with `$`.
  fileprivate var loggedReference: (objectType: String, id: Mixed)? {
    guard case .dictionary(let entries) = self, entries.count == 2, entries[0].key == "$id",
      entries[1].key == "$ref", case .string(let objectType) = entries[1].value
    else { return nil }
    return (objectType, entries[0].value)
  }
}
