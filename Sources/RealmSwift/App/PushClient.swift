import GatehouseBSON

/// A service for push notifications, which the device is registered with.
public typealias PushClient = RLMPushClient

/// A service for push notifications, which the device is registered with.
///
/// App Services had given them up: a gateway knows no service of any name, and says so.
public final class RLMPushClient: Sendable {
  /// The name of the service.
  public let serviceName: String
  private let session: AppSession

  init(session: AppSession, serviceName: String) {
    self.session = session
    self.serviceName = serviceName
  }

  private var path: String {
    "\(session.client.appPath)/push/providers/\(AppRequest.escaped(serviceName))/registration"
  }

  /// Registers the device of a user, by the token of its maker's service.
  public func registerDevice(token: String, user: User) async throws {
    _ = try await user.send(AppRequest(.put, path, .document(["registrationToken": .string(token)])))
  }

  /// Registers the device of a user, by the token of its maker's service.
  @preconcurrency
  public func registerDevice(
    token: String, user: User, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.registerDevice(token: token, user: user) }
  }

  /// Has the device of a user not be registered any more.
  public func deregisterDevice(user: User) async throws {
    _ = try await user.send(AppRequest(.delete, path))
  }

  /// Has the device of a user not be registered any more.
  @preconcurrency
  public func deregisterDevice(user: User, completion: @escaping @Sendable ((any Error)?) -> Void) {
    Completion.run(completion) { try await self.deregisterDevice(user: user) }
  }
}
