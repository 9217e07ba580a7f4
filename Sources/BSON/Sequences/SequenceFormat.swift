/// The ways in which many objects stand one after the other, in a file or in the content of a message.
public enum SequenceFormat: String, Hashable, Sendable, CaseIterable {
  /// RFC 4180, the first record being the names of the columns.
  case csv
  /// An array, or values with white space between.
  case json
  /// A value a line.
  case ndjson
  /// Documents, as in mongodump's files.
  case bson
}
