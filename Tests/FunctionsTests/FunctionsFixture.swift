import FoundationEssentials
import GatehouseBSON
import Synchronization
import Testing

@testable import GatehouseFunctions

/// A functions directory of its own, and a host that runs it.
struct FunctionsFixture: Sendable {
  let host: FunctionHost
  let folder: String
  let log = Log()

  /// The host's log.
  final class Log: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) {
      bytes.withLock { $0 += more }
    }

    var lines: [Document] {
      bytes.withLock { $0 }.split(separator: UInt8(ascii: "\n")).compactMap { line in
        guard case .document(let line)? = try? Value(json: line) else { return nil }
        return line
      }
    }
  }

  /// A change of the host's usual configuration.
  struct Change {
    let apply: (inout FunctionConfiguration) -> Void

    static func set<Value>(
      _ path: WritableKeyPath<FunctionConfiguration, Value>, _ value: Value
    ) -> Change {
      Change { $0[keyPath: path] = value }
    }
  }

  static let hasNode = ProgramPath.find("node", from: "/") != nil
  static let hasPython = ProgramPath.find("python3", from: "/") != nil

  /// Calls `body` with a fixture that has those files, by their paths; those without an extension can be run.
  static func with(
    _ files: [String: String], _ changes: [Change] = [],
    _ body: (FunctionsFixture) async throws -> Void
  ) async throws {
    let fixture = try FunctionsFixture(files, changes)
    defer { fixture.remove() }
    try await body(fixture)
  }

  private init(_ files: [String: String], _ changes: [Change]) throws {
    folder =
      FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(FoundationEssentials.UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var configuration = FunctionConfiguration()
    configuration.directory = "\(folder)/functions"
    configuration.workers = 2
    let log = log
    configuration.log = { log.append($0) }
    for change in changes { change.apply(&configuration) }
    host = FunctionHost(configuration)
    for (path, text) in files { try write(text, to: path) }
  }

  /// Writes a file below the functions directory, or beside it (`../`).
  func write(_ text: String, to path: String) throws {
    let path = "\(folder)/functions/\(path)"
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    // A relative path beside the directory does not resolve while the directory is not there.
    try FileManager.default.createDirectory(
      atPath: "\(folder)/functions", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let isProgram = path.split(separator: "/").last.map { !$0.contains(".") } ?? false
    if isProgram { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
  }

  func remove() {
    host.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func call(
    _ name: String, _ arguments: [Value] = [], from origin: Invocation.Origin = .outside,
    user: Document? = nil, _ respondent: @escaping Question.Respondent = { _ in .failure("nobody answers") }
  ) async throws -> Value {
    try await host.call(
      Invocation(name: name, arguments: arguments, requestID: "r1", user: user), from: origin,
      respondent: respondent)
  }

  /// Why a call failed; nil: it didn't.
  func failure(
    _ name: String, _ arguments: [Value] = [], user: Document? = nil
  ) async -> FunctionError? {
    do throws(FunctionError) {
      let invocation = Invocation(name: name, arguments: arguments, requestID: "r1", user: user)
      _ = try await host.call(invocation) { _ in .failure("nobody answers") }
      return nil
    } catch {
      return error
    }
  }

  /// A reply to a question with JSON.
  static func reply(_ status: Int32, _ json: String) -> Question.Reply {
    Question.Reply(["status": .int32(status), "content": .binary(Binary(bytes: Array(json.utf8)))])
  }
}
