import Access
import HTTP
import Model

/// Who calls, and what they may, as one event loop knows it.
struct Callers {
  /// So many callers are remembered.
  private static let capacity = 1_024

  private static let nobody = Principal(.anyone, role: Role(""))

  private let control: AccessControl
  private var revision = -1
  private var keyring = Keyring()
  private var known: [String: Principal] = [:]
  private var generation: Int64 = -1
  private var permits: [Principal: Permit] = [:]

  init(_ control: AccessControl) {
    self.control = control
  }

  /// Whoever made the request, who may use the endpoint. Throws ``Refusal/unauthorized(_:)`` and
  /// ``Denial/administration``.
  mutating func principal(of request: Request, for endpoint: Endpoint) throws -> Principal {
    let requirement = endpoint.requirement
    if requirement == .nothing { return Callers.nobody }
    let principal = try principal(of: request)
    if requirement == .administration, !principal.role.isAdministrator { throw Denial.administration }
    return principal
  }

  private mutating func principal(of request: Request) throws(Refusal) -> Principal {
    if control.revision != revision { renew() }
    guard let field = request.fields["authorization"] else {
      guard let anyone = keyring.anyone else { throw .unauthorized(.missing) }
      return anyone
    }
    if let principal = known[field] { return principal }
    guard let token = Callers.token(in: field) else { throw .unauthorized(.scheme) }
    guard let principal = keyring.principal(showing: token) else { throw .unauthorized(.unknown) }
    if known.count >= Callers.capacity { known = [:] }
    known[field] = principal
    return principal
  }

  /// What the principal may see and do; nil: everything there is in a class.
  mutating func permit(of principal: Principal, in schema: Schema, generation: Int64) -> Permit? {
    if principal.role.isUnbounded { return nil }
    if generation != self.generation {
      permits = [:]
      self.generation = generation
    }
    if let permit = permits[principal] { return permit }
    let permit = Permit(principal, in: schema)
    if permits.count >= Callers.capacity { permits = [:] }
    permits[principal] = permit
    return permit
  }

  private mutating func renew() {
    // In this order: a change between the two is seen once more.
    revision = control.revision
    keyring = control.current
    known = [:]
    permits = [:]
  }

  /// RFC 6750 §2.1: `Bearer` and a token; the scheme's case does not matter (RFC 9110 §11.1).
  private static func token(in field: String) -> String? {
    let scheme = "bearer "
    guard field.count > scheme.count, field.prefix(scheme.count).lowercased() == scheme else { return nil }
    return String(field.dropFirst(scheme.count))
  }
}
