extension Feature {
  /// The schema, and its classes one by one.
  static let schema = Feature(endpoints: [.readSchema, .applySchema, .readObjectType, .applyObjectType])
}
