public import GatehouseBSON

/// The reason why a record is no object.
public enum RecordError: Error, Hashable, Sendable {
  /// An offset is in the record.
  case json(JSONError)
  case bson(BSONError)
  case csv(CSVError)
  /// Lines of JSON are expected, and it is something else.
  case foreign(ForeignFormat)
  /// The value breaks rules of the class.
  case invalid(ValidationError)
}
