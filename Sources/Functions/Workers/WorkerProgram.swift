internal import Glibc

/// The command that a worker process runs, and the bounds that it runs in.
struct WorkerProgram: Hashable, Sendable {
  /// The program's absolute path.
  let path: String
  /// The arguments, with the name of the program in front.
  let arguments: [String]
  /// The working directory.
  let directory: String
  /// The environment, entries of the form `NAME=value`.
  let environment: [String]
  let framing: Framing
  /// The first message that the worker is sent.
  var setup: Frame?
  /// The most bytes of private memory.
  let memory: UInt64
  let startsProcesses: Bool

  /// The descriptor of the channel: standard input and output for lines.
  var channel: Int32 { framing == .lines ? 0 : 3 }
}

/// The bounds of a pool on its workers and calls. Times in nanoseconds.
struct PoolLimits: Hashable, Sendable {
  /// The most worker processes at once.
  let workers: Int
  /// The most calls that wait for a worker.
  let queue: Int
  /// How many workers one caller may have for each that stays without calls: one alone gets three quarters of them, all but
  /// one of two or three.
  static let shareFactor = 3
  /// The most bytes of a result.
  let result: Int
  /// The number of calls after which a worker is replaced.
  let calls: Int
  /// The longest wait of a call for a worker.
  var queueTime: UInt64 = 30_000_000_000
  /// The longest time that a worker may take to start.
  var startTime: UInt64 = 60_000_000_000
  /// The longest time between a worker's closing the channel and its end, before its reason is given up.
  var endTime: UInt64 = 10_000_000_000
  /// The time that a call of a client that has left goes on.
  var grace: UInt64 = 50_000_000
  /// The least that a call is taken to cost, which its caller is charged when it is handed to a worker.
  static let leastCost: UInt64 = 1_000_000
  /// The wait of a call before another worker is started for it, or before it is taken back from behind another call.
  var patience: UInt64 = 5_000_000
  /// The number of workers that start without delay: more than there are processors only help where they wait.
  var processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
