import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import GatehouseTriggers

/// The credential that somebody shows to log in.
enum LoginPayload: Sendable {
  case anonymous
  case password(email: String, password: String)
  case key(String)
  case customToken(String)
  /// An ID token of a provider.
  case idToken(String, provider: String)
  /// A code that the provider gives an ID token for.
  case code(String, provider: String)
  /// An access token of Facebook's.
  case facebook(String)
  /// Whatever the function understands.
  case customFunction(Document)
}

/// A login that succeeded, as App Services' clients expect it.
struct Login: Sendable {
  let access: String
  let refresh: String
  let user: ObjectID
  let device: ObjectID
}

/// The identity that a payload proves, and what the provider tells of it.
private struct ProvenIdentity: Sendable {
  let identity: User.Identity
  let data: Document
  /// The roles that the provider gives; nil: it gives none, and takes none away.
  var roles: [String]?
  /// Throws where what was shown is good no more, and gives changes that fail where it is none when they are made.
  var conditions: @Sendable (UserRecords) throws -> [RecordChange] = { _ in [] }

  init(_ provider: String, _ subject: String, data: Document = [:]) {
    identity = User.Identity(provider, subject)
    self.data = data
  }
}

/// Logs users in by what the providers take.
struct Logins: Sendable {
  let store: UserStore
  let providersInForce: ProvidersInForce
  let sessions: Sessions
  let accounts: Accounts
  let attempts: LoginAttempts
  let registrations: RegistrationLimits
  let foreign: ForeignLogins

  private var providers: Providers { providersInForce.current }

  /// Whether users log in by a provider, by its name.
  func takes(_ provider: String) -> Bool {
    let providers = providers
    return switch provider {
    case User.Identity.anonymous: providers.allowsAnonymous
    case User.Identity.password: providers.passwords != nil
    case User.Identity.apiKey: providers.allowsKeys
    case User.Identity.customToken: providers.customTokens != nil
    case User.Identity.customFunction: providers.customFunction != nil
    case User.Identity.facebook: providers.facebook != nil
    default: providers.openID[provider] != nil
    }
  }

