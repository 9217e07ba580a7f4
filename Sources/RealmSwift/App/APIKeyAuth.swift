import GatehouseBSON

/// A key by which a user can log in.
public typealias UserAPIKey = RLMUserAPIKey

/// A key by which a user can log in.
public struct RLMUserAPIKey: Hashable, Sendable {
  /// Whether nobody can log in by it for now.
  public let disabled: Bool
  /// The name that the user has given it.
  public let name: String
  /// The key itself, which is told once, when it is made; nil later on.
  public let key: String?
  /// The identifier of the key.
  public let objectId: ObjectId

  init(_ answer: GatehouseBSON.Value) throws(RLMAppError) {
    name = try answer.requireText("name")
    key = answer.member("key")?.text
    guard let id = try? ObjectId(string: try answer.requireText("_id")) else { throw .incomplete("_id") }
    objectId = id
    guard case .bool(let isDisabled)? = answer.member("disabled") else { throw .incomplete("disabled") }
    disabled = isDisabled
  }
}

/// The keys of a user: makes, lists, enables, disables and deletes them.
public typealias APIKeyAuth = RLMAPIKeyAuth

/// The keys of a user: makes, lists, enables, disables and deletes them.
public final class RLMAPIKeyAuth: Sendable {
  private let user: User
  private static let path = "/auth/api_keys"

  init(user: User) { self.user = user }

  private func path(_ id: ObjectId, _ step: String = "") -> String { "\(Self.path)/\(id.stringValue)\(step)" }

  // Making and finding

  /// Makes a key, and returns it with its text.
  public func createAPIKey(named: String) async throws -> UserAPIKey {
    try UserAPIKey(
      try await user.sendRefreshing(
        AppRequest(.post, Self.path, .document(["name": .string(named)]))))
  }

  /// Makes a key, and hands it over with its text.
  @preconcurrency
  public func createAPIKey(
    named: String, completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) {
    Completion.run(completion) { try await self.createAPIKey(named: named) }
  }

  /// Returns a key, without its text.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
    try UserAPIKey(try await user.sendRefreshing(AppRequest(.get, path(objectId))))
  }

  /// Hands a key over, without its text.
  @preconcurrency
  public func fetchAPIKey(
    _ objectId: ObjectId, _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) {
    Completion.run(completion) { try await self.fetchAPIKey(objectId) }
  }

  /// Returns all keys, without their texts.
  public func fetchAPIKeys() async throws -> [UserAPIKey] {
    let answer = try await user.sendRefreshing(AppRequest(.get, Self.path))
    return try answer.elements.map { try UserAPIKey($0) }
  }

  /// Hands all keys over, without their texts.
  @preconcurrency
  public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void) {
    Completion.run(completion) { try await self.fetchAPIKeys() }
  }

  // Changing

  /// Deletes a key.
  public func deleteAPIKey(_ objectId: ObjectId) async throws {
    _ = try await user.sendRefreshing(AppRequest(.delete, path(objectId)))
  }

  /// Deletes a key.
  @preconcurrency
  public func deleteAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.deleteAPIKey(objectId) }
  }

  /// Lets the user log in by a key again.
  public func enableAPIKey(_ objectId: ObjectId) async throws {
    _ = try await user.sendRefreshing(AppRequest(.put, path(objectId, "/enable")))
  }

  /// Lets the user log in by a key again.
  @preconcurrency
  public func enableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.enableAPIKey(objectId) }
  }

  /// Has nobody log in by a key for now.
  public func disableAPIKey(_ objectId: ObjectId) async throws {
    _ = try await user.sendRefreshing(AppRequest(.put, path(objectId, "/disable")))
  }

  /// Has nobody log in by a key for now.
  @preconcurrency
  public func disableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.disableAPIKey(objectId) }
  }
}
