import GatehouseBSON

extension MediaType {
  /// The bytes of a value that does not come from the store.
  func bytes(of value: Value) -> [UInt8] {
    switch self {
    case .json, .eventStream, .csv: value.plainJSON
    case .extendedJSON: value.extendedJSON
    case .bson: sequence(of: value).flatMap(MediaType.bson)
    case .jsonLines: sequence(of: value).flatMap { $0.plainJSON + [UInt8(ascii: "\n")] }
    }
  }

  /// Returns the values that stand one after the other in a representation without arrays.
  private func sequence(of value: Value) -> [Value] {
    if case .array(let values) = value { values } else { [value] }
  }

  private static func bson(_ value: Value) -> [UInt8] {
    guard case .document(let document) = value else {
      preconditionFailure("only documents stand alone in BSON")
    }
    var writer = BSONWriter()
    // A pipeline gives fields whatever names its client wants.
    writer.replacesZeroBytes = true
    writer.document(document)
    do { return try writer.finish() } catch {
      preconditionFailure("an answer has no more bytes than BSON can count")
    }
  }
}
