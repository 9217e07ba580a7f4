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

extension Users {
  /// Who the payload shows, and what the provider tells of them. Throws ``AppFault``.
  private func identity(
    of payload: LoginPayload, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> (identity: User.Identity, data: Document) {
    switch payload {
    case .anonymous:
      guard providers.allowsAnonymous else { throw AppFault.unknownProvider }
      return (User.Identity(User.Identity.anonymous, ObjectID.generate().description), [:])
    case .password(let email, let password):
      guard providers.passwords != nil else { throw AppFault.unknownProvider }
      let key = "login/\(PasswordAccount.key(email))"
      try countAttempt(key, from: client)
      let account = try await read { try $0.account(of: email) }
      guard try await matches(account?.password, password, for: client), let account else {
        throw AppFault.wrongPassword
      }
      guard account.isConfirmed else { throw AppFault.unconfirmed }
      forgetAttempts(key, from: client)
      // The login is good, whether or not there is time for that.
      try? await renew(account, password, for: client)
      return (account.identity, ["email": .string(account.email)])
    case .key(let text):
      guard providers.allowsKeys else { throw AppFault.unknownProvider }
      try countAttempt(nil, from: client)
      guard let key = try await read({ try $0.key(showing: text) }), !key.isDisabled else {
        throw AppFault.wrongPassword
      }
      forgetAttempts(nil, from: client)
      return (User.Identity(User.Identity.apiKey, key.id.description), [:])
    case .customToken(let text):
      guard let rules = providers.customTokens else { throw AppFault.unknownProvider }
      guard let (subject, data) = rules.accept(text, at: clock()) else { throw AppFault.notBelieved }
      return (User.Identity(User.Identity.customToken, subject), data)
    case .customFunction(let document):
      guard let name = providers.customFunction else { throw AppFault.unknownProvider }
      try countAttempt(nil, from: client)
      guard let (subject, data) = await functions.identity(from: document, by: name) else {
        throw AppFault.notBelieved
      }
      forgetAttempts(nil, from: client)
      return (User.Identity(User.Identity.customFunction, subject), data)
    }
  }

  /// Logs somebody in, as a new user where nobody knows them. Throws ``AppFault``.
  func logIn(
    _ payload: LoginPayload, device: ObjectID?, from client: UInt64, _ functions: AccountFunctions
  ) async throws -> Login {
    let (identity, data) = try await identity(of: payload, from: client, functions)
    let (user, isOther) = try await change { records in try Users.welcome(identity, data, records) }
    // What filters of roles ask may have another answer now.
    if isOther { revocations.end(.user(user.id.description), .accessChanged) }
    let key = identity.provider == User.Identity.apiKey ? ObjectID(identity.subject) : nil
    return try await begin(user.id, device, key: key)
  }

  /// Adds a way to log in to a user who has logged in. Throws ``AppFault``.
  func link(
    _ payload: LoginPayload, to text: String, device: ObjectID?, from client: UInt64,
    _ functions: AccountFunctions
  ) async throws -> Login {
    let id = try await read { try self.user(showing: text, .access, $0).user.id }
    let (identity, data) = try await identity(of: payload, from: client, functions)
    let isOther = try await change { records in try Users.link(identity, data, to: id, records) }
    if isOther { revocations.end(.user(id.description), .accessChanged) }
    return try await begin(id, device)
  }

  private static func welcome(
    _ identity: User.Identity, _ data: Document, _ records: UserRecords
  ) throws -> (changes: [RecordChange], result: (User, isOther: Bool)) {
    guard var user = try records.user(of: identity) else {
      if identity.provider == User.Identity.apiKey { throw AppFault.wrongPassword }
      let user = User(identity, data: data)
      return (
        [
          try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(nil)),
          try RecordChange(UserRecords.identity(identity), ["id": .objectID(user.id)], expecting: .some(nil)),
        ], (user, false)
      )
    }
    guard !user.isDisabled else { throw AppFault.disabledUser }
    let before = user.record
    user.update(data)
    if user.record == before { return ([], (user, false)) }
    return (
      [try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(before))], (user, true)
    )
  }

  private static func link(
    _ identity: User.Identity, _ data: Document, to id: ObjectID, _ records: UserRecords
  ) throws -> (changes: [RecordChange], result: Bool) {
    guard var user = try records.user(id) else { throw AppFault.noSession }
    if let other = try records.user(of: identity) {
      guard other.id == id else { throw AppFault.identityInUse }
      return ([], false)
    }
    let before = user.record
    user.link(identity, data: data)
    return (
      [
        try RecordChange(UserRecords.user(id), user.record, expecting: .some(before)),
        try RecordChange(UserRecords.identity(identity), ["id": .objectID(id)], expecting: .some(nil)),
      ], true
    )
  }

  private func begin(_ user: ObjectID, _ device: ObjectID?, key: ObjectID? = nil) async throws -> Login {
    try await rotateKeys()
    let session = Session(of: user, device: device, key: key, at: clock())
    _ = try await store.keep([
      try RecordChange(UserRecords.session(user, session.id), session.record)
    ])
    let now = clock()
    return Login(
      access: text(of: UserToken(.access, of: session, at: now)),
      refresh: text(of: UserToken(.refresh, of: session, at: now)), user: user, device: session.device)
  }

  /// A new access token for a session. Throws ``AppFault``.
  func refresh(_ text: String) async throws -> String {
    let token = try await read { try self.user(showing: text, .refresh, $0).token }
    try await rotateKeys()
    return self.text(of: UserToken(.access, continuing: token, at: clock()))
  }

  /// Ends a session. Throws ``AppFault``.
  func logOut(_ text: String) async throws {
    let token = try token(text, .refresh)
    try await change { records in
      guard try records.hasSession(token) else { throw AppFault.noSession }
      return ([RecordChange(removing: UserRecords.session(token.user, token.session))], ())
    }
    revocations.end(.session(token.session), .sessionEnded)
  }

  /// Deletes a user, with everything that is kept of them. Throws ``AppFault``.
  func deleteUser(_ text: String) async throws {
    let id = try await read { try self.user(showing: text, .access, $0).user.id }
    try await change { records in
      guard let user = try records.user(id) else { throw AppFault.noSession }
      var names = [UserRecords.user(id)]
      for identity in user.identities {
        names.append(UserRecords.identity(identity))
        guard identity.provider == User.Identity.password, let account = ObjectID(identity.subject) else {
          continue
        }
        names.append(UserRecords.account(account))
        if let email = try records.account(account)?.email { names.append(UserRecords.email(email)) }
      }
      names += try records.records("session", of: id).map(\.name)
      for key in try records.keys(of: id) {
        names += [UserRecords.key(id, key.id), UserRecords.owner(ofKey: key.id)]
      }
      return (names.map(RecordChange.init(removing:)), ())
    }
    revocations.end(.user(id.description), .userDeleted)
  }
}
