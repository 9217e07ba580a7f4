/// The rule that something to be recorded breaks.
public enum AuditError: Error, Hashable, Sendable {
  /// The rule that a metadata key breaks.
  public enum KeyRule: Hashable, Sendable {
    /// It has not 1 to 63 bytes.
    case length
    /// It is a property that every event has.
    case reserved
    case duplicate
    /// It is no legal name of a property.
    case name
  }

  /// Events of that kind are the recorder's.
  case reservedKind(String)
  /// The caller has stored as many events of their own as they may in a minute; so many seconds later they may store
  /// another.
  case tooManyEvents(seconds: Int)
  /// The scope was never begun, or has been ended.
  case scopeNotInProgress(Int)
  case invalidMetadataKey(String, KeyRule)
  /// With these, the events would have more than so many metadata keys in all, each of which is a property of their class.
  case tooManyMetadataKeys(limit: Int)
  /// The store has a class `AuditEvent` of somebody else's making.
  case classOccupied
  /// The class' function, which says what is recorded of its objects, failed or could not be asked.
  case notRepresented(objectType: String)
  /// Auditing is off.
  case disabled
  /// There are as many scopes in progress as there may be.
  case tooManyScopes
}
