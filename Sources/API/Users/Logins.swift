import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// The credential that somebody shows to log in.
enum LoginPayload: Sendable {
  case anonymous
  case password(email: String, password: String)
  case key(String)
  case customToken(String)
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

  private var providers: Providers { providersInForce.current }

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
    let proof = try await proof(of: payload, from: client, functions)
    return try await begin(proof, device: device) { records in try Logins.link(proof, to: id, records) }
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
          throw UserError.wrongPassword
        }
        return key
      }
      var proof = ProvenIdentity(User.Identity.apiKey, key.id.description)
      proof.conditions = { records in
        guard try records.key(key.id, of: key.user) == key else { throw UserError.wrongPassword }
        return [try RecordChange(keeping: UserRecords.key(key.user, key.id), key.record)]
      }
      return proof
    case .customToken(let text):
      guard let rules = providers.customTokens else { throw UserError.unknownProvider }
      let (subject, data, roles) = try await attempts.count(from: client) {
        guard let known = rules.accept(text, at: store.clock()) else { throw UserError.notBelieved }
        return known
      }
      var proof = ProvenIdentity(User.Identity.customToken, subject, data: data)
      proof.roles = roles
      return proof
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
      edit.changes = conditions + edit.changes
      return edit
    }
  }

  private static func welcome(_ proof: ProvenIdentity, _ records: UserRecords) throws -> UserEdit {
    let identity = proof.identity
    guard var user = try records.login(of: identity) else {
      if identity.provider == User.Identity.apiKey { throw UserError.wrongPassword }
      var user = User(identity, data: proof.data)
      user.claimedRoles = proof.roles ?? []
      return UserEdit(
        user: user,
        changes: [
          try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(nil)),
          try RecordChange(UserRecords.identity(identity), ["id": .objectID(user.id)], expecting: .some(nil)),
        ], isOther: false)
    }
    guard !user.isDisabled else { throw UserError.disabledUser }
    let before = user.record
    user.update(proof.data)
    if let roles = proof.roles { user.claimedRoles = roles }
    return UserEdit(
      user: user,
      changes: [try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(before))],
      isOther: user.record != before)
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
