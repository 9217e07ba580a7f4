import Foundation
import GatehouseTestSupport
import Testing

@testable import RealmSwift

/// Functions, keys, custom data and accounts of Realm Swift's `App`, with a gateway.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct AppUserTests {
  @Test func `functions are called by their names in three ways`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    #expect(try await user.functions.sum(1, 2, 3, 4, 5) == .int32(15))
    // An array is spread, as in Realm's examples.
    #expect(try await user.functions.sum([1, 2, 3, 4, 5]) == .int32(15))
    #expect(try await user.functions.who() == .string(user.id))
    #expect(try await user.functions.nothing() == .null)
    let id = ObjectId("0123456789abcdef01234567")
    let date = Date(timeIntervalSince1970: 1.5)
    let values: [AnyBSON?] = [
      .int32(1), .int64(2), .double(1.5), .string("ä"), .bool(true), .null, .objectId(id), .datetime(date),
      .binary(Data([1, 2])), .decimal128("1.25"), .uuid(UUID()), .minKey, .document(["a": ["b": 1]]),
    ]
    let arguments = values.map { $0 ?? .null }
    let echoed = try await user.call("echo", arguments)
    #expect(echoed == .array(values))

    // The examples of Realm's page of structures.
    let said: AnyBSON? = await withCheckedContinuation { continuation in
      user.functions.sum([1, 2, 3, 4, 5]) { sum, error in
        guard case .int32(let value) = sum else { return continuation.resume(returning: nil) }
        continuation.resume(returning: error == nil ? .int32(value) : nil)
      }
    }
    #expect(said == .int32(15))
    guard case .int32(let sum) = try await user.functions.sum([1, 2, 3, 4, 5]) else {
      Issue.record("no sum")
      return
    }
    #expect(sum == 15)
    let one: Result<AnyBSON, any Error> = await withCheckedContinuation { continuation in
      user.functions.fail([]) { (result: Result<AnyBSON, any Error>) in continuation.resume(returning: result)
      }
    }
    #expect(throws: AppError.self) { try one.get() }
  }

  @Test func `errors of functions have Realm's codes`() async throws {
    let site = try AppSite(options: ["--functions-seconds", "1"])
    defer { site.end() }
    let user = try await site.user()
    let missing = await appError { _ = try await user.functions.unknown(1) }
    #expect(missing?.code == .functionNotFound && missing?.httpStatusCode == 404)
    #expect(missing?.localizedDescription == "function not found: 'unknown'")
    let failed = await appError { _ = try await user.functions.fail() }
    #expect(
      failed?.code == .functionExecutionError && failed?.localizedDescription.contains("not today") == true)
    #expect((failed as NSError?)?.domain == "io.realm.app" && (failed as NSError?)?.code == 14)
    let slow = await appError { _ = try await user.functions.slow() }
    #expect(slow?.code == .executionTimeLimitExceeded)
    let hidden = await appError { _ = try await user.functions.auth([:]) }
    #expect(hidden?.code == .functionNotCallable)
  }

  @Test func `a user's document comes with the token`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    #expect(user.customData == [:])
    #expect(try await user.functions.note(1, .string(user.id), "green", 10) == true)
    #expect(user.customData == [:])
    let data = try await user.refreshCustomData()
    #expect(data["color"] == .string("green") && data["apples"] == .int64(10))
    #expect(user.customData == data)
    let text: String = await withCheckedContinuation { continuation in
      user.refreshCustomData { result in
        let values = (try? result.get()) ?? [:]
        continuation.resume(returning: "\(values["color"] as? String ?? "") \(values["apples"] as? Int ?? 0)")
      }
    }
    #expect(text == "green 10")
    try await user.logOut()
    #expect(user.customData == [:])
    #expect(await appError { try await user.refreshCustomData() }?.code == .clientUserNotLoggedIn)
  }

  @Test func `a token that is taken no longer is renewed once, by whoever asks, and never for ever`()
    async throws
  {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    let session = "POST /auth/session"
    let call = "POST /app/sample-abcde/functions/call"
    user.change { $0.accessToken = "a.b.c" }
    let sums = try await withThrowingTaskGroup(of: AnyBSON.self) { group in
      for number in 0..<20 { group.addTask { try await user.functions.sum(.int64(Int64(number)), 1) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(sums.compactMap(\.int32Value)) == Set(1...20))
    #expect(site.transport.count(of: session) == 1)
    #expect(user.accessToken != "a.b.c" && user.isLoggedIn)
    #expect(site.transport.count(of: call) <= 40)

    // Neither token is taken: each request is sent once, and asked for renewal once.
    let calls = site.transport.count(of: call)
    user.change { ($0.accessToken, $0.refreshToken) = ("a.b.c", "d.e.f") }
    let error = await appError { _ = try await user.functions.who() }
    #expect(error?.httpStatusCode == 401 && error?.code == .invalidSession)
    #expect(site.transport.count(of: call) == calls + 1 && site.transport.count(of: session) == 2)
    #expect(user.isLoggedIn)
  }

  @Test func `a session that was ended elsewhere is told with Realm's text`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    let token = try #require(user.refreshToken)
    _ = try site.server.send(
      "DELETE", "/api/client/v2.0/auth/session", fields: ["Authorization": "Bearer \(token)"])
    let error = await appError { try await user.refreshCustomData() }
    #expect(error?.code == .invalidSession)
    #expect(error?.localizedDescription == "invalid session: failed to find refresh token")
  }

  @Test func `keys are made, listed, disabled, enabled and deleted`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    let keys = user.apiKeysAuth
    #expect(try await keys.fetchAPIKeys().isEmpty)
    let made = try await keys.createAPIKey(named: "my-key")
    #expect(made.name == "my-key" && !made.disabled && made.key?.isEmpty == false)
    let fetched = try await keys.fetchAPIKey(made.objectId)
    #expect(fetched.name == "my-key" && fetched.key == nil && fetched.objectId == made.objectId)
    #expect(try await keys.fetchAPIKeys() == [fetched])
    let credentials = Credentials.userAPIKey(made.key ?? "")
    try await keys.disableAPIKey(made.objectId)
    #expect(try await keys.fetchAPIKey(made.objectId).disabled)
    #expect(await appError { _ = try await site.app.login(credentials: credentials) } != nil)
    try await keys.enableAPIKey(made.objectId)
    #expect(try await site.app.login(credentials: credentials) === user)
    let listed: Result<[UserAPIKey], any Error> = await withCheckedContinuation { continuation in
      keys.fetchAPIKeys { continuation.resume(returning: $0) }
    }
    #expect(try listed.get() == [fetched])
    // The session that began with a key needs it.
    #expect(await appError { try await keys.deleteAPIKey(made.objectId) }?.httpStatusCode == 403)
    _ = try await site.app.login(
      credentials: .emailPassword(email: "ann@example.org", password: "secret1"))
    try await keys.deleteAPIKey(made.objectId)
    let gone = await appError { _ = try await keys.fetchAPIKey(made.objectId) }
    #expect(gone?.code == .apiKeyNotFound && gone?.localizedDescription == "API key not found")
    #expect(await appError { _ = try await keys.createAPIKey(named: "no space") }?.code == .invalidParameter)
    try await user.logOut()
    #expect(await appError { _ = try await keys.fetchAPIKeys() }?.code == .clientUserNotLoggedIn)
  }

  @Test func `accounts are refused, confirmed and reset as Realm's clients expect`() async throws {
    let site = try AppSite(
      providers: """
        {"local-userpass":{"config":{"runConfirmationFunction":true,"confirmationFunctionName":"confirm",
          "runResetFunction":true,"resetFunctionName":"reset"}}}
        """)
    defer { site.end() }
    let accounts = site.app.emailPasswordAuth
    try await accounts.registerUser(email: "ann@example.org", password: "secret1")
    let error = { (body: () async throws -> Void) async -> String in
      let error = await appError(body)
      return "\(error.map { "\($0.code)" } ?? "none"): \(error?.localizedDescription ?? "")"
    }
    #expect(
      await error { try await accounts.registerUser(email: "ann@example.org", password: "secret1") }
        == "accountNameInUse: name already in use")
    #expect(
      await error { try await accounts.confirmUser("t", tokenId: "i") } == "badRequest: invalid token data")
    #expect(
      await error { try await accounts.resetPassword(to: "secret2", token: "t", tokenId: "i") }
        == "badRequest: invalid token data")
    #expect(
      await error { try await accounts.retryCustomConfirmation(email: "ann@example.org") }
        == "userAlreadyConfirmed: already confirmed")
    #expect(
      await error { try await accounts.resendConfirmationEmail(email: "nobody@example.org") }
        .hasPrefix("userNotFound: user not found"))
    #expect(
      await error { try await accounts.sendResetPasswordEmail("ann@example.org") }
        == "appUnknownError: please use reset password via function")
    #expect(
      await error {
        try await accounts.callResetPasswordFunction(
          email: "ann@example.org", password: "secret2", args: ["no"])
      } == "appUnknownError: failed to reset password for user \"ann@example.org\"")
    try await accounts.callResetPasswordFunction(
      email: "ann@example.org", password: "secret2", args: ["please"])
    _ = try await site.app.login(credentials: .emailPassword(email: "ann@example.org", password: "secret2"))
  }

  @Test func `there is no service for push notifications`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let user = try await site.user()
    let client = site.app.pushClient(serviceName: "gcm")
    #expect(client.serviceName == "gcm")
    let error = await appError { try await client.registerDevice(token: "t", user: user) }
    #expect(error?.code == .serviceNotFound && error?.localizedDescription == "service not found: 'gcm'")
    #expect(await appError { try await client.deregisterDevice(user: user) }?.code == .serviceNotFound)
  }
}
