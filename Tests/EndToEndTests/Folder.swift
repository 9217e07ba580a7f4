import FoundationEssentials
import GatehouseTestSupport

/// A temporary folder, removed with the value that made it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID())").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The data directory of the test.
  var data: String { file("data") }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and gives its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }

  func contents(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
  }

  /// Runs a shell command in the folder, for at most 100 seconds, and gives its output, standard error included.
  func shell(_ command: String) throws -> String {
    let output = file("shell-\(UUID())")
    let process = try ChildProcess(
      "/usr/bin/timeout", ["100", "/bin/sh", "-c", command + " 2>&1"],
      environment: [Machine.path, "HOME=\(path)"], workingDirectory: path,
      streams: [.read("/dev/null"), .write(output), .write("/dev/null")])
    process.wait()
    return try contents(output)
  }
}
