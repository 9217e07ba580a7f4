internal import Dispatch
internal import Synchronization

/// Worker processes that run one program, and the calls that wait for them.
///
/// A worker answers one call at a time: whatever happens to it costs that call. One whose calls are short gets some
/// in advance, which are taken back as soon as one turns out to be long. Calls are handed over by whichever thread
/// makes them; a thread of the pool takes the answers, starts and ends processes, and keeps an eye on the time.
final class WorkerPool: Sendable {
  struct State {
    var workers: [UInt64: Worker] = [:]
    /// The one used last is the last.
    var idle: [Worker] = []
    var queue = CallQueue()
    /// Killed processes that have not gone yet.
    var dying: [Int32] = []
    var nextTag = EventTag.count
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
      if state.queue.count == 0, offer(call, &state) { return }
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
      guard let worker = call.worker else { return }
      // Programs have one channel for all.
      if program.framing == .lines {
        _ = deliver(reply, to: worker)
        return
      }
      // One that no longer reads replies is about to end.
      if worker.replies.send(reply) == .partial {
        poller.addWrites(worker.process.replies, tag: worker.tag + EventTag.replies)
      }
    }
  }

  /// Hands the call to an idle worker; false: the worker is no more, and its end will be noticed.
  func assign(_ call: PendingCall, to worker: Worker, _ state: inout State) -> Bool {
    guard deliver(call.bytes, to: worker) else { return false }
    worker.take(call)
    begin(call, of: worker, Clock.now(), &state)
    return true
  }

  /// Hands the call to a worker that will be through with others soon; false: there is none.
  private func offer(_ call: PendingCall, _ state: inout State) -> Bool {
    var best: Worker?
    for worker in state.workers.values where hasRoom(worker, call.start) {
      if worker.calls.count < best?.calls.count ?? .max { best = worker }
    }
    guard let best, let current = best.current, offer(call, to: best) else { return false }
    wake(by: current.begun + limits.patience, &state)
    return true
  }

  func offer(_ call: PendingCall, to worker: Worker) -> Bool {
    guard worker.channel.offer(call.bytes) else { return false }
    worker.take(call)
    return true
  }

  /// Whether calls may be handed to a busy worker in advance.
  func hasRoom(_ worker: Worker, _ now: UInt64) -> Bool {
    guard worker.isFast, let current = worker.current, current.bytes.count <= Outbox.packetSize else {
      return false
    }
    return worker.calls.count < Worker.depth && worker.served < limits.calls
      && current.begun + limits.patience > now
  }

  /// The call's time counts from now on, as it is the first of its worker's.
  func begin(_ call: PendingCall, of worker: Worker, _ now: UInt64, _ state: inout State) {
    call.begun = now
    guard let limit = call.timeLimit else { return }
    // A call's time is not what its worker takes to start.
    call.deadline = now + (worker.isReady ? limit : max(limit, limits.startTime))
    wake(by: call.deadline, &state)
  }

  @discardableResult
  func deliver(_ bytes: [UInt8], to worker: Worker) -> Bool {
    switch worker.channel.send(bytes) {
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

  /// Puts calls in front of the others.
  mutating func insert(_ first: [PendingCall]) {
    calls.insert(contentsOf: first, at: head)
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

/// What events of a worker are about: the last bits of their tags.
enum EventTag {
  static let channel: UInt64 = 0
  static let errors: UInt64 = 1
  static let end: UInt64 = 2
  static let replies: UInt64 = 3
  static let count: UInt64 = 4
}
