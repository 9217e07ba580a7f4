import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

@testable import GatehouseApp

/// A working directory in which commands are run as `main.swift` runs them, with streams of their own.
struct Shell {
  /// All that a command leaves behind for a shell.
  struct Outcome: Equatable, CustomStringConvertible {
    var code: Int32 = 0
    var output = ""
    var error = ""

    var description: String { "code \(code), output “\(output)”, error “\(error)”" }
  }

  /// The path of the directory; its folder `data` is the store's.
  let folder: String

  static func with(_ body: (Shell) async throws -> Void) async throws {
    let folder = "\(Machine.scratch)/gatehouse-command-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(Shell(folder: folder))
  }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ content: String, to name: String) throws -> String {
    try content.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    return "\(folder)/\(name)"
  }

  /// Whether there is such a file or folder.
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  /// Runs a command: the words after `gatehouse`, with spaces between.
  ///
  /// `@` stands for the folder in the words and in the outcome, from which figures of time are left out.
  func run(_ command: String, environment: [(String, String)] = []) async throws -> Outcome {
    let words = command.split(separator: " ").map { String($0).replacing("@", with: folder) }
    let (output, error) = (try stream("output"), try stream("error"))
    defer { for stream in [output, error] { close(stream.descriptor) } }
    let code = await Output.$standard.withValue(output) {
      await Output.$error.withValue(error) {
        await Program.run(
          arguments: words, environment: Environment([("GATEHOUSE_DATA", "\(folder)/data")] + environment))
      }
    }
    return Outcome(code: code, output: try said("output"), error: try said("error"))
  }

  private func stream(_ name: String) throws -> Output {
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    return Output(descriptor: descriptor)
  }

  private func said(_ name: String) throws -> String {
    try read(name).replacing(folder, with: "@")
      .replacing(#/ in [0-9.]+ s \([0-9,]+ [A-Za-z]+/s\)/#, with: "")
  }
}
