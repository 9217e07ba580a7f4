import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseStorage
import GatehouseTriggers

/// The sessions of users: they begin with a login, go on with a refresh token, and end.
struct Sessions: Sendable {
  /// Sessions of one user; the oldest of them ends for a new one.
  private static let limit = 1_000

  /// A session as it was written.
  private struct NewSession: Sendable {
    let session: Session
    /// Whether something else is known of the user now.
    let isOther: Bool
    /// Sessions that had to go for it.
    let evicted: [ObjectID]
    let customData: Document
  }

  let store: UserStore
  let signer: TokenSigner
  let revocations: Revocations
  let events: AuthenticationQueue
  let customData: CustomUserData

  /// Returns the user who shows the token. Throws ``UserError``.
  func user(
    showing text: String, _ kind: UserToken.Kind, _ records: UserRecords
  ) throws -> (user: User, token: UserToken) {
    let token = try signer.token(text, kind)
    guard try records.hasSession(token), var user = try records.user(token.user) else {
      throw UserError.noSession
    }
    guard !user.isDisabled else { throw UserError.disabledUser }
    // To look it up with each request would cost a query.
    if customData.isOfClass { user.customData = token.userData ?? [:] }
    return (user, token)
  }

  /// Begins a session of the user whom `user` gives, with what has to be written of them; all of it, or nothing.
  /// `key` is the user's API key that it begins with.
  func begin(
    device: ObjectID?, key: ObjectID?, of user: @escaping @Sendable (UserRecords) throws -> UserEdit
  ) async throws -> Login {
    try await signer.rotateKeys()
    let now = store.clock()
    let beginning = try await store.change { records in
      let edit = try user(records)
      let session = Session(of: edit.user.id, device: device, key: key, at: now)
      let others = try records.records("session", of: edit.user.id)
      let evicted = others.prefix(max(0, others.count - Sessions.limit + 1))
      precondition(others.count - evicted.count < Sessions.limit, "a user has a bounded number of sessions")
      let removals = evicted.map { RecordChange(removing: $0.name) }
      let told = try events.records(of: edit, at: now)
      let addition = try RecordChange(UserRecords.session(edit.user.id, session.id), session.record)
      return (
        edit.changes + removals + [addition] + told,
        NewSession(
          session: session, isOther: edit.isOther, evicted: evicted.compactMap { records.session($0)?.id },
          customData: try customData.data(of: edit.user, records))
      )
    }
    events.didAppend()
    let session = beginning.session
    for evicted in beginning.evicted { revocations.end(.session(evicted), .sessionEnded) }
    // The filters of roles may match other objects now that the user has changed.
    if beginning.isOther { revocations.end(.user(session.user.description), .accessChanged) }
    return Login(
      access: signer.text(
        of: UserToken(.access, of: session, at: now, userData: beginning.customData.unlessEmpty)),
      refresh: signer.text(of: UserToken(.refresh, of: session, at: now)), user: session.user,
      device: session.device)
  }

  /// Returns a new access token for a session. Throws ``UserError``.
  func refresh(_ text: String) async throws -> String {
    let now = store.clock()
    let (token, data) = try await store.change { records in
      let (shown, token) = try user(showing: text, .refresh, records)
      let data = try customData.data(of: shown, records)
      let name = UserRecords.session(token.user, token.session)
      guard let stored = try records.document(name), var session = Session(id: token.session, record: stored)
      else { throw UserError.noSession }
      // To a day: most refreshes write nothing.
      guard now.seconds - session.used.seconds >= 86_400 else { return ([], (token, data)) }
      session.used = now
      return ([try RecordChange(name, session.record, expecting: .some(stored))], (token, data))
    }
    try await signer.rotateKeys()
    return signer.text(
      of: UserToken(.access, continuing: token, at: store.clock(), userData: data.unlessEmpty))
  }

  /// Ends a session. Throws ``UserError``.
  func logOut(_ text: String) async throws {
    let token = try signer.token(text, .refresh)
    try await store.change { records in
      guard try records.hasSession(token) else { throw UserError.noSession }
      return ([RecordChange(removing: UserRecords.session(token.user, token.session))], ())
    }
    revocations.end(.session(token.session), .sessionEnded)
  }

  /// Returns the sessions of a user, the oldest first. Throws ``UserError/unknownUser``.
  func list(of user: ObjectID) async throws -> [Session] {
    try await store.read { records in
      guard try records.user(user) != nil else { throw UserError.unknownUser }
      return try records.records("session", of: user).compactMap { records.session($0) }
    }
  }

  /// Ends a session of a user. Throws ``UserError/noSession``.
  func end(_ session: ObjectID, of user: ObjectID) async throws {
    try await store.change { records in
      let name = UserRecords.session(user, session)
      guard try records.document(name) != nil else { throw UserError.noSession }
      return ([RecordChange(removing: name)], ())
    }
    revocations.end(.session(session), .sessionEnded)
  }

  /// Returns why the session of a user is none any more, or gives other rights; nil: it is as it was.
  func end(of principal: Principal, _ records: UserRecords) -> EndReason? {
    guard let token = principal.token else { return nil }
    // A user whose record cannot be read is treated as deleted.
    guard let user = try? records.user(token.user) else { return .userDeleted }
    if user.isDisabled { return .userDisabled }
    guard (try? records.hasSession(token)) == true else { return .sessionEnded }
    return user.roles == principal.values?.roles ? nil : .accessChanged
  }
}

/// A user who logs in, and the records that have to be written for it.
struct UserEdit: Sendable {
  let user: User
  var changes: [RecordChange]
  /// Whether something else is known of the user then.
  let isOther: Bool
  /// The events of it that triggers may watch, and the provider of the login.
  var events: [WatchedLogins.Operation] = []
  var provider = ""
}

extension AuthenticationQueue {
  /// The records that tell of what happens to a user.
  func records(of edit: UserEdit, at time: Date) throws(StorageError) -> [RecordChange] {
    var changes: [RecordChange] = []
    for operation in edit.events {
      changes += try records(of: operation, by: [edit.provider], edit.user.values.document, at: time)
    }
    return changes
  }
}

extension Document {
  /// Nil where there is nothing in it.
  fileprivate var unlessEmpty: Document? { elements.isEmpty ? nil : self }
}
