public import GatehouseBSON
public import GatehouseModel

extension Dataset {
  /// Returns the drafts of the objects of a class that is not embedded, in the order of their keys.
  public func drafts(of objectType: String) -> [ObjectDraft] {
    guard let type = schema[objectType] else { return [] }
    return (objects[objectType] ?? []).sorted { $0.key < $1.key }.map { draft(of: $0, type) }
  }

  /// Returns the object's identifier as plain JSON has it: the primary key, or `_key`.
  public func identifier(of objectType: String, key: Int64) -> Value {
    guard let index = schema[objectType]?.primaryKeyIndex,
      let object = objects[objectType]?.first(where: { $0.key.value == key })
    else { return .int64(key) }
    return object.values[index].argument(schema, objects)
  }

  private func draft(of object: Object, _ type: ObjectType) -> ObjectDraft {
    let assignments = type.properties.indices.compactMap { index -> ObjectDraft.Assignment? in
      let property = type.properties[index].type
      if case .linkingObjects = property { return nil }
      return ObjectDraft.Assignment(property: index, value: value(object.values[index], property))
    }
    let hasKey = type.primaryKeyIndex == nil && !type.isEmbedded
    return ObjectDraft(key: hasKey ? object.key : nil, assignments: assignments)
  }

  private func value(_ value: Value, _ type: PropertyType) -> DraftValue {
    switch type {
    case .one(let element, _): self.value(value, element)
    case .list(let element, _), .set(let element, _): .list(value.array.map { self.value($0, element) })
    case .map(let element, _):
      .map(
        value.document.elements.map { DraftValue.Entry(key: $0.key, value: self.value($0.value, element)) }
          .sorted { $0.key.compareBytes($1.key) < 0 })
    case .linkingObjects: .value(.null)
    }
  }

  private func value(_ value: Value, _ type: ElementType) -> DraftValue {
    draft(of: value.mixed(type))
  }

  private func draft(of mixed: Mixed) -> DraftValue {
    let link: ObjectLink
    switch mixed {
    case .link(let found): link = found
    case .list(let elements): return .list(elements.map { draft(of: $0) })
    case .dictionary(let entries):
      return .map(entries.map { DraftValue.Entry(key: $0.key, value: draft(of: $0.value)) })
    default: return .value(mixed)
    }
    guard let target = schema[link.objectType] else { return .value(.null) }
    if target.isEmbedded {
      let object = objects[link.objectType]?.first { $0.key == link.key }
      return object.map { .embedded(draft(of: $0, target)) } ?? .value(.null)
    }
    let key = identifier(of: link.objectType, key: link.key.value).mixed(target.identifierType)
    return .link(objectType: link.objectType, primaryKey: key)
  }
}

extension ObjectType {
  fileprivate var identifierType: ElementType {
    if case .one(let type, _)? = primaryKey?.type { type } else { .int }
  }
}
