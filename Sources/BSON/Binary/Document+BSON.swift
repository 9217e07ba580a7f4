extension Document {
  /// The document that some BSON bytes are.
  ///
  /// For many documents keep a ``BSONReader``.
  public init(bson bytes: UnsafeBufferPointer<UInt8>, limits: Limits = Limits()) throws(BSONError) {
    var reader = BSONReader(limits: limits)
    self = try reader.read(bytes)
  }

  /// The document that some BSON bytes are.
  public init(bson bytes: Span<UInt8>, limits: Limits = Limits()) throws(BSONError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(BSONError) in
      try Document(bson: bytes, limits: limits)
    }
  }

  /// The document that some BSON bytes are.
  public init(bson bytes: [UInt8], limits: Limits = Limits()) throws(BSONError) {
    try self.init(bson: bytes.span, limits: limits)
  }

  /// The document that some BSON bytes are.
  public init(bson bytes: ArraySlice<UInt8>, limits: Limits = Limits()) throws(BSONError) {
    try self.init(bson: bytes.span, limits: limits)
  }

  /// The document as BSON bytes; throws if a name has a zero byte in it.
  public func bson() throws(BSONError) -> [UInt8] {
    var writer = BSONWriter()
    writer.document(self)
    return try writer.finish()
  }
}
