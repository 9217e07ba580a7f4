import Foundation
import GatehouseTestSupport
import Synchronization
import Testing

@testable import RealmSwift

/// Users of Realm Swift's `App`, logged in with a gateway.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct AppLoginTests {
  @Test func `an address and a password make a user, who is there in the next run of the program`()
    async throws
  {
    let site = try AppSite()
    defer { site.end() }
    #expect(site.app.currentUser == nil && site.app.allUsers.isEmpty)
    let user = try await site.user()
    #expect(site.app.currentUser == user && site.app.allUsers == [user.id: user])
    #expect(user.isLoggedIn && user.state == .loggedIn && user.id.utf8.count == 24)
    #expect(user.identities.map(\.providerType) == ["local-userpass"])
    #expect(user.profile.email == "ann@example.org" && user.profile.name == nil)
    #expect(user.profile.metadata == ["email": "ann@example.org"] && user.customData == [:])

    let (id, tokens) = (user.id, [user.accessToken, user.refreshToken])
    site.restartProgram()
    let known = try #require(site.app.currentUser)
    #expect(known !== user && known.id == id && known.isLoggedIn)
    #expect([known.accessToken, known.refreshToken] == tokens)
    #expect(known.profile.email == "ann@example.org" && known.identities == user.identities)
    #expect(try await known.functions.who() == .string(id))

    // Who logs in once more is the same user, as the program has them.
    #expect(
      try await site.app.login(credentials: .emailPassword(email: "ann@example.org", password: "secret1"))
        === known)
    try site.restartServer()
    #expect(try await known.functions.who() == .string(id))
  }

  @Test func `the file of users is nobody else's`() async throws {
    let site = try AppSite()
    defer { site.end() }
    _ = try await site.user()
    let found = try site.folder.shell(
      "cd program && find . -name 'users.json*' -printf '%m %f ' -o -type d -printf '%m '")
    #expect(found.hasSuffix("600 users.json "), "\(found)")
    #expect(Set(found.split(separator: " ").dropLast(2)) == ["700"], "\(found)")
  }

  @Test func `each of the app's own credentials logs in, and is refused where it is wrong`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let owner = try await site.user()
    let anonymous = try await site.app.login(credentials: .anonymous)
    #expect(anonymous.identities.map(\.providerType) == ["anon-user"] && anonymous != owner)
    // An anonymous user is used again.
    #expect(try await site.app.login(credentials: .anonymous) === anonymous)

    let carl = try await site.app.login(credentials: .function(payload: ["id": "carl", "pin": 7]))
    #expect(carl.identities == [UserIdentity(providerType: "custom-function", identifier: "carl")])
    let key = try await owner.apiKeysAuth.createAPIKey(named: "my-key")
    let text = try #require(key.key)
    #expect(try await site.app.login(credentials: .userAPIKey(text)) === owner)
    #expect(try await site.app.login(credentials: .serverAPIKey(text)) === owner)
    let token = try Self.token(#"{"aud":"sample-abcde","sub":"j-1","exp":4000000000,"full_name":"Jo"}"#, site)
    let jwt = try await site.app.login(credentials: .jwt(token: token))
    #expect(jwt.identities.map(\.providerType) == ["custom-token"] && jwt.identities[0].identifier == "j-1")
    #expect(site.app.currentUser === jwt && Set(site.app.allUsers.keys).count == 4)

    for (credentials, code, text) in [
      (
        Credentials.emailPassword(email: "ann@example.org", password: "wrong"), AppError.Code.invalidPassword,
        "unauthorized"
      ),
      (.emailPassword(email: "nobody@example.org", password: "secret1"), .invalidPassword, "unauthorized"),
      (.function(payload: ["id": "carl", "pin": 8]), .authError, "authentication failed"),
      (.userAPIKey("x"), .authError, "unauthorized"), (.jwt(token: "a.b.c"), .authError, "unauthorized"),
      (.google(serverAuthCode: "x"), .authProviderNotFound, "authentication provider not found"),
      (.googleId(token: "x"), .authProviderNotFound, "authentication provider not found"),
      (.facebook(accessToken: "x"), .authProviderNotFound, "authentication provider not found"),
      (.apple(idToken: "x"), .authProviderNotFound, "authentication provider not found"),
    ] {
      let error = await appError { _ = try await site.app.login(credentials: credentials) }
      #expect(
        error?.code == code && error?.localizedDescription.contains(text) == true,
        "\(credentials) \(String(describing: error))")
    }
    // Nobody has become another.
    #expect(site.app.currentUser === jwt)
  }

  /// A token that openssl signs with the app's key.
  static func token(_ claims: String, _ site: AppSite) throws -> String {
    _ = try site.folder.write(claims, to: "claims")
    let text = try site.folder.shell(
      """
      e() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
      head=$(printf '{"alg":"HS256","typ":"JWT"}' | e); body=$(e < claims)
      sign=$(printf '%s.%s' "$head" "$body" | openssl dgst -sha256 -hmac a-key-of-thirty-two-bytes-or-more -binary | e)
      printf '%s.%s.%s' "$head" "$body" "$sign"
      """)
    return text
  }

  @Test(.enabled(if: PeerServer.hasModule("joserfc"), "Python's joserfc is not installed"))
  func `other issuers say who somebody is`() async throws {
    let folder = try Folder()
    let peer = try PeerServer("issuer_server.py", in: folder)
    defer { peer.stop() }
    let issuer = "http://127.0.0.1:\(peer.port)"
    let site = try AppSite(
      providers: """
        {"oauth2-google":{"config":{"clientId":["web"],"issuer":"\(issuer)","openId":true},
          "secret_config":{"clientSecret":"google"},
          "metadata_fields":[{"name":"email","required":true},{"name":"first_name","required":false}]},
         "oauth2-apple":{"config":{"clientId":"org.example.app","issuer":"\(issuer)"}},
         "oauth2-facebook":{"config":{"clientId":"77","graph":"\(issuer)/graph"},
          "secret_config":{"clientSecret":"facebook"},"metadata_fields":[{"name":"name"}]}}
        """, options: ["--outbound-allow", "127.0.0.1"],
      secrets: ["google": "web-secret\n", "facebook": "fb-secret"])
    defer { site.end() }
    let google = try await site.app.login(
      credentials: .googleId(
        token: try peer.get("/mint?sub=g-1&aud=web&email=ann@example.org&given_name=Ann")))
    #expect(google.profile.firstName == "Ann" && google.identities[0].identifier == "g-1")
    let coder = try await site.app.login(credentials: .google(serverAuthCode: "good"))
    #expect(coder.profile.email == "coder@example.org" && coder != google)
    let apple = try await site.app.login(
      credentials: .apple(idToken: try peer.get("/mint?sub=a-1&aud=org.example.app&email=ann@example.org")))
    #expect(apple.identities.map(\.providerType) == ["oauth2-apple"])
    let facebook = try await site.app.login(credentials: .facebook(accessToken: "fb-token"))
    #expect(facebook.profile.name == "Fay B" && facebook.identities[0].identifier == "4711")
    #expect(site.app.allUsers.count == 4)
    let refused = await appError {
      _ = try await site.app.login(credentials: .facebook(accessToken: "other"))
    }
    #expect(refused?.code == .authError && refused?.httpStatusCode == 401)
  }

  @Test func `users are linked, switched to, logged out, removed and deleted`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let ann = try await site.user()
    let bob = try await site.app.login(credentials: .anonymous)
    try await site.app.emailPasswordAuth.registerUser(email: "bob@example.org", password: "secret1")
    let linked = try await bob.linkUser(
      credentials: .emailPassword(email: "bob@example.org", password: "secret1"))
    #expect(linked === bob && bob.identities.map(\.providerType) == ["anon-user", "local-userpass"])
    #expect(bob.profile.email == "bob@example.org")
    let taken = await appError {
      _ = try await bob.linkUser(credentials: .emailPassword(email: "ann@example.org", password: "secret1"))
    }
    #expect(taken?.code == .invalidSession)
    #expect(taken?.localizedDescription == "a user already exists with the specified provider")
    #expect(
      await appError { _ = try await bob.linkUser(credentials: .anonymous) }?.code == .clientUserAlreadyNamed)

    #expect(site.app.currentUser === bob)
    #expect(site.app.switch(to: ann) === ann && site.app.currentUser === ann)
    let token = try #require(ann.refreshToken)
    try await ann.logOut()
    #expect(ann.state == .loggedOut && !ann.isLoggedIn && ann.accessToken == nil && ann.refreshToken == nil)
    #expect(site.app.currentUser === bob && site.app.allUsers.count == 2)
    let ended = try site.server.send(
      "POST", "/api/client/v2.0/auth/session", fields: ["Authorization": "Bearer \(token)"])
    #expect(ended.status == "401 Unauthorized")
    let late = await appError { _ = try await ann.functions.who() }
    #expect(
      late?.code == .clientUserNotLoggedIn
        && late?.localizedDescription == "The specified user is not logged in.")
    #expect(
      await appError { try await ann.delete() }?.localizedDescription
        == "User must be logged in to be deleted.")
    // A user who is logged out is still known in the next run.
    site.restartProgram()
    #expect(site.app.allUsers[ann.id]?.state == .loggedOut && site.app.currentUser?.id == bob.id)

    let known = try #require(site.app.allUsers[ann.id])
    try await known.remove()
    #expect(known.state == .removed && site.app.allUsers[ann.id] == nil)
    #expect(await appError { try await known.remove() }?.code == .clientUserNotFound)
    let other = try #require(site.app.currentUser)
    try await other.delete()
    #expect(other.state == .removed && site.app.currentUser == nil && site.app.allUsers.isEmpty)
    let gone = await appError {
      _ = try await site.app.login(credentials: .emailPassword(email: "bob@example.org", password: "secret1"))
    }
    #expect(gone?.code == .invalidPassword)
    // An anonymous user who logs out is gone.
    let nobody = try await site.app.login(credentials: .anonymous)
    try await nobody.logOut()
    #expect(nobody.state == .removed && site.app.allUsers.isEmpty)
  }

  @Test func `subscribers hear of users who come, change and go`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let (apps, users) = (Heard(), Heard())
    let token = site.app.subscribe { apps.add($0.currentUser?.id ?? "nobody") }
    let user = try await site.user()
    #expect(apps.all == [user.id])
    let own = user.subscribe { users.add("\($0.state)") }
    try await user.refreshCustomData()
    #expect(users.all == ["loggedIn"])
    own.unsubscribe()
    try await user.logOut()
    #expect(apps.all == [user.id, "nobody"] && users.all == ["loggedIn"])
    token.unsubscribe()
    _ = try await site.app.login(credentials: .anonymous)
    #expect(apps.all == [user.id, "nobody"])
  }

  @Test func `closures are told what is waited for otherwise`() async throws {
    let site = try AppSite()
    defer { site.end() }
    let email = "eve@example.org"
    let registered = await withCheckedContinuation { continuation in
      site.app.emailPasswordAuth.registerUser(email: email, password: "secret1") {
        continuation.resume(returning: $0 == nil)
      }
    }
    #expect(registered)
    let login: Result<User, any Error> = await withCheckedContinuation { continuation in
      site.app.login(credentials: .emailPassword(email: email, password: "secret1")) {
        continuation.resume(returning: $0)
      }
    }
    let user = try login.get()
    let again: Result<User, any Error> = await withCheckedContinuation { continuation in
      user.linkUser(credentials: .emailPassword(email: email, password: "wrong")) {
        continuation.resume(returning: $0)
      }
    }
    #expect(throws: AppError.self) { try again.get() }
    let failure: (any Error)? = await withCheckedContinuation { continuation in
      site.app.emailPasswordAuth.registerUser(email: email, password: "secret1") {
        continuation.resume(returning: $0)
      }
    }
    #expect((failure as? AppError)?.code == .accountNameInUse)
    #expect((failure as? AppError)?.localizedDescription == "name already in use")
    let isOut = await withCheckedContinuation { continuation in
      user.logOut { continuation.resume(returning: $0 == nil) }
    }
    #expect(isOut && !user.isLoggedIn)
  }

  @Test func `an app of the same name and server is the same`() throws {
    let folder = try Folder()
    let configuration = AppConfiguration(baseURL: "http://127.0.0.1:9/")
    configuration.rootDirectory = URL(filePath: folder.file("program"))
    let app = App(id: "a/b", configuration: configuration)
    #expect(
      app == App(id: "a/b", configuration: configuration) && app != App(id: "c", configuration: configuration)
    )
    #expect(app.appId == "a/b" && app.baseURL == "http://127.0.0.1:9")
    #expect(
      app.configuration.baseURL == "http://127.0.0.1:9" && app.configuration.defaultRequestTimeoutMS == 60_000
    )
    configuration.baseURL = "http://127.0.0.1:10"
    #expect(app != App(id: "a/b", configuration: configuration))
  }

  @Test func `a server that is not there is told`() async throws {
    let folder = try Folder()
    let configuration = AppConfiguration(baseURL: "http://127.0.0.1:1")
    configuration.rootDirectory = URL(filePath: folder.file("program"))
    let app = App(id: "nowhere", configuration: configuration)
    let error = await appError { _ = try await app.login(credentials: .anonymous) }
    #expect(
      error?.code == .httpRequestFailed && error?.localizedDescription == "Could not connect to the server.")
    #expect(error?.httpStatusCode == nil && app.currentUser == nil)
  }
}

/// Texts that closures have heard, in order.
final class Heard: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }
  var all: [String] { texts.withLock { $0 } }
}
