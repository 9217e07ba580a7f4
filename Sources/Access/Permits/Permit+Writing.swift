public import GatehouseModel

// Which properties a write may touch. Which objects it may is for the store to find out, when it does.
extension Permit {
  /// Checks an object that is to be created. Throws ``AccessError``. A property that the caller may not write may
  /// have its default.
  public func requireCreatable(_ draft: ObjectDraft, of objectType: String) throws(AccessError) {
    try requireCreatable(objectType)
    let fixed = self[objectType].fixed
    guard !fixed.isEmpty, let type = schema[objectType] else { return }
    if type.hidden.contains(where: { type.properties[$0].isRequiredWithoutDefault }) {
      throw .creating(objectType: objectType)
    }
    for assignment in draft.assignments
    where fixed.contains(assignment.property) && !draft.generated.contains(assignment.property) {
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
    let given = draft.assignments.map(\.property).filter { !draft.generated.contains($0) }
    try requireWritable(properties: given, of: objectType)
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
    try requireWritable(path.ownerType)
    // Inside an embedded object it is a property of the object that holds it which changes.
    guard case .property(let property)? = path.steps.dropFirst(path.ownerDepth).first else { return }
    try requireWritable(properties: [property], of: path.ownerType)
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
