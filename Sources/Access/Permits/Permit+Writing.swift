public import GatehouseModel

// Which properties a write may touch. Which objects it may is for the store to find out, when it does.
extension Permit {
  /// Checks an object that is to be created. Throws ``AccessError``. A property that the caller may not write may
  /// have its default.
  public func requireCreatable(_ draft: ObjectDraft, of objectType: String) throws(AccessError) {
    try requireWritable(objectType)
    let fixed = self[objectType].fixed
    guard !fixed.isEmpty, let type = schema[objectType] else { return }
    for assignment in draft.assignments where fixed.contains(assignment.property) {
      let property = type.properties[assignment.property]
      let standard = try? property.defaultValue.map { value throws(ValidationError) in
        try property.type.draft(from: value, in: schema)
      }
      if assignment.value != standard { throw writingError(objectType, assignment.property) }
    }
  }

  /// Checks an object that is to be created or, if it exists, changed. Throws ``AccessError``.
  public func requireCreatableOrChangeable(
    _ draft: ObjectDraft, of objectType: String
  ) throws(AccessError) {
    try requireWritable(properties: draft.assignments.map(\.property), of: objectType)
  }

  /// Checks an object that is to be replaced. Throws ``AccessError`` if properties that the caller may not write
  /// would be replaced.
  public func requireReplaceable(by draft: ObjectDraft, of objectType: String) throws(AccessError) {
    try requireWritable(objectType)
    if let property = self[objectType].fixed.min() { throw writingError(objectType, property) }
  }

  /// Throws ``AccessError`` if the patch writes something that the caller may not.
  public func requireChangeable(by patch: ObjectPatch, of objectType: String) throws(AccessError) {
    try requireWritable(properties: patch.changes.map(\.property), of: objectType)
  }

  /// Throws ``AccessError`` if the edit writes, or asks about, something that the caller may not.
  public func requireChangeable(by edit: ObjectEdit, of objectType: String) throws(AccessError) {
    // A mixed value may hold anything, which is not known before.
    try requireWritable(properties: edit.properties, of: objectType)
  }

  /// Throws ``AccessError`` if the value at the path may not be written.
  public func requireWritable(valueAt path: ResourcePath, of objectType: String) throws(AccessError) {
    let last = try lastProperty(on: path, from: objectType)
    try requireWritable(path.ownerType)
    guard let last else { return }
    try requireWritable(properties: [last.property], of: last.objectType)
    // Inside an embedded object it is a property of the object that holds it which changes.
    if let owned = ownedProperty(of: path, from: objectType) {
      try requireWritable(properties: [owned], of: path.ownerType)
    }
  }

  private func ownedProperty(of path: ResourcePath, from objectType: String) -> Int? {
    guard path.steps.indices.contains(path.ownerDepth) else { return nil }
    if case .property(let property) = path.steps[path.ownerDepth] { return property }
    return nil
  }

  private func requireWritable(properties: [Int], of objectType: String) throws(AccessError) {
    try requireWritable(objectType)
    let fixed = self[objectType].fixed
    guard !fixed.isEmpty else { return }
    if let property = properties.first(where: fixed.contains) { throw writingError(objectType, property) }
  }

  private func writingError(_ objectType: String, _ property: Int) -> AccessError {
    .writingProperty(
      objectType: objectType, name: schema[objectType]?.properties[property].name ?? "")
  }
}
