import Glibc

/// A program of the system's path, run without a shell.
enum SystemProgram {
  /// The exit code where there is no such program, as in a shell.
  static let missing: Int32 = 127

  /// Starts a program; `output` is the descriptor that it writes to, nil: ours. Nil: it could not be started.
  static func start(_ words: [String], output: Int32? = nil) -> pid_t? {
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    var process = pid_t()
    return posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 ? process : nil
  }

  /// Waits until a program ends, and returns its exit code.
  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return 0 }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }

  /// Runs a program to its end, and returns its exit code.
  static func run(_ words: [String]) -> Int32 { start(words).map(wait) ?? missing }
}
