extension Mixed {
  /// The dictionary of a document's properties, by their names in the store, with the fields beside `_id`.
  public var withMembers: Mixed {
    guard case .dictionary(let entries) = self else { return self }
    return .dictionary(
      entries.flatMap { entry in
        if entry.key == ObjectType.fieldsName, case .dictionary(let fields) = entry.value { return fields }
        return [entry]
      })
  }

  /// The value that a dictionary has under a key; nil: there is none, or this is no dictionary.
  public func entry(_ key: String) -> Mixed? {
    if case .dictionary(let entries) = self { entries.first { $0.key == key }?.value } else { nil }
  }
}
