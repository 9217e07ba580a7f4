import Foundation
import GatehouseBSON
import Synchronization

/// The users of an app on this machine, shared by all that a program has of the app.
final class AppSession: Sendable {
  let client: AppClient
  private let file: UserFile
  /// The one who was used last first.
  private let users = Mutex<[User]>([])
  let subscribers = Subscribers<App>()
  private let logins = SharedOperation<User>()

  private struct Key: Hashable {
    let app: String
    let directory: String
  }

  private static let sessions = Mutex<[Key: AppSession]>([:])

  /// Returns the session of an app with its server, the same for all who ask. The first to ask decides how it is asked.
  static func of(_ app: String, _ settings: AppSettings) -> AppSession {
    sessions.withLock { sessions in
      let key = Key(app: app, directory: settings.directory(of: app))
      if let known = sessions[key] { return known }
      let session = AppSession(AppClient(app, settings), UserFile(in: key.directory))
      sessions[key] = session
      return session
    }
  }

  /// Forgets all sessions, so that apps are as in a program that has just been started.
  static func forgetAll() { sessions.withLock { $0 = [:] } }

  private init(_ client: AppClient, _ file: UserFile) {
    self.client = client
    self.file = file
    let known = file.read().map { User($0.id, $0.record, self) }
    users.withLock { $0 = known }
  }

  var app: App { App(self) }

  // Users

  var all: [User] { users.withLock { $0 } }

  /// The user who logged in, or was switched to, last, and is still logged in; nil: nobody is.
  var current: User? { all.first { $0.isLoggedIn } }

  /// Has a user be the current one.
  func use(_ user: User) {
    users.withLock { users in
      users.removeAll { $0 === user }
      users.insert(user, at: 0)
    }
    save()
    tell()
  }

  /// Has the app not know a user any more.
  func remove(_ user: User) {
    users.withLock { $0.removeAll { $0 === user } }
    user.change { record in
      (record.accessToken, record.refreshToken) = (nil, nil)
      record.state = .removed
    }
    tell()
  }

  func tell() { subscribers.tell(app) }

  /// Keeps the users as they are now.
  func save() {
    file.write { all.map { ($0.id, $0.current) } }
  }

  // Logging in

  /// Logs somebody in, who is the current user from then on. An anonymous user who is there already is used again.
  func logIn(_ credentials: Credentials) async throws(RLMAppError) -> User {
    guard credentials.isAnonymous else { return try await logInAnew(credentials) }
    return try await logins.run { () async throws(RLMAppError) in
      if let user = self.all.first(where: { $0.isLoggedIn && $0.current.isAnonymous }) {
        self.use(user)
        return user
      }
      return try await self.logInAnew(credentials)
    }
  }

  private func logInAnew(_ credentials: Credentials) async throws(RLMAppError) -> User {
    let answer = try await client.send(loginRequest(credentials, links: false))
    let id = try answer.requireText("user_id")
    var record = UserRecord()
    record.accessToken = try answer.requireText("access_token")
    record.refreshToken = try answer.requireText("refresh_token")
    record.deviceID = try answer.requireText("device_id")
    try record.take(
      profile: try await client.send(AppRequest(.get, "/auth/profile"), token: record.accessToken))
    let user = users.withLock { [record] users in
      if let known = users.first(where: { $0.id == id }) { return known }
      let new = User(id, record, self)
      users.append(new)
      return new
    }
    user.change { [record] in $0 = record }
    use(user)
    return user
  }

  /// The request that logs in; `links`: by an account that becomes one of the user whose token is sent.
  func loginRequest(_ credentials: Credentials, links: Bool) -> AppRequest {
    let path = "\(client.appPath)/auth/providers/\(credentials.provider)/login"
    return AppRequest(.post, path + (links ? "?link=true" : ""), credentials.content(device))
  }

  /// The things that a client tells of its machine.
  private var device: GatehouseBSON.Document {
    #if arch(arm64)
      let architecture = "arm64"
    #else
      let architecture = "x86_64"
    #endif
    let facts = [
      ("appId", client.appID), ("platform", "Linux"), ("platformVersion", ""), ("sdk", "Swift"),
      ("sdkVersion", "10.54.0"), ("cpuArch", architecture), ("deviceName", ""), ("deviceVersion", ""),
      ("frameworkName", "gatehouse"), ("frameworkVersion", ""), ("coreVersion", ""), ("bundleId", ""),
    ]
    return GatehouseBSON.Document(facts.map { .init(key: $0.0, value: .string($0.1)) })
  }
}
