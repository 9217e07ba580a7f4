extension QueryNode {
  /// A value as it is stored.
  static func value(_ value: Any?) -> QueryNode { .constant(bridged(value)) }

  /// The values of a sequence as they are stored.
  static func values(_ values: some Sequence) -> QueryNode {
    .constant(values.map { bridged($0) ?? QueryNull() })
  }

  /// Whether a value is not less than one bound and less than the other.
  static func range(_ node: QueryNode, from lower: Any?, below upper: Any?) -> QueryNode {
    .comparison(
      .and, .comparison(.greaterThanEqual, node, .value(lower)), .comparison(.lessThan, node, .value(upper)))
  }

  /// Whether the least and greatest of many values lie in the range.
  static func allInRange(
    _ node: QueryNode, from lower: Any?, to upper: Any?, isClosed: Bool
  ) -> QueryNode {
    .comparison(
      .and,
      .comparison(.greaterThanEqual, node.erasingAny(appending: "@min"), .value(lower)),
      .comparison(isClosed ? .lessThanEqual : .lessThan, node.erasingAny(appending: "@max"), .value(upper)))
  }

  /// The value as it is stored: the raw value of an enum, the persisted value of a type of one's own; nil of nil.
  static func bridged(_ value: Any?) -> Any? {
    guard let value, let content = DynamicValue.unwrapped(value) else { return nil }
    return (content as? any _ObjcBridgeable)?._rlmAny ?? content
  }
}
