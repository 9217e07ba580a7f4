extension Endpoint {
  /// The right that an endpoint asks of its callers. `ForbiddenTests` tries to get by it.
  enum Requirement: Hashable, Sendable {
    /// Nothing: it tells nothing, or asks for tokens of its own.
    case nothing
    /// Some role, whatever it allows.
    case someRole
    /// Some role, of somebody who shows a credential also where none is asked for: links and images that a web page
    /// leads to have none. Clients whose transport has no fields show it in one of those parameters.
    case credential(orIn: [Parameters.Name])
    /// A role that stores events of its own.
    case recordingEvents
    /// A permit for the objects that the request is about.
    case permit
    /// A role that reads the server's metrics.
    case metrics
    /// The administrator's role.
    case administration
  }
}
