/// The unit in which the parts of a file are counted.
enum RecordUnit: String, Hashable, Sendable {
  case line
  /// A document of BSON.
  case document
}
