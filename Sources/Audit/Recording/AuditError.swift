/// The rule that something to be recorded breaks.
public enum AuditError: Error, Hashable, Sendable {
  /// The rule that a metadata key breaks.
  public enum KeyRule: Hashable, Sendable {
    /// Not 1 to 63 bytes.
    case length
    /// One of the properties that every event has.
    case reserved
    case duplicate
    /// No property can be called so.
    case name
  }

  /// Such events are the recorder's.
  case reservedKind(String)
  /// The caller has stored as many events of their own as they may; so many seconds later there may be more.
  case tooManyEvents(seconds: Int)
  /// The scope was never begun, or has been ended.
  case scopeNotInProgress(Int)
  case invalidMetadataKey(String, KeyRule)
  /// The store has a class `AuditEvent` of somebody else's making.
  case classOccupied
  /// The class has a function that says what is recorded of its objects, and that could not be asked, or failed.
  case notRepresented(objectType: String)
  /// Auditing is off.
  case disabled
  /// There are as many scopes as there may be.
  case tooManyScopes
}
