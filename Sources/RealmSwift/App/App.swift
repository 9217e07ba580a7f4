/// An app of a gateway: its users, and what they may do.
public typealias App = RLMApp

/// An app of a gateway: its users, and what they may do.
///
/// All that a program has of one app with one server share their users.
public final class RLMApp: Sendable {
  let session: AppSession

  init(_ session: AppSession) { self.session = session }

  /// An app by its name.
  ///
  /// - Parameter configuration: Where the app's server is; nil: on this machine, at port 8080.
  public convenience init(id: String, configuration: AppConfiguration? = nil) {
    self.init(AppSession.of(id, AppSettings(configuration ?? AppConfiguration())))
  }

  /// The name of the app.
  public var appId: String { session.client.appID }

  /// Where the app's server is, and how it is asked: a copy, which changes nothing.
  public var configuration: AppConfiguration {
    let settings = session.client.settings
    let configuration = AppConfiguration(
      baseURL: settings.baseURL, transport: settings.transport, defaultRequestTimeoutMS: settings.timeout)
    configuration.rootDirectory = settings.rootDirectory
    return configuration
  }

  /// The address of the server.
  public var baseURL: String { session.client.baseURL }

  /// Goes over to another server of the same app, if there is one at the address; users and their tokens stay.
  ///
  /// - Parameter url: The address; nil: `http://127.0.0.1:8080`.
  public func updateBaseUrl(to url: String?) async throws {
    try await session.client.move(to: AppSettings.address(url ?? AppSettings.defaultURL))
  }

  /// Goes over to another server of the same app, if there is one at the address; users and their tokens stay.
  @preconcurrency
  public func updateBaseUrl(
    to url: String?, _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.updateBaseUrl(to: url) }
  }

  // Users

  /// The user who logged in, or was switched to, last; nil: nobody is logged in.
  public var currentUser: User? { session.current }

  /// All users who have logged in on this machine, and were not removed, by their names.
  public var allUsers: [String: User] {
    Dictionary(session.all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Logs somebody in, who is the current user from then on.
  public func login(credentials: Credentials) async throws -> User {
    try await session.logIn(credentials)
  }

  /// Logs somebody in, who is the current user from then on.
  @preconcurrency
  public func login(
    credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    Completion.run(completion) { try await self.login(credentials: credentials) }
  }

  /// Has a user who is logged in be the current one. Stops where the user is not.
  @discardableResult
  public func `switch`(to user: User) -> User {
    guard user.isLoggedIn, session.all.contains(user) else {
      fatalError("User is no longer valid or is logged out.")
    }
    session.use(user)
    return user
  }

  /// Registers, confirms and resets accounts of addresses and passwords.
  public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(client: session.client) }

  /// Registers the device with a service for push notifications.
  public func pushClient(serviceName: String) -> PushClient {
    PushClient(session: session, serviceName: serviceName)
  }

  /// Calls `block` when somebody logs in or out, or is switched to.
  public func subscribe(_ block: @escaping @Sendable (App) -> Void) -> RLMAppSubscriptionToken {
    RLMAppSubscriptionToken(session.subscribers, block)
  }
}

extension RLMApp: Hashable {
  /// Whether both are the same app of the same server.
  public static func == (lhs: RLMApp, rhs: RLMApp) -> Bool { lhs.session === rhs.session }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(session)) }
}