  /// Logs somebody in, as a new user where nobody knows them. Throws ``UserError``.
  func logIn(
    _ payload: LoginPayload, device: ObjectID?, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> Login {
    let proof = try await proof(of: payload, from: client, functions)
    return try await begin(proof, device: device) { records in try Logins.welcome(proof, records) }
  }

  /// Adds a way to log in to a user who has logged in. Throws ``UserError``.
  func link(
    _ payload: LoginPayload, to text: String, device: ObjectID?, from client: UInt64,
    _ functions: AccountFunctions
  ) async throws -> Login {
    let id = try await store.read { try sessions.user(showing: text, .access, $0).user.id }
    do {
      let proof = try await proof(of: payload, from: client, functions)
      return try await begin(proof, device: device) { records in try Logins.link(proof, to: id, records) }
    } catch let error as UserError {
      throw error.ofLinking
    }
  }

  /// Throws ``UserError``.
  private func proof(
    of payload: LoginPayload, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> ProvenIdentity {
    switch payload {
    case .anonymous:
      guard providers.allowsAnonymous else { throw UserError.unknownProvider }
      try registrations.count(from: client)
      try await registrations.admitAnonymous()
      return ProvenIdentity(User.Identity.anonymous, ObjectID.generate().description)
    case .password(let email, let password):
      guard providers.passwords != nil else { throw UserError.unknownProvider }
      return try await proof(of: email, password, from: client)
    case .key(let text):
      guard providers.allowsKeys else { throw UserError.unknownProvider }
      let key = try await attempts.count(from: client) {
        guard let key = try await store.read({ try $0.key(showing: text) }), !key.isDisabled else {
          throw UserError.refusedCredential
        }
        return key
      }
      var proof = ProvenIdentity(User.Identity.apiKey, key.id.description)
      proof.conditions = { records in
        guard try records.key(key.id, of: key.user) == key else { throw UserError.refusedCredential }
        return [try RecordChange(keeping: UserRecords.key(key.user, key.id), key.record)]
      }
      return proof
    case .customToken(let text):
      guard let rules = providers.customTokens else { throw UserError.unknownProvider }
      return try await proof(at: User.Identity.customToken, from: client) { () async throws(UserError) in
        try await foreign.person(showing: text, to: rules)
      }
    case .idToken(let text, let name):
      guard let provider = providers.openID[name] else { throw UserError.unknownProvider }
      return try await proof(at: name, from: client) { () async throws(UserError) in
        var person = try await foreign.person(showing: text, to: provider.rules)
        person.roles = nil
        return person
      }
    case .code(let code, let name):
      guard let provider = providers.openID[name] else { throw UserError.unknownProvider }
      return try await proof(at: name, from: client) { () async throws(UserError) in
        var person = try await foreign.person(withCode: code, of: provider)
        person.roles = nil
        return person
      }
    case .facebook(let token):
      guard let provider = providers.facebook else { throw UserError.unknownProvider }
      return try await proof(at: User.Identity.facebook, from: client) { () async throws(UserError) in
        try await foreign.person(withToken: token, of: provider)
      }
    case .customFunction(let document):
      guard let name = providers.customFunction else { throw UserError.unknownProvider }
      let (subject, data) = try await attempts.count(from: client) {
        guard let known = await functions.identity(from: document, by: name),
          User.Identity.isSubject(known.subject)
        else { throw UserError.notBelieved }
        return known
      }
      return ProvenIdentity(User.Identity.customFunction, subject, data: data)
    }
  }

  /// Returns the proof that another provider gives, by its name.
  private func proof(
    at provider: String, from client: UInt64,
    _ ask: () async throws(UserError) -> ForeignLogins.Person
  ) async throws -> ProvenIdentity {
    let person = try await attempts.count(from: client) { try await ask() }
    var proof = ProvenIdentity(provider, person.subject, data: person.data)
    proof.roles = person.roles
    return proof
  }

  private func proof(of email: String, _ password: String, from client: UInt64) async throws -> ProvenIdentity
  {
    let shown = try await attempts.count(at: EmailAddress.key(email), from: client) {
      let account = try await store.read { try $0.account(of: email) }
      guard try await accounts.hashes.matches(account?.password, password, for: client), let account else {
        throw UserError.wrongPassword
      }
      return account
    }
    guard shown.isConfirmed else { throw UserError.unconfirmed }
    // The login is good, whether or not there is time for that.
    let account = (try? await accounts.renew(shown, password, for: client)) ?? shown
    var proof = ProvenIdentity(
      account.identity.provider, account.identity.subject, data: ["email": .string(account.email)])
    proof.conditions = { records in
      guard let current = try records.account(account.id), current.password == account.password else {
        throw UserError.wrongPassword
      }
      return [try RecordChange(keeping: UserRecords.account(account.id), current.record)]
    }
    return proof
  }

  /// Begins a session of the user whom `user` gives, as long as the proof is good when it is written.
  private func begin(
    _ proof: ProvenIdentity, device: ObjectID?, of user: @escaping @Sendable (UserRecords) throws -> UserEdit
  ) async throws -> Login {
    let key = proof.identity.provider == User.Identity.apiKey ? ObjectID(proof.identity.subject) : nil
    return try await sessions.begin(device: device, key: key) { records in
      let conditions = try proof.conditions(records)
      var edit = try user(records)
      precondition(!edit.changes.isEmpty, "a login holds as long as the user is who was read")
      edit.changes = conditions + edit.changes
      return edit
    }
  }

  private static func welcome(_ proof: ProvenIdentity, _ records: UserRecords) throws -> UserEdit {
    let identity = proof.identity
    guard var user = try records.login(of: identity) else {
      if identity.provider == User.Identity.apiKey { throw UserError.refusedCredential }
      var user = User(identity, data: proof.data)
      user.claimedRoles = proof.roles ?? []
      return UserEdit(
        user: user,
        changes: [
          try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(nil)),
          try RecordChange(UserRecords.identity(identity), ["id": .objectID(user.id)], expecting: .some(nil)),
        ], isOther: false, events: [.create, .login], provider: identity.provider)
    }
    guard !user.isDisabled else { throw UserError.disabledUser }
    let before = user.record
    user.update(proof.data)
    if let roles = proof.roles { user.claimedRoles = roles }
    return UserEdit(
      user: user,
      changes: [try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(before))],
      isOther: user.record != before, events: [.login], provider: identity.provider)
  }

  private static func link(
    _ proof: ProvenIdentity, to id: ObjectID, _ records: UserRecords
  ) throws -> UserEdit {
    guard var user = try records.user(id) else { throw UserError.noSession }
    guard !user.isDisabled else { throw UserError.disabledUser }
    let before = user.record
    if let other = try records.login(of: proof.identity) {
      guard other.id == id else { throw UserError.identityInUse }
      return UserEdit(
        user: user, changes: [try RecordChange(keeping: UserRecords.user(id), before)], isOther: false)
    }
    let isPassword = proof.identity.provider == User.Identity.password
    if isPassword, user.identities.contains(where: { $0.provider == User.Identity.password }) {
      throw UserError.secondPassword
    }
    user.link(proof.identity, data: proof.data)
    if let roles = proof.roles { user.claimedRoles = roles }
    let changes = [
      try RecordChange(UserRecords.user(id), user.record, expecting: .some(before)),
      try RecordChange(UserRecords.identity(proof.identity), ["id": .objectID(id)], expecting: .some(nil)),
    ]
    // A user who is not only anonymous does not count among those who are: that identity leads to nobody.
    let former = user.identities.filter { $0.provider == User.Identity.anonymous && $0 != proof.identity }
    return UserEdit(
      user: user, changes: changes + former.map { RecordChange(removing: UserRecords.identity($0)) },
      isOther: true)
  }
}
