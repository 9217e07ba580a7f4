public import GatehouseBSON

extension Schema {
  /// Reads an array of classes in realm-js' notation and validates them.
  public init(notation: Value) throws(SchemaError) {
    guard case .array(let classes) = notation else {
      throw SchemaError([SchemaProblem(objectType: nil, .notAnArray)])
    }
    var problems: [SchemaProblem] = []
    var objectTypes: [ObjectType] = []
    for (position, notation) in classes.enumerated() {
      let objectType = ObjectType(notation: notation, position: position, problems: &problems)
      if let objectType { objectTypes.append(objectType) }
    }
    // Half-read classes would only be accused of what follows from that.
    guard problems.isEmpty else { throw SchemaError(problems) }
    try self.init(validating: objectTypes)
  }

  /// The classes in realm-js' notation; reading them gives an equal schema.
  public var notation: Value {
    .array(objectTypes.map(\.notation))
  }
}
