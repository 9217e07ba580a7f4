import GatehouseAudit
import GatehouseHTTP

extension AuditError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .scopeNotInProgress(let id):
      return Problem(
        .scopeNotInProgress,
        "Cannot end event scope: scope '\(id)' not in progress. Scope may have already been ended?")
    case .reservedKind:
      let kinds = StoredEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      return Problem(.reservedEvent, "Events of these kinds are the recorder's: \(kinds).")
    case .tooManyEvents(let seconds):
      return Problem(
        .tooManyEvents, "The caller has had as much recorded as they may in a minute.",
        fields: [Fields.Line(name: "retry-after", value: String(seconds))])
    case .invalidMetadataKey(let key, let rule):
      // Realm's texts, which name the key.
      let detail =
        switch rule {
        case .length: "Invalid audit metadata key '\(key)': keys must be 1-63 characters long"
        case .reserved:
          "Invalid audit metadata key '\(key)': metadata keys cannot overlap with the audit event properties"
        case .duplicate: "Duplicate audit metadata key '\(key)'"
        case .name: "Invalid audit metadata key '\(key)': no property can have that name"
        }
      return Problem(.invalidMetadata, detail)
    case .tooManyMetadataKeys(let limit):
      return Problem(.invalidMetadata, "The events of the trail have at most \(limit) metadata keys in all.")
    case .classOccupied:
      return Problem(.trailOccupied, "The store has a class “AuditEvent” that is not the recorder's.")
    case .notRepresented(let objectType):
      return Problem(
        .notRecorded,
        "What is recorded of objects of class “\(objectType)” says a function, which has failed, or cannot be asked here."
      )
    case .disabled:
      return Problem(.auditOff, "Nothing is recorded here (setting “audit”).")
    case .tooManyScopes:
      return Problem(
        .tooManyScopes, "There are as many scopes as there may be; end some, or wait for them to expire.",
        fields: [Fields.Line(name: "retry-after", value: "10")])
    }
  }
}
