/// The right that a caller lacks.
public enum AccessError: Error, Hashable, Sendable {
  /// The endpoint is for administrators.
  case administration
  /// The role does not record events of its callers' own.
  case recordingEvents
  case reading(objectType: String)
  case writing(objectType: String)
  /// The property is hidden, and so cannot be asked about either.
  case property(objectType: String, name: String)
  /// The property cannot be written.
  case writingProperty(objectType: String, name: String)
  /// The path leads through objects of which the caller may see only some.
  case path(objectType: String)
  /// Events and results that cover all objects of a class, or all classes, are for callers who may see all of them.
  case overview
}
