public import GatehouseBSON

/// The keys that there are, and the roles: what decides who a caller is.
public struct Keyring: Sendable {
  public private(set) var keys: [ObjectID: APIKey] = [:]
  public var policy = Policy()
  /// Whether callers need a credential. Once they do, they do as long as the process lives, so that taking the last
  /// key away opens nothing.
  public private(set) var isGuarded: Bool
  private let adminKey: AdminKey?

  /// Without a key, everything is open.
  public init(adminKey: AdminKey? = nil) {
    self.adminKey = adminKey
    isGuarded = adminKey != nil
  }

  /// Adds a key.
  public mutating func add(_ key: APIKey) {
    keys[key.id] = key
    isGuarded = true
  }

  /// Takes a key away; false: there is none.
  public mutating func remove(_ id: ObjectID) -> Bool {
    keys.removeValue(forKey: id) != nil
  }

  /// Returns the principal of an API key; nil if the text is no valid key, or the key's role is gone.
  public func principal(showing text: String) -> Principal? {
    if let adminKey, adminKey.matches(text) { return Principal(Keyring.administrator, role: .administrator) }
    guard let token = APIKey.Token(text), let key = keys[token.id], key.matches(token) else { return nil }
    return principal(ofKey: key.id)
  }

  /// Who has the operator's key.
  public static let administrator = Principal.Kind.key(id: "admin")

  /// Returns the principal of an API key; nil: there is no such key, or its role is gone.
  public func principal(ofKey id: ObjectID) -> Principal? {
    guard let key = keys[id], let role = policy[key.role] else { return nil }
    return Principal(.key(id: id.description), role: role.limited(to: key.classes))
  }

  /// Returns the rights of a user with those roles together. A role that is not defined allows nothing, and a built-in
  /// one is not for users.
  public func role(ofUserWith names: [String]) -> Role {
    .combining(names.compactMap { $0 == Policy.userRole ? userRole : policy.roles[$0] })
  }

  /// The role of users who were given none.
  private var userRole: Role {
    // Where nothing is guarded, there is nothing to keep from them.
    policy.roles[Policy.userRole] ?? (isGuarded ? Role(Policy.userRole) : .writer)
  }

  /// The principal of callers without a credential; nil if a credential is required.
  public var anyone: Principal? {
    precondition(isGuarded || keys.isEmpty, "nothing is open where there is a key")
    if !isGuarded { return Principal(.anyone, role: .administrator) }
    return policy.roles[Policy.anyoneRole].map { Principal(.anyone, role: $0) }
  }
}
