public import GatehouseBSON

extension PropertyType {
  /// Reads a value of the type from plain JSON, Extended JSON or BSON.
  ///
  /// - Parameter objectType: the class that it is written into: in documents mixed values may have any type.
  public func draft(
    from value: Value, in schema: Schema, of objectType: String? = nil
  ) throws(ValidationError) -> DraftValue {
    var reader = InputReader(schema: schema)
    reader.takesAllTypes = objectType.flatMap { schema[$0] }?.isSchemaless == true
    let draft = reader.value(value, as: self, depth: 1)
    try reader.throwProblems()
    return draft ?? .value(.null)
  }

  /// The type of an element of a list, set or map, or of what a mixed value holds; nil: it has none.
  public var elementType: PropertyType? {
    switch self {
    case .list(let element, let optional), .set(let element, let optional), .map(let element, let optional):
      .one(element, optional: optional)
    case .one(.mixed, _): .one(.mixed, optional: true)
    case .one, .linkingObjects: nil
    }
  }
}
