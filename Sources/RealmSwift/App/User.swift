import GatehouseBSON
import Synchronization

/// A user of an app, who has logged in on this machine.
public typealias User = RLMUser

/// A user of an app, who has logged in on this machine.
public final class RLMUser: Sendable {
  /// The name of the user with the server.
  public let id: String
  let session: AppSession
  private let record: Mutex<UserRecord>
  private let renewing = SharedOperation<Void>()
  let subscribers = Subscribers<User>()

  init(_ id: String, _ record: UserRecord, _ session: AppSession) {
    self.id = id
    self.record = Mutex(record)
    self.session = session
  }

  /// The facts about the user, as they are now.
  var current: UserRecord { record.withLock { $0 } }

  /// Changes the facts, keeps them in the app's file, and tells subscribers.
  func change(_ body: (inout UserRecord) -> Void) {
    record.withLock { body(&$0) }
    session.save()
    subscribers.tell(self)
  }

  // Facts

  /// Whether the user can be used.
  public var state: UserState { current.state }

  /// Whether the user has tokens.
  public var isLoggedIn: Bool { state == .loggedIn }

  /// The accounts by which the user can log in, in the order in which they were linked.
  public var identities: [UserIdentity] { current.identities }

  /// The token that requests carry; nil: the user is logged out.
  public var accessToken: String? { current.accessToken }

  /// The token by which another access token is to be had; nil: the user is logged out.
  public var refreshToken: String? { current.refreshToken }

  /// The things that providers tell of the user.
  public var profile: UserProfile { UserProfile(current.profile) }

  /// The document that the server keeps of the user, as of the access token.
  public var customData: Document { accessToken.map { AccessToken.userData(in: $0) } ?? [:] }

  /// Calls the app's functions as the user.
  public var functions: Functions { Functions(user: self) }

  /// The user's keys.
  public var apiKeysAuth: APIKeyAuth { APIKeyAuth(user: self) }

  /// A data source of the app, by its name.
  public func mongoClient(_ serviceName: String) -> MongoClient { MongoClient(user: self, name: serviceName) }

  /// Calls `block` when the user changes.
  public func subscribe(_ block: @escaping @Sendable (User) -> Void) -> RLMUserSubscriptionToken {
    RLMUserSubscriptionToken(subscribers, block)
  }

  // Requests

  /// Sends a request with the access token. Where the server takes that no longer, it is renewed, and the request sent once more; what
  /// comes of that is the outcome, so that no answer can have it be sent for ever.
  func send(_ request: AppRequest) async throws(RLMAppError) -> GatehouseBSON.Value {
    guard let token = accessToken else { throw .notLoggedIn }
    do throws(RLMAppError) { return try await session.client.send(request, token: token) } catch {
      guard error.httpStatusCode == 401, let renewed = await renewedToken(after: token) else { throw error }
      return try await session.client.send(request, token: renewed)
    }
  }

  /// Sends a request with the refresh token, which cannot be renewed.
  func sendRefreshing(_ request: AppRequest) async throws(RLMAppError) -> GatehouseBSON.Value {
    guard let token = refreshToken else { throw .notLoggedIn }
    return try await session.client.send(request, token: token)
  }

  /// Returns an access token in place of one that is not taken; nil: the server gives none.
  func renewedToken(after token: String) async -> String? {
    // Somebody else may have renewed it meanwhile.
    if accessToken == token { try? await renew() }
    return accessToken == token ? nil : accessToken
  }

  /// Gets another access token, once for all who ask at the same time.
  func renew() async throws(RLMAppError) {
    try await renewing.run { () async throws(RLMAppError) in
      let refreshToken = self.refreshToken
      let answer = try await self.sendRefreshing(AppRequest(.post, "/auth/session"))
      let token = try answer.requireText("access_token")
      // A user who has logged out meanwhile, and perhaps in again, has another session.
      self.change { if $0.refreshToken == refreshToken { $0.accessToken = token } }
    }
  }
}

extension RLMUser: Hashable {
  public static func == (lhs: RLMUser, rhs: RLMUser) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The facts about a user, which the app's file keeps.
struct UserRecord: Sendable {
  var accessToken: String?
  var refreshToken: String?
  var deviceID = ""
  var identities: [UserIdentity] = []
  var profile: Document = [:]
  var state = UserState.loggedIn

  /// Whether the user is known by nothing.
  var isAnonymous: Bool {
    identities.count == 1 && identities[0].providerType == AnonymousUser.provider
  }

  /// Takes what the server tells of the user.
  mutating func take(profile answer: GatehouseBSON.Value) throws(RLMAppError) {
    guard let identities = answer.member("identities"), let data = answer.member("data") else {
      throw .incomplete("identities")
    }
    var known: [UserIdentity] = []
    for identity in identities.elements {
      known.append(
        UserIdentity(
          providerType: try identity.requireText("provider_type"), identifier: try identity.requireText("id"))
      )
    }
    self.identities = known
    profile = AnyBSON(data).documentValue ?? [:]
  }
}
