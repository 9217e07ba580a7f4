import Foundation
import GatehouseBSON

extension RLMUser {
  // Linking

  /// Has the user log in by another account as well.
  public func linkUser(credentials: Credentials) async throws -> User {
    if credentials.isAnonymous {
      throw AppError(.clientUserAlreadyNamed, "Cannot add anonymous credentials to an existing user.")
    }
    let request = session.loginRequest(credentials, links: true)
    let answer = try await send(request)
    let (access, refresh) = (try answer.requireText("access_token"), answer.member("refresh_token")?.text)
    change { record in
      if record.state != .loggedIn { return }
      record.accessToken = access
      if let refresh { record.refreshToken = refresh }
    }
    try await refreshProfile()
    return self
  }

  /// Has the user log in by another account as well.
  @preconcurrency
  public func linkUser(
    credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    Completion.run(completion) { try await self.linkUser(credentials: credentials) }
  }

  /// Asks the server who the user is.
  func refreshProfile() async throws(RLMAppError) {
    let answer = try await send(AppRequest(.get, "/auth/profile"))
    var record = current
    try record.take(profile: answer)
    change { [record] in
      $0.identities = record.identities
      $0.profile = record.profile
    }
  }

  // Custom data

  /// Asks the server for another access token, and so for the user's document as it is now.
  @discardableResult
  public func refreshCustomData() async throws -> Document {
    try await renew()
    return customData
  }

  /// Asks the server for another access token, and so for the user's document as it is now.
  @preconcurrency
  public func refreshCustomData(
    _ completion: @escaping @Sendable (Result<[AnyHashable: Any], any Error>) -> Void
  ) {
    Completion.run(
      { (result: Result<Document, any Error>) in
        completion(
          result.map { document in
            Dictionary(
              uniqueKeysWithValues: document.map { (AnyHashable($0.key), ($0.value ?? .null).anyValue) })
          })
      }, { try await self.refreshCustomData() })
  }

  // Leaving

  /// Ends the user's session, here and on the server. An anonymous user is removed.
  public func logOut() async throws {
    guard isLoggedIn else { return }
    let token = refreshToken
    forgetTokens()
    _ = try await session.client.send(AppRequest(.delete, "/auth/session"), token: token)
  }

  /// Ends the user's session, here and on the server. An anonymous user is removed.
  @preconcurrency
  public func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
    Completion.run(completion) { try await self.logOut() }
  }

  /// Ends the user's session, and has the app not know the user any more. The server does.
  public func remove() async throws {
    guard state != .removed else { throw AppError(.clientUserNotFound, "User has already been removed") }
    defer { session.remove(self) }
    try await logOut()
  }

  /// Ends the user's session, and has the app not know the user any more. The server does.
  @preconcurrency
  public func remove(completion: @escaping @Sendable ((any Error)?) -> Void) {
    Completion.run(completion) { try await self.remove() }
  }

  /// Has the server delete the user, and the app not know them any more.
  public func delete() async throws {
    guard isLoggedIn else {
      throw AppError(.clientUserNotLoggedIn, "User must be logged in to be deleted.")
    }
    _ = try await send(AppRequest(.delete, "/auth/delete"))
    session.remove(self)
  }

  /// Has the server delete the user, and the app not know them any more.
  @preconcurrency
  public func delete(completion: @escaping @Sendable ((any Error)?) -> Void) {
    Completion.run(completion) { try await self.delete() }
  }

  private func forgetTokens() {
    if current.isAnonymous { return session.remove(self) }
    change { record in
      (record.accessToken, record.refreshToken) = (nil, nil)
      record.state = .loggedOut
    }
    session.tell()
  }
}

extension AnyBSON {
  /// The value as Foundation has it, for dictionaries of any values.
  var anyValue: Any {
    switch self {
    case .double(let value): value
    case .string(let value): value
    case .document(let value): value.mapValues { ($0 ?? .null).anyValue }
    case .array(let value): value.map { ($0 ?? .null).anyValue }
    case .binary(let value): value
    case .objectId(let value): value
    case .bool(let value): value
    case .datetime(let value), .timestamp(let value): value
    case .regex(let value): value
    case .int32(let value): Int(value)
    case .int64(let value): Int(value)
    case .decimal128(let value): value
    case .uuid(let value): value
    case .minKey: MinKey()
    case .maxKey: MaxKey()
    case .null: NSNull()
    }
  }
}
