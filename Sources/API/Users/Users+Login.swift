import Access
import BSON
import Storage

/// What somebody shows to log in.
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

/// Who a payload shows, and what the provider tells of them.
private struct Proof: Sendable {
  let identity: User.Identity
  let data: Document
  /// Throws where what was shown is good no more, and gives changes that fail where it is none when they are made.
  var conditions: @Sendable (UserRecords) throws -> [RecordChange] = { _ in [] }

  init(_ provider: String, _ subject: String, _ data: Document = [:]) {
    identity = User.Identity(provider, subject)
    self.data = data
  }
}

/// The result of a login, as it was written.
private struct Beginning: Sendable {
  let session: Session
  /// Whether something else is known of the user now.
  let isOther: Bool
  /// Sessions that had to go for it.
  let evicted: [ObjectID]
}

extension Users {
  /// Sessions of one user; the oldest of them ends for a new one.
  static let sessionLimit = 1_000

  /// Logs somebody in, as a new user where nobody knows them. Throws ``UserError``.
  func logIn(
    _ payload: LoginPayload, device: ObjectID?, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> Login {
    let proof = try await proof(of: payload, from: client, functions)
    return try await begin(proof, device) { records in try Users.welcome(proof, records) }
  }

  /// Adds a way to log in to a user who has logged in. Throws ``UserError``.
  func link(
    _ payload: LoginPayload, to text: String, device: ObjectID?, from client: UInt64,
    _ functions: AccountFunctions
  ) async throws -> Login {
    let id = try await read { try self.user(showing: text, .access, $0).user.id }
    let proof = try await proof(of: payload, from: client, functions)
    return try await begin(proof, device) { records in try Users.link(proof, to: id, records) }
  }

  /// Throws ``UserError``.
  private func proof(
    of payload: LoginPayload, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> Proof {
    switch payload {
    case .anonymous:
      guard providers.allowsAnonymous else { throw UserError.unknownProvider }
      try countNewcomer(from: client)
      try await admitAnonymous()
      return Proof(User.Identity.anonymous, ObjectID.generate().description)
    case .password(let email, let password):
      guard providers.passwords != nil else { throw UserError.unknownProvider }
      return try await proof(of: email, password, from: client)
    case .key(let text):
      guard providers.allowsKeys else { throw UserError.unknownProvider }
      let key = try await attempt(from: client) {
        guard let key = try await read({ try $0.key(showing: text) }), !key.isDisabled else {
          throw UserError.wrongPassword
        }
        return key
      }
      var proof = Proof(User.Identity.apiKey, key.id.description)
      proof.conditions = { records in
        guard try records.key(key.id, of: key.user) == key else { throw UserError.wrongPassword }
        return [try RecordChange(keeping: UserRecords.key(key.user, key.id), key.record)]
      }
      return proof
    case .customToken(let text):
      guard let rules = providers.customTokens else { throw UserError.unknownProvider }
      let (subject, data) = try await attempt(from: client) {
        guard let known = rules.accept(text, at: clock()) else { throw UserError.notBelieved }
        return known
      }
      return Proof(User.Identity.customToken, subject, data)
    case .customFunction(let document):
      guard let name = providers.customFunction else { throw UserError.unknownProvider }
      let (subject, data) = try await attempt(from: client) {
        guard let known = await functions.identity(from: document, by: name),
          User.Identity.isSubject(known.subject)
        else { throw UserError.notBelieved }
        return known
      }
      return Proof(User.Identity.customFunction, subject, data)
    }
  }

  private func proof(of email: String, _ password: String, from client: UInt64) async throws -> Proof {
    let shown = try await attempt(EmailAddress.key(email), from: client) {
      let account = try await read { try $0.account(of: email) }
      guard try await matches(account?.password, password, for: client), let account else {
        throw UserError.wrongPassword
      }
      return account
    }
    guard shown.isConfirmed else { throw UserError.unconfirmed }
    // The login is good, whether or not there is time for that.
    let account = (try? await renew(shown, password, for: client)) ?? shown
    var proof = Proof(account.identity.provider, account.identity.subject, ["email": .string(account.email)])
    proof.conditions = { records in
      guard let current = try records.account(account.id), current.password == account.password else {
        throw UserError.wrongPassword
      }
      return [try RecordChange(keeping: UserRecords.account(account.id), current.record)]
    }
    return proof
  }

  /// A session of the user whom `user` gives, with what has to be written of them; all of it, or nothing.
  private func begin(
    _ proof: Proof, _ device: ObjectID?,
    _ user: @escaping @Sendable (UserRecords) throws -> (user: User, changes: [RecordChange], isOther: Bool)
  ) async throws -> Login {
    try await rotateKeys()
    let now = clock()
    let key = proof.identity.provider == User.Identity.apiKey ? ObjectID(proof.identity.subject) : nil
    let beginning = try await change { records in
      let conditions = try proof.conditions(records)
      let (user, changes, isOther) = try user(records)
      let session = Session(of: user.id, device: device, key: key, at: now)
      let others = try records.records("session", of: user.id)
      let evicted = others.prefix(max(0, others.count - Users.sessionLimit + 1))
      let removals = evicted.map { RecordChange(removing: $0.name) }
      let addition = try RecordChange(UserRecords.session(user.id, session.id), session.record)
      return (
        conditions + changes + removals + [addition],
        Beginning(
          session: session, isOther: isOther, evicted: evicted.compactMap { records.session($0)?.id })
      )
    }
    let session = beginning.session
    for evicted in beginning.evicted { revocations.end(.session(evicted), .sessionEnded) }
    // The filters of roles may match other objects now that the user has changed.
    if beginning.isOther { revocations.end(.user(session.user.description), .accessChanged) }
    return Login(
      access: text(of: UserToken(.access, of: session, at: now)),
      refresh: text(of: UserToken(.refresh, of: session, at: now)), user: session.user, device: session.device
    )
  }

  private static func welcome(
    _ proof: Proof, _ records: UserRecords
  ) throws -> (user: User, changes: [RecordChange], isOther: Bool) {
    let identity = proof.identity
    guard var user = try records.user(of: identity) else {
      if identity.provider == User.Identity.apiKey { throw UserError.wrongPassword }
      let user = User(identity, data: proof.data)
      return (
        user,
        [
          try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(nil)),
          try RecordChange(UserRecords.identity(identity), ["id": .objectID(user.id)], expecting: .some(nil)),
        ], false
      )
    }
    guard !user.isDisabled else { throw UserError.disabledUser }
    let before = user.record
    user.update(proof.data)
    return (
      user, [try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(before))],
      user.record != before
    )
  }

