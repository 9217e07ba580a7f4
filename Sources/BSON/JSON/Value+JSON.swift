extension Value {
  /// The value of a JSON text.
  ///
  /// For many texts keep a ``JSONReader``.
  public init(
    json text: UnsafeBufferPointer<UInt8>, as dialect: JSONDialect = .extended, limits: Limits = Limits()
  ) throws(JSONError) {
    var reader = JSONReader(as: dialect, limits: limits)
    self = try reader.read(text)
  }

  /// The value of a JSON text.
  public init(
    json text: Span<UInt8>, as dialect: JSONDialect = .extended, limits: Limits = Limits()
  ) throws(JSONError) {
    self = try text.withUnsafeBufferPointer { (text) throws(JSONError) in
      try Value(json: text, as: dialect, limits: limits)
    }
  }

  /// The value of a JSON text.
  public init(
    json text: [UInt8], as dialect: JSONDialect = .extended, limits: Limits = Limits()
  ) throws(JSONError) {
    try self.init(json: text.span, as: dialect, limits: limits)
  }

  /// The value of a JSON text.
  public init(
    json text: ArraySlice<UInt8>, as dialect: JSONDialect = .extended, limits: Limits = Limits()
  ) throws(JSONError) {
    try self.init(json: text.span, as: dialect, limits: limits)
  }

  /// The value of a JSON text.
  public init(
    json text: String, as dialect: JSONDialect = .extended, limits: Limits = Limits()
  ) throws(JSONError) {
    try self.init(json: Array(text.utf8), as: dialect, limits: limits)
  }
}
