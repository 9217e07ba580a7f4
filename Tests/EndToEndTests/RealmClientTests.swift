import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Requests as Realm's clients send them, and the parts of answers that they insist on.
@Suite(.enabled(if: hasNode && Geonames.python != nil, "Node or Python is not installed"))
struct RealmClientTests {
  /// An app as App Services exported it.
  private static let app = [
    "functions/config.json": """
    [{"name":"sum"},{"name":"echo"},{"name":"nothing"},{"name":"who"},{"name":"fail"},{"name":"auth","private":true}]
    """,
    "functions/sum.js": "exports = (...all) => all.reduce((sum, each) => sum + parseInt(each), 0);",
    "functions/echo.js": "exports = (...all) => all;",
    "functions/nothing.js": "exports = () => {};",
    "functions/who.js": "exports = () => context.user.id;",
    "functions/fail.js": "exports = () => { throw new Error('not today'); };",
    "functions/auth.js": "exports = ({id, pin}) => { if (pin !== 7) throw new Error('no'); return {id}; };",
    "auth/providers.json": """
    {"anon-user":{"name":"anon-user","type":"anon-user","disabled":false},
     "api-key":{"name":"api-key","type":"api-key","disabled":false},
     "custom-function":{"name":"custom-function","type":"custom-function",
       "config":{"authFunctionName":"auth"},"disabled":false},
     "local-userpass":{"name":"local-userpass","type":"local-userpass","config":{"autoConfirm":true}}}
    """,
  ]

  @Test func `clients find, log in, call, renew and log out`() throws {
    let folder = try Sample.nodeStore()
    for name in ["functions", "auth"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.data)/\(name)", withIntermediateDirectories: true)
    }
    for (path, text) in Self.app {
      try text.write(toFile: "\(folder.data)/\(path)", atomically: false, encoding: .utf8)
    }
    let server = try RunningServer(folder)
    let output = folder.file("said")
    let client = try ChildProcess(
      Geonames.python ?? "python3",
      ["\(Machine.root)/Tests/EndToEndTests/realm_client.py", String(server.port)],
      environment: ["HOME=\(folder.path)", "PATH=/usr/bin:/bin"], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write(folder.file("error"))])
    let status = client.wait()
    let said = try folder.contents(output) + folder.contents(folder.file("error"))
    #expect(status == 0 && said == "all as clients expect it\n", "\(said)")
    #expect(server.stop() == 0)
  }
}
