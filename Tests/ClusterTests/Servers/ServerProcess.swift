import Glibc

/// A server that a test has started. What still runs when the test drops it is killed.
final class ServerProcess {
  private let id: pid_t
  private var hasEnded = false

  /// - Parameter output: A file that both standard streams are written to.
  init(_ program: String, _ arguments: [String], output: String, environment: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var child = pid_t()
    let code = posix_spawn(&child, program, &actions, nil, &words, &variables)
    guard code == 0 else { throw ServerFailure(text: "posix_spawn \(program)", code: code) }
    id = child
  }

  deinit {
    if !hasEnded { send(SIGKILL) }
  }

  /// Sends a signal; one that ends the server is waited for.
  func send(_ signal: Int32) {
    kill(id, signal)
    guard signal == SIGKILL || signal == SIGTERM, !hasEnded else { return }
    // A process that is stopped ends by SIGKILL only.
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    hasEnded = true
  }
}

/// Why servers cannot be used, with an `errno` where there is one.
struct ServerFailure: Error {
  let text: String
  let code: Int32
}
