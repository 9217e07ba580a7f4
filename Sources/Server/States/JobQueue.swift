internal import Synchronization

/// The jobs that other threads, and the loop itself, want an event loop to run.
struct JobQueue: ~Copyable {
  enum Job {
    case task(UnownedJob)
    case call(@Sendable () -> Void)
  }

  /// How a new job gets to run.
  enum WakeState {
    /// The loop's queue must be called.
    case asleep
    /// It will be seen.
    case awake
    /// The wait must be ended.
    case waiting
  }

  struct State {
    var jobs: [Job] = []
    var wakeState = WakeState.asleep
  }

  private let state = Mutex(State())

  /// Adds a job, and tells what had to be done to have it run.
  func append(_ job: Job) -> WakeState {
    state.withLock { state in
      state.jobs.append(job)
      defer { state.wakeState = .awake }
      return state.wakeState
    }
  }

  /// Moves the jobs into `batch`, which is empty; the loop is awake. False when there are none.
  func take(_ batch: inout [Job]) -> Bool {
    precondition(batch.isEmpty, "one batch is run at a time")
    state.withLock { state in
      state.wakeState = .awake
      swap(&state.jobs, &batch)
    }
    return !batch.isEmpty
  }

  /// Remembers how awake the loop is, unless a job has come in.
  func become(_ wakeState: WakeState) -> Bool {
    state.withLock { state in
      guard state.jobs.isEmpty else { return false }
      state.wakeState = wakeState
      return true
    }
  }

  /// The loop has seen an event, and will look for jobs.
  func wake() {
    state.withLock { $0.wakeState = .awake }
  }
}
