internal import CGatehouseProcess
internal import Glibc

/// A process that runs a worker's program, in a process group of its own.
struct ChildProcess: Sendable {
  let id: pid_t
  /// The gateway's ends of the channel and of standard error; neither blocks.
  let channel: Int32
  let errors: Int32
  /// The worker's end of the channel, from which messages that it has not read can be taken back; -1 if messages are
  /// lines.
  let unread: Int32
  /// The gateway's end of the socket for replies to questions; -1 if messages are lines.
  let replies: Int32
  /// A pidfd: ready to be read once the process has ended.
  let end: Int32

  /// Starts the process. It ends when the calling thread does, and so do the processes that it has started.
  init(_ program: WorkerProgram) throws(FunctionError) {
    var ours: [Int32] = []
    var theirs: [Int32] = []
    do throws(FunctionError) {
      // Messages that come as they were sent, so that one can be taken back as a whole.
      let isFramed = program.framing == .frames
      try ChildProcess.pair(of: isFramed ? SOCK_SEQPACKET : SOCK_STREAM, &ours, &theirs)
      try ChildProcess.pipe(&ours, &theirs)
      if isFramed { try ChildProcess.pair(of: SOCK_STREAM, &ours, &theirs) }
      // Only our ends: the flags belong to each end.
      for descriptor in ours { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
      id = ChildProcess.start(
        program, channel: theirs[0], errors: theirs[1], replies: isFramed ? theirs[2] : -1)
      guard id > 0 else { throw .cannotStart(code: errno) }
      end = process_descriptor(id)
      guard end >= 0 else {
        let code = errno
        _ = Glibc.kill(-id, SIGKILL)
        waitpid(id, nil, 0)
        throw .cannotStart(code: code)
      }
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      channel = ours[0]
      errors = ours[1]
      replies = isFramed ? ours[2] : -1
      unread = isFramed ? theirs.removeFirst() : -1
      for descriptor in theirs { close(descriptor) }
    } catch {
      for descriptor in ours + theirs { close(descriptor) }
      throw error
    }
  }

  private static func pair(
    of type: __socket_type, _ ours: inout [Int32], _ theirs: inout [Int32]
  ) throws(FunctionError) {
    var sockets: [Int32] = [-1, -1]
    let type = Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw .cannotStart(code: errno) }
    ours.append(sockets[0])
    theirs.append(sockets[1])
  }

  private static func pipe(_ ours: inout [Int32], _ theirs: inout [Int32]) throws(FunctionError) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw .cannotStart(code: errno) }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    ours.append(ends[0])
    theirs.append(ends[1])
  }

  private static func start(
    _ program: WorkerProgram, channel: Int32, errors: Int32, replies: Int32
  ) -> pid_t {
    let path = strdup(program.path)
    let directory = strdup(program.directory)
    let arguments = program.arguments.map { strdup($0) } + [nil]
    let environment = program.environment.map { strdup($0) } + [nil]
    defer { for text in [path, directory] + arguments + environment { free(text) } }
    return arguments.withUnsafeBufferPointer { arguments in
      environment.withUnsafeBufferPointer { environment in
        var child = process_description(
          path: path, arguments: arguments.baseAddress, environment: environment.baseAddress,
          directory: directory, channel: channel, channel_target: program.channel, replies: replies,
          errors: errors,
          memory: program.memory, may_fork: program.startsProcesses ? 1 : 0)
        return process_start(&child, getpid())
      }
    }
  }

  /// Kills the process and its process group, and closes the channel. It must still be reaped.
  func kill() {
    _ = Glibc.kill(-id, SIGKILL)
    // It may have moved to another group.
    _ = Glibc.kill(id, SIGKILL)
    for descriptor in [channel, errors, unread, replies, end] where descriptor >= 0 { close(descriptor) }
  }

  /// The way in which the process ended; nil if it runs.
  var ending: FunctionError.Ending? {
    let ending = process_ending(id)
    guard ending >= 0 else { return nil }
    return ending >= 1000 ? .killed(signal: ending - 1000) : .exited(code: ending)
  }

  /// Removes a dead process from the system's table; false if it is not dead yet.
  static func reap(_ id: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(id, &status, WNOHANG) != 0
  }
}
