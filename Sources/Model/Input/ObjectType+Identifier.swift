public import GatehouseBSON

extension ObjectType {
  /// Reads an object's identifier from a URL's segment (percent-decoded): the primary key, or `_key` as an int.
  ///
  /// An integer has one spelling only, so that an object has one URL.
  public func identifier(fromText text: String) throws(ValidationError) -> Mixed {
    let type = primaryKeyIndex.flatMap { properties[$0].type.stored?.element } ?? .int
    let identifier: Mixed? =
      switch type {
      case .string: .string(text)
      case .objectID: ObjectID(text).map { .objectID($0) }
      case .uuid: UUID(text).map { .uuid($0) }
      case .mixed: Mixed(documentIdentifier: text)
      default: integer(text).map { .int($0) }
      }
    if let identifier { return identifier }
    throw ValidationError([ValidationProblem(pointer: "", .malformed(type))])
  }

  /// Reads an object's identifier from content: the primary key, or `_key` as an int.
  public func identifier(from value: Value, in schema: Schema) throws(ValidationError) -> Mixed {
    var reader = InputReader(schema: schema)
    let identifier = reader.primaryKey(value, of: self)
    try reader.throwProblems()
    guard let identifier else { throw ValidationError([ValidationProblem(pointer: "", .null)]) }
    return identifier
  }

  /// Returns what ``identifier(fromText:)`` reads as that identifier, not percent-encoded; nil for null, which no URL names.
  public func text(ofIdentifier identifier: Mixed) -> String? {
    if identifier == .null { return nil }
    return primaryKey?.type.stored?.element == .mixed
      ? identifier.documentIdentifierText : identifier.plainText
  }

  private func integer(_ text: String) -> Int64? {
    guard let int = Int64(text), String(int) == text, int >= 0 || !hasObjectKey else { return nil }
    return int
  }
}
