extension Feature {
  /// Whatever a path leads to inside an object.
  static let properties = Feature(endpoints: [
    .readProperty, .putProperty, .patchProperty, .extendProperty, .deleteProperty,
  ])
}