  private static func link(
    _ proof: Proof, to id: ObjectID, _ records: UserRecords
  ) throws -> (user: User, changes: [RecordChange], isOther: Bool) {
    guard var user = try records.user(id) else { throw UserError.noSession }
    guard !user.isDisabled else { throw UserError.disabledUser }
    let before = user.record
    if let other = try records.user(of: proof.identity) {
      guard other.id == id else { throw UserError.identityInUse }
      return (user, [try RecordChange(keeping: UserRecords.user(id), before)], false)
    }
    user.link(proof.identity, data: proof.data)
    let changes = [
      try RecordChange(UserRecords.user(id), user.record, expecting: .some(before)),
      try RecordChange(UserRecords.identity(proof.identity), ["id": .objectID(id)], expecting: .some(nil)),
    ]
    // Who is not only anonymous does not count among those who are: their identity leads to nobody.
    let former = user.identities.filter { $0.provider == User.Identity.anonymous && $0 != proof.identity }
    return (user, changes + former.map { RecordChange(removing: UserRecords.identity($0)) }, true)
  }

  /// A new access token for a session. Throws ``UserError``.
  func refresh(_ text: String) async throws -> String {
    let now = clock()
    let token = try await change { records in
      let token = try self.user(showing: text, .refresh, records).token
      let name = UserRecords.session(token.user, token.session)
      guard let stored = try records.document(name), var session = Session(id: token.session, record: stored)
      else { throw UserError.noSession }
      // To a day: most refreshes write nothing.
      guard now.seconds - session.used.seconds >= 86_400 else { return ([], token) }
      session.used = now
      return ([try RecordChange(name, session.record, expecting: .some(stored))], token)
    }
    try await rotateKeys()
    return self.text(of: UserToken(.access, continuing: token, at: clock()))
  }

  /// Ends a session. Throws ``UserError``.
  func logOut(_ text: String) async throws {
    let token = try token(text, .refresh)
    try await change { records in
      guard try records.hasSession(token) else { throw UserError.noSession }
      return ([RecordChange(removing: UserRecords.session(token.user, token.session))], ())
    }
    revocations.end(.session(token.session), .sessionEnded)
  }

  /// Deletes a user, with everything that is kept of them. Throws ``UserError``.
  func deleteUser(_ text: String) async throws {
    let id = try await read { try self.user(showing: text, .access, $0).user.id }
    try await change { records in
      guard let user = try records.user(id) else { throw UserError.noSession }
      var names = [UserRecords.user(id)]
      for identity in user.identities {
        names.append(UserRecords.identity(identity))
        guard identity.provider == User.Identity.password, let account = ObjectID(identity.subject) else {
          continue
        }
        names.append(UserRecords.account(account))
        if let email = try records.account(account)?.email { names.append(UserRecords.email(email)) }
      }
      names += try records.keys(of: id).map { UserRecords.owner(ofKey: $0.id) }
      let all = ["session", "userKey"].map { RecordChange(removingAll: $0, withPrefix: "\(id)/") }
      return (names.map(RecordChange.init(removing:)) + all, ())
    }
    revocations.end(.user(id.description), .userDeleted)
  }
}
