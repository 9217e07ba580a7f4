internal import CProcess
internal import Glibc

/// A process that runs a worker's program, in a process group of its own.
struct ChildProcess: Sendable {
  let id: pid_t
  /// Our ends of its channel and of its standard error, which do not block.
  let channel: Int32
  let errors: Int32

  /// Starts it. It ends when the calling thread does.
  init(_ program: WorkerProgram) throws(FunctionError) {
    var sockets: [Int32] = [-1, -1]
    var pipes: [Int32] = [-1, -1]
    defer { for descriptor in [sockets[1], pipes[1]] where descriptor >= 0 { close(descriptor) } }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw .cannotStart(code: errno) }
    guard pipe(&pipes) == 0 else {
      let code = errno
      close(sockets[0])
      throw .cannotStart(code: code)
    }
    for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    // Only our ends: the flags belong to each end.
    _ = fcntl(sockets[0], F_SETFL, O_NONBLOCK)
    _ = fcntl(pipes[0], F_SETFL, O_NONBLOCK)
    let id = ChildProcess.start(program, channel: sockets[1], errors: pipes[1])
    guard id > 0 else {
      let code = errno
      close(sockets[0])
      close(pipes[0])
      throw .cannotStart(code: code)
    }
    self.id = id
    channel = sockets[0]
    errors = pipes[0]
  }

  private static func start(_ program: WorkerProgram, channel: Int32, errors: Int32) -> pid_t {
    let path = strdup(program.path)
    let directory = strdup(program.directory)
    let arguments = program.arguments.map { strdup($0) } + [nil]
    let environment = program.environment.map { strdup($0) } + [nil]
    defer { for text in [path, directory] + arguments + environment { free(text) } }
    return arguments.withUnsafeBufferPointer { arguments in
      environment.withUnsafeBufferPointer { environment in
        var child = process_description(
          path: path, arguments: arguments.baseAddress, environment: environment.baseAddress,
          directory: directory, channel: channel, channel_target: program.channel, errors: errors,
          memory: program.memory, may_fork: program.startsProcesses ? 1 : 0)
        return process_start(&child, getpid())
      }
    }
  }

  /// Kills it and what it has started, and closes the channel. It must still be waited for.
  func kill() {
    _ = Glibc.kill(-id, SIGKILL)
    close(channel)
    close(errors)
  }

  /// How it ended; nil: it has not.
  var ending: FunctionError.Ending? {
    let ending = process_ending(id)
    guard ending >= 0 else { return nil }
    return ending >= 1000 ? .killed(signal: ending - 1000) : .exited(code: ending)
  }

  /// Removes it from the system's table; false: it is not dead yet.
  static func reap(_ id: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(id, &status, WNOHANG) != 0
  }
}
