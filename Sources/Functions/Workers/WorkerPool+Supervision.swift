internal import GatehousePolling
internal import GatehouseSharing
internal import GatehouseTelemetry
internal import Synchronization

extension WorkerPool {
  /// Runs the pool's thread, as long as there is a worker or a call.
  func supervise() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    var batch = EventBatch(capacity: 64)
    while let plan = plan() {
      for _ in 0..<plan.starts { start() }
      guard poller.wait(for: &batch, milliseconds: plan.milliseconds) else { continue }
      while let event = batch.take() { handle(event.tag, buffer) }
    }
  }

  /// Returns how many workers to start, and how many milliseconds to wait for events afterwards; nil if nothing is
  /// left to supervise.
  private func plan() -> (starts: Int, milliseconds: Int32)? {
    var plan: (starts: Int, milliseconds: Int32)?
    withState { state in
      let now = MonotonicClock.now()
      // Whatever becomes urgent from here on is compared with the time that the wait will end at.
      state.wakeTime = .max
      expire(now, &state)
      distribute(&state)
      if state.isRetired, state.queue.isEmpty { dismiss(&state) }
      state.dying.removeAll(where: ChildProcess.reap)
      if state.isRetired, state.workers.isEmpty, state.dying.isEmpty, state.queue.isEmpty {
        precondition(state.idle.isEmpty, "whoever waits for a call is a worker of the pool")
        state.isRunning = false
        return
      }
      plan = (starts(now, &state), timeout(now, &state))
    }
    return plan
  }

  /// Ends calls and workers that have taken too long, and takes calls back from behind a long one.
  private func expire(_ now: UInt64, _ state: inout State) {
    for worker in state.workers.values {
      if let closed = worker.closed, closed + limits.endTime <= now {
        end(worker, because: .crashed(.closed), &state)
      } else if let call = worker.current, call.deadline <= now {
        let seconds = Int((call.timeLimit ?? 0) / 1_000_000_000)
        end(worker, because: call.isAbandoned ? .abandoned : .timedOut(seconds: seconds), &state)
      } else if worker.calls.count > 1, let call = worker.current, call.begun + limits.patience <= now {
        worker.isFast = false
        putBack(worker.takeBack(), &state)
        if worker.calls.isEmpty { giveWork(to: worker, &state) }
      }
    }
    for call in state.queue.removeOldest(while: { $0.start + limits.queueTime <= now }) {
      complete(call, with: .failure(.queueFull, errors: []), &state)
    }
  }

  private func dismiss(_ state: inout State) {
    for worker in state.idle { end(worker, because: nil, &state) }
  }

  /// Returns how many workers to start for the calls in the queue.
  private func starts(_ now: UInt64, _ state: inout State) -> Int {
    guard state.workers.count < limits.workers,
      let first = state.queue.first(where: { mayHaveWorker($0, state.workers) })
    else { return 0 }
    if state.workers.isEmpty { return 1 }
    let ready = state.workers.values.filter(\.isReady)
    guard state.workers.count - ready.count < limits.processors else { return 0 }
    // Where calls are short, processors are what they wait for, and more workers would only want them too.
    let isBrisk = ready.allSatisfy { $0.isFast && ($0.current?.begun ?? now) + limits.patience > now }
    let patience =
      limits.patience * (isBrisk && !ready.isEmpty ? 20 : state.workers.count < limits.processors ? 1 : 10)
    return first.start + patience <= now ? 1 : 0
  }

  private func timeout(_ now: UInt64, _ state: inout State) -> Int32 {
    var next = UInt64.max
    for worker in state.workers.values {
      if let call = worker.current { next = min(next, call.deadline) }
      if let call = worker.current, worker.calls.count > 1 { next = min(next, call.begun + limits.patience) }
      if let closed = worker.closed { next = min(next, closed + limits.endTime) }
    }
    if let first = state.queue.oldest {
      next = min(next, first.start + limits.queueTime)
      let mayStart = state.workers.count < limits.workers
      if mayStart, state.queue.first(where: { mayHaveWorker($0, state.workers) }) != nil {
        next = min(next, now + limits.patience)
      }
    }
    // The dead are looked for soon, since nothing tells of them.
    if !state.dying.isEmpty { next = min(next, now + 10_000_000) }
    // Without anything to wait for, some time: then the next call need not wake the thread for its deadline.
    next = min(next, now + 10_000_000_000)
    state.wakeTime = next
    // Rounded up, so that the time has come when the wait is over.
    return Int32((next - min(now, next)) / 1_000_000 + 1)
  }

  private func start() {
    do throws(FunctionError) {
      let process = try ChildProcess(program)
      withState { state in
        let tag = state.nextTag
        state.nextTag += EventTag.count
        let reader = FrameReader(program.framing, limit: limits.result + 65_536)
        let worker = Worker(tag: tag, process, reader: reader)
        precondition(tag % EventTag.count == 0, "the last bits of a worker's tag are free")
        precondition(state.workers[tag] == nil, "a worker has a tag of its own")
        state.workers[tag] = worker
        precondition(state.workers.count <= limits.workers, "the number of workers is bounded")
        try? poller.add(process.channel, .input, tag: tag + EventTag.channel)
        try? poller.add(process.errors, .input, tag: tag + EventTag.errors)
        try? poller.add(process.end, .input, tag: tag + EventTag.end)
        if let setup = program.setup { deliver(setup.bytes(as: program.framing), to: worker) }
        giveWork(to: worker, &state)
      }
    } catch {
      // Calls that wait for a worker wait in vain, unless there are others.
      withState { state in
        guard state.workers.isEmpty else { return }
        while let (call, _) = state.queue.popFirst() {
          complete(call, with: .failure(error, errors: []), &state)
        }
      }
    }
  }

  /// Hands an idle worker the first of the waiting calls, and further ones as far as there is room.
  private func giveWork(to worker: Worker, _ state: inout State) {
    precondition(
      state.workers[worker.tag] === worker && worker.calls.isEmpty,
      "work goes to a worker that is the pool's, and through with what it had")
    let workers = state.workers
    let next = state.queue.popFirst { mayHaveWorker($0, workers) }
    guard let call = next?.element else {
      state.idle.append(worker)
      return precondition(state.idle.count <= state.workers.count, "a worker waits once")
    }
    guard assign(call, to: worker, &state) else {
      // It is gone, which will be noticed; the call has not reached it.
      return putBack([call], &state)
    }
    fill(worker, at: MonotonicClock.now(), &state)
  }

  /// Hands calls to idle workers whose callers may have one more by now.
  private func distribute(_ state: inout State) {
    while let worker = state.idle.last, state.queue.first(where: { mayHaveWorker($0, state.workers) }) != nil
    {
      state.idle.removeLast()
      giveWork(to: worker, &state)
    }
  }

  /// Hands a busy worker calls in advance. The thread looks at the time before it waits again.
  private func fill(_ worker: Worker, at now: UInt64, _ state: inout State) {
    let workers = state.workers
    while hasRoom(worker, now),
      let (call, _) = state.queue.popFirst(where: { mayHave(worker, for: $0, among: workers) })
    {
      guard offer(call, to: worker, &state) else { return putBack([call], &state) }
    }
  }

  private func handle(_ tag: UInt64, _ buffer: UnsafeMutableRawBufferPointer) {
    let subject = tag % EventTag.count
    guard let worker = state.withLock({ $0.workers[tag - subject] }) else { return }
    switch subject {
    case EventTag.errors:
      if !worker.receiveErrors(buffer) { poller.remove(worker.process.errors) }
    case EventTag.replies:
      withState { _ in
        if worker.replies.flush() != .partial { poller.remove(worker.process.replies) }
      }
    case EventTag.end: bury(worker, buffer)
    default:
      switch listen(to: worker, buffer) {
      // The next wait reports the rest: to ask once more now would nearly always be in vain.
      case .some: break
      case .nothing: write(to: worker)
      case .closed: if !worker.isEnded { close(worker, wasUnread: false) }
      case .unread: if !worker.isEnded { close(worker, wasUnread: true) }
      }
    }
  }

  private func write(to worker: Worker) {
    withState { _ in
      guard !worker.isEnded, !worker.channel.isEmpty else { return }
      if worker.channel.flush() != .partial {
        poller.change(worker.process.channel, .input, tag: worker.tag)
      }
    }
  }

  /// Reads messages of the worker and handles them.
  private func listen(to worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) -> Worker.Reception {
    let reception = worker.receive(buffer)
    guard reception == .some else { return reception }
    do throws(FrameError) {
      while let next = try worker.reader.next() { take(next, from: worker, buffer) }
    } catch {
      let reason =
        error == .tooLarge ? FunctionError.resultTooLarge(limit: limits.result) : .malformedAnswer
      withState { state in end(worker, because: reason, &state) }
    }
    return worker.isEnded ? .closed : .some
  }

  /// Reads all messages of the worker, and returns how the channel ended.
  private func listenToTheEnd(
    of worker: Worker, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Worker.Reception {
    while true {
      let reception = listen(to: worker, buffer)
      guard reception == .some else { return reception }
    }
  }

  /// Notes that the worker has closed its end of the channel. The reason is known once its process has ended, which
  /// is soon.
  private func close(_ worker: Worker, wasUnread: Bool) {
    poller.remove(worker.process.channel)
    withState { state in
      worker.wasUnread = wasUnread
      worker.closed = MonotonicClock.now()
      if worker.calls.isEmpty { end(worker, because: nil, &state) }
    }
  }

  /// Removes a worker whose process has ended. Calls that it has not read go to others, unless it is one that reads
  /// none at all.
  private func bury(_ worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) {
    if worker.closed == nil { worker.wasUnread = listenToTheEnd(of: worker, buffer) == .unread }
    guard !worker.isEnded else { return }
    _ = worker.receiveErrors(buffer)
    withState { state in
      if worker.answered > 0 {
        putBack(worker.takeBack(), &state)
        if worker.wasUnread { putBack(worker.drop(worker.calls.count), &state) }
      }
      end(worker, because: .crashed(worker.reason(for: worker.process.ending)), &state)
    }
  }

  private func take(_ frame: Frame, from worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) {
    let errors = frame.kind == .answer ? worker.takeErrors(buffer) : []
    if frame.kind == .setup, !worker.isReady { return ready(worker) }
    withState { state in
      if let call = worker.current, isStale(frame, for: call) { return refuse(frame, of: worker) }
      // A worker speaks when it is spoken to, and once.
      guard let call = worker.current, worker.reader.isEmpty else {
        return end(worker, because: .malformedAnswer, &state)
      }
      switch frame.kind {
      case .question:
        // It has not had the reply to the last one.
        if call.continuation == nil { return end(worker, because: .malformedAnswer, &state) }
        complete(call, with: .question(frame.payload), &state)
      case .answer:
        complete(call, with: .answer(frame.payload, errors: errors), &state)
        proceed(worker, from: call, &state)
      case .setup, .call, .reply: end(worker, because: .malformedAnswer, &state)
      }
    }
  }

  /// Whether the message comes from code that an earlier call has left running. Questions name their call; an answer
  /// of a program need not.
  private func isStale(_ frame: Frame, for call: PendingCall) -> Bool {
    switch frame.kind {
    case .question: frame.call != call.id
    case .answer: frame.call != nil && frame.call != call.id
    case .setup, .call, .reply: false
    }
  }

  /// Refuses a message that is about no call under way: a question is told that its call has ended, an answer is
  /// dropped.
  private func refuse(_ frame: Frame, of worker: Worker) {
    guard frame.kind == .question else { return }
    let payload = CallPayload.reply(.callEnded, to: frame.call, as: program.framing)
    deliver(reply: Frame(kind: .reply, call: frame.call, payload: payload), to: worker)
  }

  /// Goes on to the next call after an answer; the worker may have begun it already.
  private func proceed(_ worker: Worker, from call: PendingCall, _ state: inout State) {
    let finished = worker.finish()
    precondition(finished === call, "a worker answers the call that it has begun")
    let now = MonotonicClock.now()
    settle(call, at: now, &state)
    worker.isFast = worker.reader.framing == .frames && call.begun + limits.patience > now
    if let next = worker.current {
      begin(next, of: worker, at: now, &state)
      fill(worker, at: now, &state)
    } else if worker.served >= limits.calls {
      end(worker, because: nil, &state)
    } else {
      giveWork(to: worker, &state)
    }
  }

  /// Notes that the worker has started: from now on its call's time counts.
  private func ready(_ worker: Worker) {
    withState { state in
      worker.isReady = true
      if let call = worker.current { begin(call, of: worker, at: MonotonicClock.now(), &state) }
    }
  }

  /// Kills a worker. Its current call, if it has one, ends for that reason; others go to other workers.
  private func end(_ worker: Worker, because reason: FunctionError?, _ state: inout State) {
    guard state.workers.removeValue(forKey: worker.tag) != nil else { return }
    precondition(!worker.isEnded, "a worker ends once")
    worker.isEnded = true
    state.idle.removeAll { $0 === worker }
    worker.process.kill()
    state.dying.append(worker.process.id)
    putBack(worker.drop(max(0, worker.calls.count - 1)), &state)
    guard let call = worker.drop(worker.calls.count).first else { return }
    settle(call, at: MonotonicClock.now(), &state)
    guard let reason else { preconditionFailure("a worker that has a call ends for a reason") }
    complete(call, with: .failure(reason, errors: worker.errors), &state)
  }
}
