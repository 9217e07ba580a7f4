import Foundation
import RealmSwift
import Synchronization
import Testing

/// An app's server that a test plays.
private final class StubTransport: RLMNetworkTransport, @unchecked Sendable {
  typealias Answer = (status: Int, body: String)
  private let answer: @Sendable (RLMRequest) -> Answer
  private let sent = Mutex<[String]>([])

  init(_ answer: @escaping @Sendable (RLMRequest) -> Answer) { self.answer = answer }

  /// The paths that were asked for, with their methods.
  var requests: [String] { sent.withLock { $0 } }

  override func sendRequest(
    toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
  ) {
    let path = request.url.components(separatedBy: "/api/client/v2.0").last ?? ""
    sent.withLock { $0.append("\(request.method) \(path)") }
    let (status, body) = answer(request)
    let response = RLMResponse()
    response.httpStatusCode = status
    response.headers = ["content-type": "application/json"]
    response.body = body
    Task { completion(response) }
  }
}

struct AppTests {
  /// A server that logs in whoever comes, as user 1, and calls functions for the token that it has given last.
  private final class Site: Sendable {
    let number = Mutex(0)

    var token: String { number.withLock { "access\($0)" } }

    func answer(_ request: RLMRequest) -> (Int, String) {
      if request.url.hasSuffix("/location") { return (200, #"{"hostname":"http://stub"}"#) }
      if request.url.contains("/login") {
        let token = number.withLock { number in
          number += 1
          return number
        }
        return (
          200,
          #"{"user_id":"1","access_token":"access\#(token)","refresh_token":"refresh\#(token)","device_id":"d"}"#
        )
      }
      if request.url.hasSuffix("/auth/profile") {
        return (200, #"{"identities":[{"id":"a","provider_type":"local-userpass"}],"data":{"email":"e"}}"#)
      }
      if request.url.hasSuffix("/auth/session"), request.method == .post {
        number.withLock { $0 += 1 }
        return (201, #"{"access_token":"\#(token)"}"#)
      }
      if request.url.hasSuffix("/auth/session") { return (204, "") }
      guard request.headers["Authorization"] == "Bearer \(token)" else {
        return (401, #"{"error":"invalid session","error_code":"InvalidSession"}"#)
      }
      return (200, #"{"$numberInt":"7"}"#)
    }
  }

  private static func app(_ transport: RLMNetworkTransport) -> (app: App, directory: URL) {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let configuration = AppConfiguration(baseURL: "http://stub", transport: transport)
    configuration.rootDirectory = directory
    return (App(id: "shop-abcde", configuration: configuration), directory)
  }

  private static func app(_ site: Site) -> (app: App, transport: StubTransport, directory: URL) {
    let transport = StubTransport { site.answer($0) }
    let (app, directory) = app(transport)
    return (app, transport, directory)
  }

  private static let credentials = Credentials.emailPassword(email: "e", password: "p")

  @Test(arguments: [
    "", "null", "[]", "7", #""text""#, "{", "<html>", #"{"hostname":7}"#, #"{"hostname":""}"#,
    #"{"user_id":"1"}"#,
    String(repeating: "[", count: 100_000),
  ])
  func `an answer that is none is an error, and nobody is logged in`(_ body: String) async throws {
    let (app, directory) = Self.app(StubTransport { _ in (200, body) })
    let error = await #expect(throws: AppError.self) { try await app.login(credentials: Self.credentials) }
    #expect(error?.code == .invalidServerResponse)
    let second = Self.app(
      StubTransport { $0.url.hasSuffix("/location") ? (200, #"{"hostname":"http://stub"}"#) : (200, body) }
    ).app
    let other = await #expect(throws: AppError.self) { try await second.login(credentials: Self.credentials) }
    #expect(other?.code == .invalidServerResponse)
    #expect(app.currentUser == nil && app.allUsers.isEmpty && second.currentUser == nil)
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test func `errors have the server's code and text, or that there was none`() async throws {
    let answers: [(Int, String, AppError.Code, String)] = [
      (401, #"{"error":"no","error_code":"InvalidPassword"}"#, .invalidPassword, "no"),
      (400, #"{"error":"odd","error_code":"Odd"}"#, .appServerError, "odd"),
      (500, #"{"error":"bad"}"#, .appUnknownError, "bad"),
      (502, "<html>", .httpError, "http error code considered fatal"),
    ]
    for (status, body, code, text) in answers {
      let (app, _) = Self.app(StubTransport { _ in (status, body) })
      let error = await #expect(throws: AppError.self) { try await app.login(credentials: Self.credentials) }
      #expect(error?.code == code && error?.localizedDescription == text && error?.httpStatusCode == status)
    }
  }

  @Test func `tokens are kept where only the user of the system reads them`() async throws {
    let (app, _, directory) = Self.app(Site())
    let user = try await app.login(credentials: Self.credentials)
    #expect(user.isLoggedIn && app.currentUser == user && app.allUsers == ["1": user])
    let enumerator = try #require(FileManager.default.enumerator(atPath: directory.path))
    var modes: [String: Int] = [:]
    for case let path as String in enumerator {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(path)")
      modes[String(path.split(separator: "/").last ?? "")] =
        (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(modes["users.json"] == 0o600)
    #expect(modes.filter { $0.key != "users.json" }.allSatisfy { $0.value == 0o700 })
    try await user.logOut()
    let file = try #require(
      FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String }.first {
        $0.hasSuffix("users.json")
      })
    let kept = try String(contentsOfFile: "\(directory.path)/\(file)", encoding: .utf8)
    #expect(!kept.contains("access1") && !kept.contains("refresh1"))
  }

  @Test func `many who find their token old have it renewed once`() async throws {
    let site = Site()
    let (app, transport, _) = Self.app(site)
    let user = try await app.login(credentials: Self.credentials)
    site.number.withLock { $0 += 1 }
    let results = await withTaskGroup(of: AnyBSON?.self) { group in
      for _ in 0..<50 { group.addTask { try? await user.functions.seven() } }
      return await group.reduce(into: [AnyBSON?]()) { $0.append($1) }
    }
    #expect(results.count == 50 && results.allSatisfy { $0 == .int32(7) })
    #expect(transport.requests.filter { $0 == "post /auth/session" }.count == 1)
  }

  @Test func `a token that is never taken is renewed once, and the error told`() async throws {
    let site = Site()
    let transport = StubTransport { request in
      request.url.contains("/functions/call")
        ? (401, #"{"error":"invalid session","error_code":"InvalidSession"}"#) : site.answer(request)
    }
    let user = try await Self.app(transport).app.login(credentials: Self.credentials)
    let error = await #expect(throws: AppError.self) { try await user.functions.seven() }
    #expect(error?.code == .invalidSession)
    #expect(transport.requests.filter { $0.contains("/functions/call") }.count == 2)
    #expect(transport.requests.filter { $0 == "post /auth/session" }.count == 1)
    #expect(user.isLoggedIn)
  }

  @Test func `logging in and out at the same time leaves users whole`() async throws {
    let (app, _, _) = Self.app(Site())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          if number % 3 == 0 {
            _ = try? await app.login(credentials: Self.credentials)
          } else if number % 3 == 1 {
            try? await app.currentUser?.logOut()
          } else {
            _ = try? await app.currentUser?.functions.seven()
          }
        }
      }
    }
    #expect(app.allUsers.count <= 1)
    for user in app.allUsers.values {
      #expect((user.accessToken == nil) == (user.refreshToken == nil))
      #expect(user.isLoggedIn == (user.accessToken != nil))
    }
    let user = try await app.login(credentials: Self.credentials)
    #expect(try await user.functions.seven() == .int32(7))
  }

  @Test func `a renewed token of a session that was ended is not the next one's`() async throws {
    let site = Site()
    let held = DispatchSemaphore(value: 0)
    let asked = DispatchSemaphore(value: 0)
    let transport = HoldingTransport(held: held, asked: asked) { site.answer($0) }
    let user = try await Self.app(transport).app.login(credentials: Self.credentials)
    let renewing = Task { try? await user.refreshCustomData() }
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        asked.wait()
        done.resume()
      }
    }
    try await user.logOut()
    held.signal()
    _ = await renewing.value
    #expect(!user.isLoggedIn && user.accessToken == nil && user.refreshToken == nil)
  }

  /// Has the answer with a renewed token wait.
  private final class HoldingTransport: RLMNetworkTransport, @unchecked Sendable {
    let held: DispatchSemaphore
    let asked: DispatchSemaphore
    let answer: @Sendable (RLMRequest) -> (Int, String)

    init(
      held: DispatchSemaphore, asked: DispatchSemaphore,
      _ answer: @escaping @Sendable (RLMRequest) -> (Int, String)
    ) {
      (self.held, self.asked, self.answer) = (held, asked, answer)
    }

    override func sendRequest(
      toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
    ) {
      let response = RLMResponse()
      (response.httpStatusCode, response.body) = answer(request)
      response.headers = ["Content-Type": "application/json"]
      guard request.url.hasSuffix("/auth/session"), request.method == .post else {
        return completion(response)
      }
      asked.signal()
      let handover = Handover(response: response)
      Thread.detachNewThread { [held] in
        held.wait()
        completion(handover.response)
      }
    }

    private struct Handover: @unchecked Sendable { let response: RLMResponse }
  }

  @Test func `an app goes over to another server that knows it`() async throws {
    let site = Site()
    let transport = StubTransport { request in
      request.url.hasPrefix("http://other/") && request.url.hasSuffix("/location")
        ? (200, #"{"hostname":"http://other"}"#)
        : request.url.hasPrefix("http://nowhere") ? (404, "") : site.answer(request)
    }
    let (app, _) = Self.app(transport)
    let user = try await app.login(credentials: Self.credentials)
    await #expect(throws: AppError.self) { try await app.updateBaseUrl(to: "http://nowhere/") }
    #expect(app.baseURL == "http://stub")
    try await app.updateBaseUrl(to: "http://other/")
    #expect(app.baseURL == "http://other")
    #expect(try await user.functions.seven() == .int32(7))
  }
}
