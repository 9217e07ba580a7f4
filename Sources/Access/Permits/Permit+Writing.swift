public import GatehouseModel

// Which properties a write may touch. Which objects it may is for the store to find out, when it does.
extension Permit {
  /// Checks an object that is to be created. Throws ``AccessError``. A property that the caller may not write may
  /// have its default.
  public func requireCreatable(_ draft: ObjectDraft, of objectType: String) throws(AccessError) {
    try requireCreatable(objectType)
    try requireWritableFields(draft.assignments.flatMap { keys(of: $0, objectType) }, of: objectType)
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
    try requireWritableFields(draft.assignments.flatMap { keys(of: $0, objectType) }, of: objectType)
    let given = draft.assignments.map(\.property).filter { !draft.generated.contains($0) }
    try requireWritable(properties: given, of: objectType)
  }

  /// Checks an object that takes the place of another. Throws ``AccessError``. What the caller reads and does not write, the
  /// store holds against what is there.
  public func requireReplaceable(by draft: ObjectDraft, of objectType: String) throws(AccessError) {
    try requireWritable(objectType)
    let hidden = self[objectType].hiddenFields
    let given = draft.assignments.flatMap { keys(of: $0, objectType) }
    if let field = given.first(where: hidden.contains) {
      throw .writingProperty(objectType: objectType, name: field.text)
    }
  }

  /// Throws ``AccessError`` if the patch writes something that the caller may not.
  public func requireChangeable(by patch: ObjectPatch, of objectType: String) throws(AccessError) {
    try requireWritable(properties: patch.changes.map(\.property), of: objectType)
    guard let fields = schema[objectType]?.fieldsIndex else { return }
    for change in patch.changes where change.property == fields {
      switch change.value {
      case .assign(let value): try requireWritableFields(value.keys, of: objectType)
      case .merge(let entries): try requireWritableFields(entries.map { ExactText($0.key) }, of: objectType)
      case .patch: break
      }
    }
  }

  /// Throws ``AccessError`` if the edit writes, or asks about, something that the caller may not.
  public func requireChangeable(by edit: ObjectEdit, of objectType: String) throws(AccessError) {
    // A mixed value may hold anything, which is not known before.
    try requireWritable(properties: edit.properties, of: objectType)
    guard let fields = schema[objectType]?.fieldsIndex else { return }
    try requireWritableFields(Array(edit.fields(in: fields)), of: objectType)
  }

  /// Throws ``AccessError`` if the value at the path may not be written.
  public func requireWritable(valueAt path: ResourcePath, of objectType: String) throws(AccessError) {
    try requireWritable(path.ownerType)
    // Inside an embedded object it is a property of the object that holds it which changes.
    guard case .property(let property)? = path.steps.dropFirst(path.ownerDepth).first else { return }
    try requireWritable(properties: [property], of: path.ownerType)
    guard property == schema[path.ownerType]?.fieldsIndex,
      case .key(let key)? = path.steps.dropFirst(path.ownerDepth + 1).first
    else { return }
    // The key of a field that is hidden begins with a point.
    let name = key.text.first == "." ? ExactText(String(key.text.dropFirst())) : key
    try requireWritableFields([name], of: path.ownerType)
  }

  private func requireWritable(properties: [Int], of objectType: String) throws(AccessError) {
    try requireWritable(objectType)
    let fixed = self[objectType].fixed
    guard !fixed.isEmpty else { return }
    if let property = properties.first(where: fixed.contains) { throw writingError(objectType, property) }
  }

  private func keys(of assignment: ObjectDraft.Assignment, _ objectType: String) -> [ExactText] {
    assignment.property == schema[objectType]?.fieldsIndex ? assignment.value.keys : []
  }

  private func requireWritableFields(_ fields: [ExactText], of objectType: String) throws(AccessError) {
    let fixed = self[objectType].fixedFields
    guard !fixed.isEmpty, let field = fields.first(where: fixed.contains) else { return }
    throw .writingProperty(objectType: objectType, name: field.text)
  }

  private func writingError(_ objectType: String, _ property: Int) -> AccessError {
    .writingProperty(
      objectType: objectType, name: schema[objectType]?.properties[property].name ?? "")
  }
}

extension DraftValue {
  /// The keys of a map.
  fileprivate var keys: [ExactText] {
    if case .map(let entries) = self { entries.map { ExactText($0.key) } } else { [] }
  }
}
