internal import Dispatch
internal import GatehousePolling
internal import GatehouseSharing
internal import GatehouseTelemetry
internal import Synchronization

/// Worker processes that run one program, and the calls that wait for them.
///
/// A worker answers one call at a time: whatever happens to it costs that call. One whose calls are short gets some
/// in advance, which are taken back as soon as one turns out to be long. Calls are handed over by whichever thread
/// makes them; a thread of the pool takes the answers, starts and ends processes, and keeps an eye on the time.
final class WorkerPool: Sendable {
  struct State {
    var workers: [UInt64: Worker] = [:]
    /// The idle workers, the one used last at the end.
    var idle: [Worker] = []
    var queue: FairQueue<PendingCall>
    /// Killed processes that have not been reaped.
    var dying: [Int32] = []
    var nextTag = EventTag.count
    /// The time at which the thread wakes up by itself.
    var wakeTime = UInt64.max
    var isRunning = false
    var isRetired = false
    /// Continuations to resume once the lock is released.
    var resumptions: [(PendingCall.Continuation, PendingCall.Outcome)] = []
  }

  let program: WorkerProgram
  let limits: PoolLimits
  let poller: Poller
  let state: Mutex<State>

  init(_ program: WorkerProgram, limits: PoolLimits) throws(FunctionError) {
    precondition(limits.workers > 0 && limits.calls > 0, "a pool may have a worker, which answers a call")
    self.program = program
    self.limits = limits
    do throws(PollingError) {
      poller = try Poller()
    } catch {
      throw .cannotStart(code: error.code)
    }
    let queue = FairQueue<PendingCall>(capacity: limits.queue, admission: .displaces(most: limits.queue))
    state = Mutex(State(queue: queue))
  }

  /// The number of calls that wait for a worker.
  var waiting: Int { state.withLock(\.queue.count) }

  /// Has a worker answer the call, and `answering` the questions in it. If the task is cancelled, the call is ended.
  func perform(_ call: PendingCall, answering: ([UInt8]) async -> [UInt8]) async -> PendingCall.Outcome {
    await withTaskCancellationHandler {
      var outcome = await withUnsafeContinuation { submit(call, $0) }
      while case .question(let question) = outcome {
        let reply = Frame(kind: .reply, call: call.id, payload: await answering(question))
        outcome = await withUnsafeContinuation { send(reply, to: call, $0) }
      }
      return outcome
    } onCancel: {
      abandon(call)
    }
  }

  /// Ends the workers once they have finished their calls. No calls may come afterwards.
  func retire() {
    let isRunning = state.withLock { state in
      state.isRetired = true
      return state.isRunning
    }
    if isRunning { poller.ring() }
  }

  private func submit(_ call: PendingCall, _ continuation: PendingCall.Continuation) {
    withState { state in
      precondition(call.continuation == nil && call.worker == nil, "a call is made once")
      call.continuation = continuation
      if call.isAbandoned { return complete(call, with: .failure(.abandoned, errors: []), &state) }
      if mayHaveWorker(call.caller, state.workers) {
        while let worker = state.idle.popLast() {
          if assign(call, to: worker, &state) { return }
        }
      }
      if state.queue.isEmpty, offer(call, &state) { return }
      do throws(SharingError) {
        if let displaced = try state.queue.append(call, for: call.caller) {
          complete(displaced, with: .failure(.queueFull, errors: []), &state)
        }
      } catch {
        return complete(call, with: .failure(.queueFull, errors: []), &state)
      }
      let patience = state.workers.isEmpty ? 0 : limits.patience
      if state.workers.count < limits.workers { wake(by: call.start + patience, &state) }
      wake(by: call.start + limits.queueTime, &state)
    }
  }

  /// Notes that the caller has left.
  private func abandon(_ call: PendingCall) {
    withState { state in
      call.isAbandoned = true
      if state.queue.removeFirst(where: { $0 === call }) != nil {
        complete(call, with: .failure(.abandoned, errors: []), &state)
      } else if let worker = call.worker, worker.current === call {
        hurry(call, &state)
      }
    }
  }

  /// Shortens the deadline of a call whose caller has left to the time that short ones take, so that workers of short
  /// calls need not be replaced.
  private func hurry(_ call: PendingCall, _ state: inout State) {
    call.deadline = min(call.deadline, MonotonicClock.now() + limits.grace)
    wake(by: call.deadline, &state)
  }

