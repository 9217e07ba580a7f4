import FoundationEssentials
import GatehouseTestSupport
import Glibc

/// The built program, run as its users run it.
enum Gatehouse {
  /// The outcome of one run of a command.
  struct Outcome: Sendable {
    /// The exit code, or minus the signal that ended it.
    let status: Int32
    let output: String
    let error: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// SwiftPM builds the program into the folder of the bundle that holds the tests.
  static let path: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let executable = String(
      decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let bundled = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? executable
    return bundled.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/gatehouse"
  }()

  /// Runs a command to its end. Its streams are files, so that no pipe can fill up.
  static func run(
    _ arguments: [String], input: String = "", environment: [String] = [], in folder: Folder
  ) throws -> Outcome {
    let input = try folder.write(input, to: "stdin-\(UUID())")
    let output = folder.file("stdout-\(UUID())")
    let error = folder.file("stderr-\(UUID())")
    let process = try ChildProcess(
      path, arguments, environment: environment, workingDirectory: folder.path,
      streams: [.read(input), .write(output), .write(error)])
    return Outcome(
      status: process.wait(), output: try folder.contents(output), error: try folder.contents(error))
  }
}
