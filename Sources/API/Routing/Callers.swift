import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage

/// The callers that one event loop knows, and what they may.
struct Callers {
  /// The most callers that are remembered.
  private static let capacity = 2_048

  /// The key of a permit. Two callers may have the same identifier: those without a credential, of whom a probe has
  /// no role, and a caller whose function still runs with the role that it began with.
  private struct PermitKey: Hashable {
    let id: String
    let role: RoleKey
    let values: CallerValues?
    let readsAsymmetric: Bool
  }

  /// Roles have many parts, and mostly their names tell them apart.
  private struct RoleKey: Hashable {
    let role: Role

    func hash(into hasher: inout Hasher) { hasher.combine(role.name) }
  }

  /// The caller of endpoints that ask for nothing.
  private static let nobody = Principal(.anyone, role: Role(""))

  private let control: AccessControl
  private let users: Users?
  private var revision = -1
  private var keyring = Keyring()
  /// The principal of requests without a credential; nil: they need one.
  private var anyone: Principal?
  private var known = GenerationalCache<String, Principal>(budget: capacity)
  private var generation: Int64 = -1
  private var permits = GenerationalCache<PermitKey, Permit>(budget: capacity)
  /// The schema as those know it who have a role.
  private var schemas = GenerationalCache<RoleKey, Schema>(budget: 256)
  /// The rights of users with several roles, by these.
  private var combinations = GenerationalCache<[String], Role>(budget: capacity)

  init(_ control: AccessControl, _ users: Users?) {
    self.control = control
    self.users = users
  }

  /// Returns who made the request and may use the endpoint. Throws ``APIError/unauthorized(_:)`` and
  /// ``AccessError/administration``.
  mutating func principal(of request: Request, for endpoint: Endpoint, _ reader: Reader) throws -> Principal {
    if endpoint.requires == .nothing { return Callers.nobody }
    let principal = try principal(
      showing: credential(of: request, for: endpoint), from: request.peer.client, reader)
    switch endpoint.requires {
    case .nothing, .someRole, .permit: break
    case .credential: if principal.kind == .anyone { throw APIError.unauthorized(.missing) }
    case .recordingEvents: if !principal.role.recordsEvents { throw AccessError.recordingEvents }
    case .metrics: if !principal.role.readsMetrics { throw AccessError.metrics }
    case .administration: if !principal.role.isAdministrator { throw AccessError.administration }
    }
    return principal.role.usesTime ? principal.asking(at: control.clock()) : principal
  }

  /// Returns what stands in Authorization, or in a parameter where the endpoint takes a token there.
  private func credential(of request: Request, for endpoint: Endpoint) throws -> String? {
    if let field = request.fields["authorization"] { return field }
    guard case .credential(let names) = endpoint.requires else { return nil }
    return try request.target.parameters().first { parameter in
      names.contains { $0.rawValue == parameter.name }
    }.map { "Bearer \($0.value)" }
  }

  private mutating func principal(
    showing field: String?, from client: UInt64, _ reader: Reader
  ) throws -> Principal {
    try control.catchUp()
    if control.revision != revision { renew() }
    guard let field else {
      guard let anyone else { throw APIError.unauthorized(.missing) }
      return anyone
    }
    if let principal = known[field] { return principal }
    let token = Credential.bearerToken(in: field)
    let isOfUser = users != nil && token?.contains(".") == true
    if let users, let token, isOfUser, let user = try user(showing: token, users, reader) { return user }
    // An operator's own key may be one that can be guessed: nothing is told to who has tried too often. Others cannot
    // be, and are good whatever somebody else at the address does.
    if keyring.isGuarded, let token, APIKey.Token(token) == nil { try control.requirePatience(of: client) }
    guard let principal = token.flatMap(keyring.principal(showing:)) else {
      // Where nothing is guarded, a credential is for somebody on the way here; but for tokens of users, who have to
      // log in anew.
      if !keyring.isGuarded, !isOfUser, let anyone { return anyone }
      guard let token else { throw APIError.unauthorized(.scheme) }
      // A key that is not known was revoked, or made at another node of a cluster.
      if APIKey.Token(token) != nil { throw APIError.unauthorized(.unknown) }
      throw control.error(countingFailureFrom: client)
    }
    known.add(principal, for: field)
    return principal
  }

  /// Whether whoever reaches the server may do everything.
  var needNoCredential: Bool {
    mutating get {
      if control.revision != revision { renew() }
      return !keyring.isGuarded
    }
  }

  /// Returns what the principal may see and do; nil: everything there is in a class. To a function, asymmetric classes
  /// are like others.
  mutating func permit(
    of principal: Principal, isFunction: Bool = false, in schema: Schema, generation: Int64
  ) -> Permit? {
    if principal.role.isAdministrator { return nil }
    let isBoundByClasses = !isFunction && schema.hasAsymmetric
    if principal.role.isUnbounded, !isBoundByClasses { return nil }
    if generation != self.generation {
      permits.removeAll()
      schemas.removeAll()
      self.generation = generation
    }
    let role = RoleKey(role: principal.role)
    let key = PermitKey(
      id: principal.id, role: role, values: principal.values, readsAsymmetric: !isBoundByClasses)
    if let permit = permits[key] {
      precondition(
        permit.principal.id == principal.id && permit.principal.role.name == principal.role.name
          && permit.principal.values == principal.values, "a permit is that of the caller")
      return permit
    }
    let permit = Permit(
      principal, knowing: knownPart(of: schema, by: role), readsAsymmetric: !isBoundByClasses)
    // Another request has another time.
    if principal.values?.time == nil { permits.add(permit, for: key) }
    return permit
  }

  private mutating func knownPart(of schema: Schema, by role: RoleKey) -> Schema {
    if let known = schemas[role] { return known }
    let known = role.role.knownPart(of: schema)
    schemas.add(known, for: role)
    return known
  }

  private mutating func renew() {
    // In this order: a change between the two is seen once more.
    revision = control.revision
    keyring = control.current
    anyone = keyring.anyone
    known.removeAll()
    permits.removeAll()
    schemas.removeAll()
    combinations.removeAll()
  }

  private mutating func role(of user: User) -> Role {
    let names = user.roles
    if names.count == 1 { return keyring.role(ofUserWith: names) }
    if let role = combinations[names] { return role }
    let role = keyring.role(ofUserWith: names)
    combinations.add(role, for: names)
    return role
  }

  /// A user is looked at each time: they may have logged out, and what is known of them change.
  ///
  /// Nil: it is no token of ours, and perhaps a key with periods in it.
  private mutating func user(showing token: String, _ users: Users, _ reader: Reader) throws -> Principal? {
    do {
      let (user, token) = try users.sessions.user(showing: token, .access, UserRecords(reader: reader))
      return Principal(
        .user(id: user.id.description), role: role(of: user), values: user.values, token: token)
    } catch let error as UserError {
      if error == .badToken { return nil }
      // A token that was good once is no guess.
      throw APIError.unauthorized(.unknown)
    }
  }
}
