extension Endpoint {
  /// The audit events that requests leave where the policy asks for them. `AuditRouteTests` sends requests to every
  /// endpoint and compares.
  enum AuditTrace: Hashable, Sendable {
    case nothing
    /// The objects that answers show.
    case reads
    /// The objects that a transaction changes.
    case writes
    /// The objects that a command shows, and those that it changes.
    case readsAndWrites
    /// The classes that change.
    case schemaChanges
    /// The function that is called.
    case functionCalls
    /// The app that is made, changed or removed.
    case appChanges
    /// An event as the request has it.
    case customEvents
  }
}
