import Glibc

/// The processes of several servers, and a folder that all have their files in.
public final class ServerProcesses {
  public let folder: String
  private let program: String
  private let arguments: [[String]]
  private var processes: [ChildProcess?]

  /// - Parameters:
  ///   - arguments: Those of each server; `FOLDER` stands for the folder.
  ///   - place: The folder in which that one is.
  public init(_ program: String, _ arguments: [[String]], in place: String = Machine.scratch) {
    self.program = program
    folder = String(
      Machine.run("mktemp -d '\(place)/gatehouse-log-XXXXXX'").output.dropLast())
    self.arguments = arguments
    processes = Array(repeating: nil, count: arguments.count)
  }

  deinit {
    // The processes end first.
    processes = []
    _ = Machine.run("rm -rf '\(folder)'")
  }

  public func write(_ text: String, to name: String) throws {
    guard let file = fopen("\(folder)/\(name)", "w") else {
      throw SystemError(call: "fopen \(name)", code: errno)
    }
    fputs(text, file)
    fclose(file)
  }

  /// Starts a server that has not been started, or has ended.
  public func start(_ index: Int) throws {
    let output = ChildProcess.Stream.append("\(folder)/\(index).log")
    processes[index] = try ChildProcess(
      program, arguments[index].map { $0.replacing("FOLDER", with: folder) }, environment: [Machine.path],
      workingDirectory: folder, streams: [.read("/dev/null"), output, output])
  }

  /// Sends a signal; one that ends the server is waited for. A process that is stopped ends by SIGKILL only.
  public func send(_ signal: Int32, to index: Int) {
    guard !hasEnded(index) else { return }
    processes[index]?.send(signal)
    if signal == SIGKILL || signal == SIGTERM { processes[index]?.wait() }
  }

  /// Whether a server has ended, or has not been started.
  public func hasEnded(_ index: Int) -> Bool { processes[index]?.hasEnded ?? true }

  /// The last lines of what the servers have written.
  public var log: String { Machine.run("tail -n 5 '\(folder)'/*.log").output }
}
