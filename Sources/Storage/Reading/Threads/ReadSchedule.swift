import GatehouseSharing

/// Decides which read runs next on one of a few threads, which waits, and which is refused.
///
///     submitted ──a thread is free──▶ running ──▶ finished
///        │ ╲                             ▲
///        │  ╲──none is──▶ waiting ──its turn
///     refused                 └──cancelled, or the time limit is over──▶ gone
///
/// Times are nanoseconds of any clock. The time that a read waits counts towards its limit.
struct ReadSchedule<Job> {
  /// The least that a read costs its caller, in nanoseconds: one that is cancelled at once was served all the same.
  private static var leastCost: UInt64 { 1_000_000 }

  struct Waiting {
    let job: Job
    /// When it was submitted.
    let start: UInt64
  }

  let threads: Int
  private let timeLimit: UInt64?
  private(set) var running = 0
  private var queue: FairQueue<Waiting>

  /// For that many threads and places to wait; without a time limit reads wait as long as it takes.
  init(threads: Int, places: Int, timeLimit: UInt64?) {
    self.threads = threads
    self.timeLimit = timeLimit
    queue = FairQueue(capacity: places)
  }

  var waiting: Int { queue.count }

  /// When the time of a waiting read is over; nil: none waits, or there is no limit.
  var deadline: UInt64? {
    guard let timeLimit, let oldest = queue.oldest else { return nil }
    return oldest.start &+ timeLimit
  }

  /// Takes a read; true: it runs now, on a thread that was free.
  mutating func submit(_ job: Job, for caller: Caller, at now: UInt64) throws(SharingError) -> Bool {
    guard running == threads else {
      precondition(running < threads && queue.isEmpty, "nobody waits while a thread is free")
      running += 1
      queue.serve(caller)
      return true
    }
    try queue.append(Waiting(job: job, start: now), for: caller)
    return false
  }

  /// A read of that caller has been running for `time`; returns the one that runs next on its thread, if any waits.
  mutating func finish(_ caller: Caller, after time: UInt64) -> (waiting: Waiting, caller: Caller)? {
    precondition(running > 0 && running <= threads, "a read that ends had a thread")
    queue.charge(max(time, Self.leastCost), to: caller)
    guard let next = queue.popFirst() else {
      running -= 1
      return nil
    }
    return (waiting: next.element, caller: next.caller)
  }

  /// Removes the reads that have waited for as long as they may take.
  mutating func expire(at now: UInt64) -> [Job] {
    guard let timeLimit else { return [] }
    return queue.removeOldest { now >= $0.start &+ timeLimit }.map(\.job)
  }

  /// Removes a read that nobody waits for any more; nil: it does not wait.
  mutating func removeFirst(where condition: (Job) -> Bool) -> Job? {
    queue.removeFirst { condition($0.job) }?.job
  }
}
