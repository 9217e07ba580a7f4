/// The right that a caller lacks.
public enum AccessError: Error, Hashable, Sendable {
  /// The endpoint is for administrators.
  case administration
  /// The endpoint is for those who read metrics.
  case metrics
  /// The role does not record events of its callers' own.
  case recordingEvents
  case reading(objectType: String)
  case writing(objectType: String)
  /// Clients only create objects of the class.
  case asymmetric(objectType: String)
  /// An object of the class must have a value that the caller may not give it.
  case creating(objectType: String)
  /// The property cannot be written.
  case writingProperty(objectType: String, name: String)
  /// Events and results that cover all objects of a class, or all classes, are for callers who may see all of them.
  case overview
}
