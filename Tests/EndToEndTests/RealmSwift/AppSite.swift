import Foundation
import Synchronization
import Testing

@testable import RealmSwift

/// A gateway with an app of users and functions, and the app as Realm Swift sees it.
final class AppSite {
  private static let files = [
    "functions/config.json": """
    [{"name":"sum"},{"name":"echo"},{"name":"nothing"},{"name":"who"},{"name":"fail"},{"name":"slow"},
     {"name":"note","run_as_system":true},{"name":"auth","private":true},{"name":"reset","private":true},
     {"name":"confirm","private":true}]
    """,
    "functions/sum.js": "exports = (...all) => all.reduce((sum, each) => sum + parseInt(each), 0);",
    "functions/echo.js": "exports = (...all) => all;",
    "functions/nothing.js": "exports = () => {};",
    "functions/who.js": "exports = () => context.user.id;",
    "functions/fail.js": "exports = () => { throw new Error('not today'); };",
    "functions/slow.js": "exports = () => { for (;;) {} };",
    "functions/note.js": """
    exports = (id, user, color, apples) => {
      context.realm.create("Note", {_id: id, user, color, apples});
      return true;
    };
    """,
    "functions/auth.js":
      "exports = ({id, pin}) => { if (parseInt(pin) !== 7) throw new Error('no'); return {id}; };",
    "functions/reset.js": """
    exports = ({username, password}, word) => ({status: word === "please" ? "success" : "fail"});
    """,
    "functions/confirm.js":
      "exports = ({username}) => ({status: username.startsWith('late') ? 'pending' : 'success'});",
    "auth/custom_user_data.json": """
    {"enabled":true,"collection_name":"Note","user_id_field":"user"}
    """,
  ]

  static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","user":"string","color":"string","apples":"int"}},
     {"name":"Node","primaryKey":"_id","properties":{"_id":"int","label":"string","next":"Node?"}}]
    """

  static let providers = """
    {"anon-user":{},"api-key":{},"custom-function":{"config":{"authFunctionName":"auth"}},
     "local-userpass":{"config":{"autoConfirm":true}},
     "custom-token":{"config":{"audience":"sample-abcde","signingAlgorithm":"HS256"},"secret_config":{"signingKeys":["jwt"]},
       "metadata_fields":[{"name":"name","field_name":"full_name"}]}}
    """

  let folder: Folder
  let transport = CountingTransport()
  private(set) var server: RunningServer
  private(set) var app: App

  init(
    providers: String = AppSite.providers, options: [String] = [], secrets: [String: String] = [:]
  ) throws {

    folder = try Folder()
    let schema = try folder.write(Self.schema, to: "schema.json")
    let applied = try Gatehouse.run(["schema", "apply", schema, "--data", folder.data], in: folder)
    try #require(applied.status == 0, "\(applied.error)")
    for (path, text) in Self.files { try AppFiles.write(text, to: path, folder) }
    try AppFiles.write(providers, to: "auth/providers.json", folder)
    try AppFiles.write("a-key-of-thirty-two-bytes-or-more", to: "auth/secrets/jwt", folder)
    for (name, text) in secrets { try AppFiles.write(text, to: "auth/secrets/\(name)", folder) }
    server = try RunningServer(folder, options: options)
    app = Self.app(server, folder, transport)
  }

  private static func app(_ server: RunningServer, _ folder: Folder, _ transport: CountingTransport) -> App {
    let configuration = AppConfiguration(
      baseURL: "http://127.0.0.1:\(server.port)", transport: transport, defaultRequestTimeoutMS: 30_000)
    configuration.rootDirectory = URL(filePath: folder.file("program"))
    return App(id: "sample-abcde", configuration: configuration)
  }

  /// Has the program begin anew, as far as the app is concerned.
  func restartProgram() {
    AppSession.forgetAll()
    app = Self.app(server, folder, transport)
  }

  /// Ends the gateway, and starts it again at the same address.
  func restartServer() throws {
    let port = server.port
    #expect(server.stop() == 0)
    server = try RunningServer(folder, listen: "127.0.0.1:\(port)")
  }

  /// Makes an account, and logs its owner in.
  func user(_ email: String = "ann@example.org") async throws -> User {
    try await app.emailPasswordAuth.registerUser(email: email, password: "secret1")
    return try await app.login(credentials: .emailPassword(email: email, password: "secret1"))
  }

  func end() { #expect(server.stop() == 0) }
}

/// Counts requests by their methods and paths.
final class CountingTransport: RLMNetworkTransport, @unchecked Sendable {
  // Because what changes is behind a lock.
  private let requests = Mutex<[String]>([])

  override func sendRequest(
    toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
  ) {
    let path = request.url.components(separatedBy: "/api/client/v2.0").last ?? ""
    requests.withLock { $0.append("\(request.method.rawValue == 1 ? "POST" : "other") \(path)") }
    super.sendRequest(toServer: request, completion: completion)
  }

  func count(of request: String) -> Int { requests.withLock { $0.filter { $0 == request }.count } }
}

/// The error of an app that `body` throws; nil: it throws none.
func appError(_ body: () async throws -> Void) async -> AppError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? AppError
  }
}
