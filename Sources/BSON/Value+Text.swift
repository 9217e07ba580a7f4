extension Value {
  /// The value as ``PlainJSONWriter`` writes it.
  public var plainJSON: [UInt8] {
    var writer = PlainJSONWriter()
    writer.value(self)
    return writer.finish()
  }
}
