extension Value {
  /// The value as ``PlainJSONWriter`` writes it.
  public var plainJSON: [UInt8] {
    var writer = PlainJSONWriter()
    writer.value(self)
    return writer.finish()
  }

  /// The value as ``ExtendedJSONWriter`` writes it.
  public var extendedJSON: [UInt8] {
    var writer = ExtendedJSONWriter()
    writer.value(self)
    return writer.finish()
  }
}
