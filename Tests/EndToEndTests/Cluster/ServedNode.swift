import GatehouseTestSupport
import Glibc
import Testing

/// A node, which may be started more than once.
final class ServedNode {
  let folder: Folder
  /// Where other nodes reach it, which is its name.
  let address: String
  let port: UInt16
  /// The environment of the server.
  private let environment: [String]
  private(set) var server: RunningServer?
  /// The program that serves: the one that is tested, or an earlier release of it.
  var program = Gatehouse.path

  /// How long an answer is asked for again, in microseconds, without the time that answers take.
  private static let patience: UInt32 = 30_000_000

  /// - Parameters:
  ///   - setting: The one that says where the log is.
  ///   - proxy: The port by which other nodes reach it; nil: its own.
  ///   - environment: Other settings.
  init(
    _ setting: String, port: UInt16, proxy: UInt16? = nil, in folder: Folder? = nil,
    environment: [String] = []
  ) throws {
    self.folder = try folder ?? Folder()
    (self.port, address) = (port, "127.0.0.1:\(proxy ?? port)")
    self.environment =
      [Machine.path, "GATEHOUSE_CLUSTER=\(setting)", "GATEHOUSE_CLUSTER_ADDRESS=\(address)"] + environment
  }

  /// Starts it. `others` are variables of this run alone.
  func start(_ others: [String] = []) throws {
    server = try RunningServer(
      folder, listen: "127.0.0.1:\(port)", environment: environment + others, of: program)
  }

  /// Whether it answers.
  var isAlive: Bool { (try? LocalPort(port, seconds: 5).send("GET", "/livez").status) == "200 OK" }

  /// Removes what it has, while it does not run.
  func wipe() { _ = Machine.run("find '\(folder.data)' -mindepth 1 -delete") }

  /// Runs a command about its data directory.
  func run(_ arguments: [String]) throws -> Gatehouse.Outcome {
    try Gatehouse.run(arguments + ["--data", folder.data], environment: environment, in: folder)
  }

  func kill() {
    server?.process.send(SIGKILL)
    server?.process.wait()
    server = nil
  }

  func stop() -> Int32? {
    defer { server = nil }
    return server?.stop()
  }

  func send(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil
  ) throws -> RunningServer.Answer {
    try #require(server).send(method, path, fields: fields, body: body)
  }

  /// Sends a request again and again, for half a minute or until the answer is as wanted, and returns the last one.
  func ask(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil,
    until isWanted: (RunningServer.Answer) -> Bool = { !$0.isMomentary }
  ) throws -> RunningServer.Answer {
    var answer = try send(method, path, fields: fields, body: body)
    var waited: UInt32 = 0
    while !isWanted(answer), waited < ServedNode.patience {
      // Credentials that are none are counted.
      let pause: UInt32 = answer.status.hasPrefix("401") ? 2_000_000 : 20_000
      usleep(pause)
      waited += pause
      answer = try send(method, path, fields: fields, body: body)
    }
    if !isWanted(answer) { Issue.record("\(address) \(method) \(path): \(answer.status) \(answer.body)") }
    return answer
  }

  /// Sends a request of whoever has the key, as the other `ask` does.
  func ask(
    _ method: String, _ path: String, _ key: String, _ body: String? = nil,
    until isWanted: (RunningServer.Answer) -> Bool = { !$0.isMomentary }
  ) throws -> RunningServer.Answer {
    try ask(method, path, fields: ["Authorization": "Bearer \(key)"], body: body, until: isWanted)
  }

  /// Has the node lead an app, or a group of one.
  func take(_ app: String, as key: String) throws {
    let moved = try Gatehouse.run(
      ["cluster", "move", app, address], environment: ["GATEHOUSE_ADMIN_KEY=\(key)"], in: folder)
    #expect(moved.status == 0, "\(moved)")
  }
}

extension RunningServer.Answer {
  /// Whether there may be another one in a moment: no node leads, or another attempt with the same key is under way.
  var isMomentary: Bool { status.hasPrefix("503") || body.contains("idempotency_key_in_use") }
}
