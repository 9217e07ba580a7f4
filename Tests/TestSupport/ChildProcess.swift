public import Glibc

/// A process that a test started. What still runs when the test drops it is killed.
public final class ChildProcess {
  /// The other end of a standard stream of the child.
  public enum Stream {
    case read(String)
    case write(String)
    /// Behind what the file has.
    case append(String)
    case descriptor(Int32)
  }

  public let id: pid_t
  private var status: Int32?

  /// The environment is empty but for what is given, so that nothing set outside changes a test.
  public init(
    _ executable: String, _ arguments: [String], environment: [String] = [], workingDirectory: String,
    streams: [Stream]
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() { ChildProcess.add(stream, as: Int32(number), to: &actions) }
    // `env` changes the directory and becomes the program.
    let env = "/usr/bin/env"
    var words = ([env, "-C", workingDirectory, executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var child = pid_t()
    let code = posix_spawn(&child, env, &actions, nil, &words, &variables)
    guard code == 0 else { throw SystemError(call: "posix_spawn \(executable)", code: code) }
    id = child
  }

  private static func add(_ stream: Stream, as number: Int32, to actions: inout posix_spawn_file_actions_t) {
    switch stream {
    case .read(let path): posix_spawn_file_actions_addopen(&actions, number, path, O_RDONLY, 0)
    case .write(let path):
      posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    case .append(let path):
      posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
  }

  deinit {
    guard status == nil else { return }
    kill(id, SIGKILL)
    _ = wait()
  }

  public func send(_ signal: Int32) {
    kill(id, signal)
  }

  /// Whether it has ended, also where nobody has waited for that.
  public var hasEnded: Bool {
    var information = siginfo_t()
    guard status == nil, waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
      return true
    }
    return information.si_signo != 0
  }

  /// Waits for its end: the exit code, or minus the signal that ended it.
  @discardableResult public func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(id, &raw, 0) < 0 && errno == EINTR {}
    let signal = raw & 0x7F
    let result = signal == 0 ? (raw >> 8) & 0xFF : -signal
    status = result
    return result
  }
}

/// A system call that a test needs and that failed.
public struct SystemError: Error {
  public let call: String
  public let code: Int32

  public init(call: String, code: Int32) { (self.call, self.code) = (call, code) }
}
