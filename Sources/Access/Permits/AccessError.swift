/// The right that a caller lacks.
public enum AccessError: Error, Hashable, Sendable {
  /// It takes an administrator.
  case administration
  /// It takes a role that stores events of its own.
  case recordingEvents
  case reading(objectType: String)
  case writing(objectType: String)
  /// A property that is not shown, and so cannot be asked about either.
  case property(objectType: String, name: String)
  /// A property that is not written.
  case writingProperty(objectType: String, name: String)
  /// A path leads through objects of which the caller may see some at most.
  case path(objectType: String)
  /// Events and results that cover all objects of a class, or all classes, are for callers who may see all of them.
  case overview
}
