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
}
