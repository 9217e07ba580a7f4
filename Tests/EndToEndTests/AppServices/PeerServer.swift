import GatehouseTestSupport
import Glibc

extension RunningServer {
  /// Whether it comes true while the server answers requests, which take their time.
  func soon(_ condition: () throws -> Bool) throws -> Bool {
    for _ in 0..<20_000 {
      if try condition() { return true }
      _ = try send("GET", "/livez")
    }
    return false
  }
}

/// A Python script that plays another server, until its input ends. It prints its port.
final class PeerServer {
  private let process: ChildProcess
  private let output: String
  private let folder: Folder
  let port: Int

  init(_ script: String, _ arguments: [String] = [], in folder: Folder) throws {
    self.folder = folder
    var pipe = try Pipe()
    output = folder.file("\(script).log")
    process = try ChildProcess(
      Geonames.python ?? "python3",
      ["\(Machine.root)/Tests/EndToEndTests/AppServices/\(script)"] + arguments,
      environment: ["HOME=\(folder.path)", "PATH=/usr/bin:/bin"], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .descriptor(pipe.writing), .write(output)])
    pipe.closeWriting()
    port = Int(pipe.read { $0.contains("\n") }.prefix { $0.isNumber }) ?? 0
  }

  /// Whether Python can import a module.
  static func hasModule(_ name: String) -> Bool {
    guard let python = Geonames.python else { return false }
    return Machine.run("'\(python)' -c 'import \(name)' 2>&1").status == 0
  }

  /// The content at a path of it.
  func get(_ path: String) throws -> String {
    let (status, output) = Machine.run("curl -s 'http://127.0.0.1:\(port)\(path)'")
    guard status == 0 else { throw SystemError(call: "curl", code: status) }
    return output
  }

  /// The text that it has written to its log.
  var log: String { get throws { try folder.contents(output) } }

  func stop() {
    // Threads of tests may keep other signals from their children.
    process.send(SIGKILL)
    _ = process.wait()
  }
}