  private func send(_ reply: Frame, to call: PendingCall, _ continuation: PendingCall.Continuation) {
    withState { state in
      precondition(call.continuation == nil, "one event of a call is waited for at a time")
      call.continuation = continuation
      if let outcome = call.outcome { return complete(call, with: outcome, &state) }
      if let worker = call.worker { deliver(reply: reply, to: worker) }
    }
  }

  func deliver(reply: Frame, to worker: Worker) {
    let bytes = reply.bytes(as: program.framing)
    // Programs have one channel for all.
    guard program.framing == .frames else {
      deliver(bytes, to: worker)
      return
    }
    // One that no longer reads replies is about to end.
    if worker.replies.send(bytes) == .partial {
      try? poller.add(worker.process.replies, .output, tag: worker.tag + EventTag.replies)
    }
  }

  /// Hands the call to an idle worker; false if the worker is gone, which will be noticed.
  func assign(_ call: PendingCall, to worker: Worker, _ state: inout State) -> Bool {
    precondition(worker.calls.isEmpty, "a worker that waits has no calls")
    guard deliver(call.bytes, to: worker) else { return false }
    take(call, by: worker, &state)
    begin(call, of: worker, at: MonotonicClock.now(), &state)
    return true
  }

  /// Hands the call to a busy worker that will be through soon; false if there is none.
  private func offer(_ call: PendingCall, _ state: inout State) -> Bool {
    var best: Worker?
    for worker in state.workers.values
    where hasRoom(worker, call.start) && mayHave(worker, for: call.caller, among: state.workers) {
      if worker.calls.count < best?.calls.count ?? .max { best = worker }
    }
    guard let best, let current = best.current, offer(call, to: best, &state) else { return false }
    wake(by: current.begun + limits.patience, &state)
    return true
  }

  func offer(_ call: PendingCall, to worker: Worker, _ state: inout State) -> Bool {
    precondition(
      worker.reader.framing == .frames && !worker.calls.isEmpty,
      "a call in advance is one that can be taken back, from behind another")
    guard worker.channel.offer(call.bytes) else { return false }
    take(call, by: worker, &state)
    return true
  }

  /// Notes that the worker has been handed the call.
  private func take(_ call: PendingCall, by worker: Worker, _ state: inout State) {
    worker.take(call)
    state.queue.serve(call.caller)
    state.queue.charge(PoolLimits.leastCost, to: call.caller)
  }

  /// Whether calls may be handed to a busy worker in advance.
  func hasRoom(_ worker: Worker, _ now: UInt64) -> Bool {
    guard worker.isFast, let current = worker.current, current.bytes.count <= Outbox.packetSize else {
      return false
    }
    return worker.calls.count < Worker.depth && worker.served < limits.calls
      && current.begun + limits.patience > now
  }

  /// Starts the call's time, as it has become the first of its worker's.
  func begin(_ call: PendingCall, of worker: Worker, at now: UInt64, _ state: inout State) {
    precondition(worker.current === call, "a worker has begun its first call and no other")
    call.begun = now
    if let limit = call.timeLimit {
      // A call's time is not what its worker takes to start.
      call.deadline = now + (worker.isReady ? limit : max(limit, limits.startTime))
      wake(by: call.deadline, &state)
    }
    if call.isAbandoned { hurry(call, &state) }
  }

  @discardableResult
  func deliver(_ bytes: [UInt8], to worker: Worker) -> Bool {
    switch worker.channel.send(bytes) {
    case .whole: return true
    case .partial:
      poller.change(worker.process.channel, [.input, .output], tag: worker.tag)
      return true
    case .refused: return false
    }
  }

  /// Hands the outcome to the caller, or keeps it until the caller waits.
  func complete(_ call: PendingCall, with outcome: PendingCall.Outcome, _ state: inout State) {
    guard let continuation = call.continuation else {
      precondition(call.outcome == nil, "a call ends once")
      if case .question = outcome { preconditionFailure("a call asks while it is waited for") }
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

  /// Runs `body` under the lock, and resumes the completed calls outside of it.
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

/// The last bits of an epoll event's tag: the descriptor of the worker that the event is about.
enum EventTag {
  static let channel: UInt64 = 0
  static let errors: UInt64 = 1
  static let end: UInt64 = 2
  static let replies: UInt64 = 3
  static let count: UInt64 = 4
}
