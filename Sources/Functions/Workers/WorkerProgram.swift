internal import Glibc

/// The command that a worker process runs, and the bounds that it runs in.
struct WorkerProgram: Hashable, Sendable {
  /// From the root.
  let path: String
  /// With the name of the program in front.
  let arguments: [String]
  /// Where it runs.
  let directory: String
  /// `NAME=value`.
  let environment: [String]
  let framing: Framing
  /// The first thing that it is sent.
  var setup: Frame?
  /// Bytes of private memory that it may have.
  let memory: UInt64
  let startsProcesses: Bool

  /// The descriptor of the channel: standard input and output for lines.
  var channel: Int32 { framing == .lines ? 0 : 3 }
}

/// How a pool treats its workers and calls.
struct PoolLimits: Hashable, Sendable {
  /// Worker processes at once, and so calls.
  let workers: Int
  /// Calls that wait for a worker.
  let queue: Int
  /// Workers that may have calls of one caller: a quarter, but at least one, is left to others where there are several.
  var share: Int { workers > 1 ? workers - max(1, workers / 4) : workers }
  /// Bytes of a result.
  let result: Int
  /// Calls after which a worker is replaced.
  let calls: Int
  /// How long a call waits for a worker at all.
  var queueTime: UInt64 = 30_000_000_000
  /// How long a worker may take to start.
  var startTime: UInt64 = 60_000_000_000
  /// How long a worker that has closed the channel may take to end, before nobody asks for its reason any more.
  var endTime: UInt64 = 10_000_000_000
  /// How long a call goes on that nobody waits for.
  var grace: UInt64 = 50_000_000
  /// How long a call waits for the workers there are before there is another one, or behind another call.
  var patience: UInt64 = 5_000_000
  /// The number of workers that start without delay: more than there are processors only help where they wait.
  var processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
