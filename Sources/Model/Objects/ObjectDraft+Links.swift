extension ObjectDraft {
  /// Returns a JSON Pointer (RFC 6901) to the first link to that object; nil where there is none.
  public func pointer(
    toLink target: String, _ primaryKey: Mixed, of objectType: ObjectType, in schema: Schema
  ) -> String? {
    LinkSearch(target: target, primaryKey: primaryKey, schema: schema).draftPointer(in: self, of: objectType)
  }
}

extension ObjectPatch {
  /// Returns a JSON Pointer (RFC 6901) to the first link to that object; nil where there is none.
  public func pointer(
    toLink target: String, _ primaryKey: Mixed, of objectType: ObjectType, in schema: Schema
  ) -> String? {
    LinkSearch(target: target, primaryKey: primaryKey, schema: schema).patchPointer(in: self, of: objectType)
  }
}

/// Looks through the values that a client gave for links to one object.
private struct LinkSearch {
  let target: String
  let primaryKey: Mixed
  let schema: Schema

  func draftPointer(in draft: ObjectDraft, of objectType: ObjectType?) -> String? {
    guard let objectType else { return nil }
    return first(in: draft.assignments) { assignment in
      let property = objectType.properties[assignment.property]
      return (property.name, valuePointer(in: assignment.value, of: property.type))
    }
  }

  func patchPointer(in patch: ObjectPatch, of objectType: ObjectType?) -> String? {
    guard let objectType else { return nil }
    return first(in: patch.changes) { change in
      let property = objectType.properties[change.property]
      return (property.name, changePointer(in: change.value, of: property.type))
    }
  }

  private func changePointer(in change: PatchValue, of type: PropertyType) -> String? {
    switch change {
    case .assign(let value): valuePointer(in: value, of: type)
    case .merge(let entries):
      first(in: entries) { entry in (entry.key, entry.value.flatMap { valuePointer(in: $0, of: type) }) }
    case .patch(let patch): patchPointer(in: patch, of: type.linkTarget.flatMap { schema[$0] })
    }
  }

  private func valuePointer(in value: DraftValue, of type: PropertyType) -> String? {
    switch value {
    case .value: nil
    case .link(let objectType, let key): objectType == target && key == primaryKey ? "" : nil
    case .embedded(let draft): draftPointer(in: draft, of: type.linkTarget.flatMap { schema[$0] })
    case .list(let values):
      first(in: values.indices) { (String($0), valuePointer(in: values[$0], of: type)) }
    case .map(let entries): first(in: entries) { ($0.key, valuePointer(in: $0.value, of: type)) }
    }
  }

  /// Returns the pointer to the first part that has one, behind the name of the part.
  private func first<Parts: Sequence>(
    in parts: Parts, _ find: (Parts.Element) -> (name: String, pointer: String?)
  ) -> String? {
    for part in parts {
      let (name, pointer) = find(part)
      guard let pointer else { continue }
      return "/" + name.replacing("~", with: "~0").replacing("/", with: "~1") + pointer
    }
    return nil
  }
}
