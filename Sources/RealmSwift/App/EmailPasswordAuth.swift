import GatehouseBSON

/// Accounts of addresses and passwords: registers, confirms and resets them.
public typealias EmailPasswordAuth = RLMEmailPasswordAuth

/// Accounts of addresses and passwords: registers, confirms and resets them.
public final class RLMEmailPasswordAuth: Sendable {
  private let client: AppClient

  init(client: AppClient) { self.client = client }

  private func post(_ path: String, _ content: GatehouseBSON.Document) async throws(RLMAppError) {
    let path = "\(client.appPath)/auth/providers/local-userpass/\(path)"
    _ = try await client.send(AppRequest(.post, path, .document(content)))
  }

  // Registering

  /// Makes an account, which may have to be confirmed.
  public func registerUser(email: String, password: String) async throws {
    try await post("register", ["email": .string(email), "password": .string(password)])
  }

  /// Makes an account, which may have to be confirmed.
  @preconcurrency
  public func registerUser(
    email: String, password: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.registerUser(email: email, password: password) }
  }

  // Confirming

  /// Confirms an address by the token that was sent there.
  public func confirmUser(_ token: String, tokenId: String) async throws {
    try await post("confirm", ["token": .string(token), "tokenId": .string(tokenId)])
  }

  /// Confirms an address by the token that was sent there.
  @preconcurrency
  public func confirmUser(
    _ token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.confirmUser(token, tokenId: tokenId) }
  }

  /// Has another mail sent by which an address is confirmed.
  public func resendConfirmationEmail(email: String) async throws {
    try await post("confirm/send", ["email": .string(email)])
  }

  /// Has another mail sent by which an address is confirmed.
  public func resendConfirmationEmail(_ email: String) async throws {
    try await resendConfirmationEmail(email: email)
  }

  /// Has another mail sent by which an address is confirmed.
  @preconcurrency
  public func resendConfirmationEmail(
    email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.resendConfirmationEmail(email: email) }
  }

  /// Has another mail sent by which an address is confirmed.
  @preconcurrency
  public func resendConfirmationEmail(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    resendConfirmationEmail(email: email, completion: completion)
  }

  /// Has the app's function confirm an address once more.
  public func retryCustomConfirmation(email: String) async throws {
    try await post("confirm/call", ["email": .string(email)])
  }

  /// Has the app's function confirm an address once more.
  public func retryCustomConfirmation(_ email: String) async throws {
    try await retryCustomConfirmation(email: email)
  }

  /// Has the app's function confirm an address once more.
  @preconcurrency
  public func retryCustomConfirmation(
    email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.retryCustomConfirmation(email: email) }
  }

  /// Has the app's function confirm an address once more.
  @preconcurrency
  public func retryCustomConfirmation(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    retryCustomConfirmation(email: email, completion: completion)
  }

  // Resetting

  /// Has a mail sent by which an account gets another password.
  public func sendResetPasswordEmail(email: String) async throws {
    try await post("reset/send", ["email": .string(email)])
  }

  /// Has a mail sent by which an account gets another password.
  public func sendResetPasswordEmail(_ email: String) async throws {
    try await sendResetPasswordEmail(email: email)
  }

  /// Has a mail sent by which an account gets another password.
  @preconcurrency
  public func sendResetPasswordEmail(
    email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.sendResetPasswordEmail(email: email) }
  }

  /// Has a mail sent by which an account gets another password.
  @preconcurrency
  public func sendResetPasswordEmail(
    _ email: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    sendResetPasswordEmail(email: email, completion: completion)
  }

  /// Gives an account another password, by the token that was sent to its address.
  public func resetPassword(to password: String, token: String, tokenId: String) async throws {
    try await post(
      "reset", ["password": .string(password), "token": .string(token), "tokenId": .string(tokenId)])
  }

  /// Gives an account another password, by the token that was sent to its address.
  @preconcurrency
  public func resetPassword(
    to password: String, token: String, tokenId: String,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) { try await self.resetPassword(to: password, token: token, tokenId: tokenId) }
  }

  /// Has the app's function give an account another password.
  public func callResetPasswordFunction(email: String, password: String, args: [AnyBSON]) async throws {
    try await post(
      "reset/call",
      ["email": .string(email), "password": .string(password), "arguments": .array(args.map(\.stored))])
  }

  /// Has the app's function give an account another password.
  @preconcurrency
  public func callResetPasswordFunction(
    email: String, password: String, args: [AnyBSON], _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Completion.run(completion) {
      try await self.callResetPasswordFunction(email: email, password: password, args: args)
    }
  }
}
