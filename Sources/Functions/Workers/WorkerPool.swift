internal import Dispatch
internal import Synchronization

/// Worker processes that run one program, and the calls that wait for them.
///
/// A worker answers one call at a time: whatever happens to it costs that call. Calls are handed over by
/// whichever thread makes them; a thread of the pool takes the answers, starts and ends processes, and keeps an
/// eye on the time.
final class WorkerPool: Sendable {
  struct State {
    var workers: [UInt64: Worker] = [:]
    /// The one used last is the last.
    var idle: [Worker] = []
    var queue = CallQueue()
    /// Killed processes that have not gone yet.
    var dying: [Int32] = []
    var nextTag: UInt64 = 2
    /// When the thread will look at the time by itself.
    var wakeTime = UInt64.max
    var isRunning = false
    var isRetired = false
    /// Continuations to resume once the lock is given back.
    var resumptions: [(PendingCall.Continuation, PendingCall.Outcome)] = []
  }

  let program: WorkerProgram
  let limits: PoolLimits
  let poller: Poller
  let state = Mutex(State())

  init(_ program: WorkerProgram, limits: PoolLimits) throws(FunctionError) {
    self.program = program
    self.limits = limits
    poller = try Poller()
  }

  /// Has a worker answer a call. `answering` answers its questions.
  func perform(
    _ payload: [UInt8], timeLimit: Int?, answering: ([UInt8]) async -> [UInt8]
  ) async -> PendingCall.Outcome {
    let bytes = Frame(kind: .call, payload: payload).bytes(as: program.framing)
    let call = PendingCall(bytes, timeLimit: timeLimit.map { UInt64($0) * 1_000_000_000 })
    var outcome = await withUnsafeContinuation { submit(call, $0) }
    while case .question(let question) = outcome {
      let reply = Frame(kind: .reply, payload: await answering(question)).bytes(as: program.framing)
      outcome = await withUnsafeContinuation { send(reply, to: call, $0) }
    }
    return outcome
  }

  /// Lets the calls that are there finish, and ends the workers. Call it when nothing new is to come.
  func retire() {
    let isRunning = state.withLock { state in
      state.isRetired = true
      return state.isRunning
    }
    if isRunning { poller.ring() }
  }

  private func submit(_ call: PendingCall, _ continuation: PendingCall.Continuation) {
    withState { state in
      call.continuation = continuation
      while let worker = state.idle.popLast() {
        if assign(call, to: worker, &state) { return }
      }
      guard state.queue.count < limits.queue else {
        return complete(call, .failure(.queueFull, errors: []), &state)
      }
      state.queue.append(call)
      let patience = state.workers.isEmpty ? 0 : limits.patience
      if state.workers.count < limits.workers { wake(by: call.start + patience, &state) }
      wake(by: call.start + limits.queueTime, &state)
    }
  }

  private func send(_ reply: [UInt8], to call: PendingCall, _ continuation: PendingCall.Continuation) {
    withState { state in
      call.continuation = continuation
      if let outcome = call.outcome { return complete(call, outcome, &state) }
      if let worker = call.worker { deliver(reply, to: worker) }
    }
  }

  /// Hands the call over; false: the worker is no more, and its end will be noticed.
  func assign(_ call: PendingCall, to worker: Worker, _ state: inout State) -> Bool {
    guard deliver(call.bytes, to: worker) else { return false }
    worker.call = call
    worker.served += 1
    call.worker = worker
    if let limit = call.timeLimit {
      // A call's time is not what its worker takes to start.
      call.deadline = Clock.now() + (worker.isReady ? limit : max(limit, limits.startTime))
      wake(by: call.deadline, &state)
    }
    return true
  }

  @discardableResult
  func deliver(_ bytes: [UInt8], to worker: Worker) -> Bool {
    switch worker.send(bytes) {
    case .whole: return true
    case .partial:
      poller.change(worker.process.channel, tag: worker.tag, writes: true)
      return true
    case .refused: return false
    }
  }

  /// Ends the call, or keeps the outcome for whoever is about to wait for it.
  func complete(_ call: PendingCall, _ outcome: PendingCall.Outcome, _ state: inout State) {
    guard let continuation = call.continuation else {
      call.outcome = outcome
      return
    }
    call.continuation = nil
    state.resumptions.append((continuation, outcome))
  }

  /// Makes sure that the thread looks at the time then.
  private func wake(by time: UInt64, _ state: inout State) {
    if !state.isRunning {
      state.isRunning = true
      state.wakeTime = 0
      DispatchQueue(label: "gatehouse.functions").async { self.supervise() }
    } else if time < state.wakeTime {
      state.wakeTime = time
      poller.ring()
    }
  }

  /// Resumes outside of the lock what was completed inside.
  func withState(_ body: (inout State) -> Void) {
    let resumptions = state.withLock { state in
      body(&state)
      if state.resumptions.isEmpty { return state.resumptions }
      let resumptions = state.resumptions
      state.resumptions = []
      return resumptions
    }
    for (continuation, outcome) in resumptions { continuation.resume(returning: outcome) }
  }
}

/// Calls in the order in which they came.
struct CallQueue {
  private var calls: [PendingCall] = []
  private var head = 0

  var count: Int { calls.count - head }
  var first: PendingCall? { head < calls.count ? calls[head] : nil }

  mutating func append(_ call: PendingCall) {
    calls.append(call)
  }

  /// Puts a call in front of the others.
  mutating func insert(_ call: PendingCall) {
    calls.insert(call, at: head)
  }

  mutating func popFirst() -> PendingCall? {
    guard let call = first else { return nil }
    head += 1
    if head > 64, head * 2 > calls.count {
      calls.removeFirst(head)
      head = 0
    }
    return call
  }
}
