internal import Synchronization

extension WorkerPool {
  /// What the pool's thread does, as long as there is a worker or a call.
  func supervise() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    while let plan = plan(buffer) {
      for _ in 0..<plan.starts { start() }
      for tag in poller.wait(milliseconds: plan.milliseconds) { handle(tag, buffer) }
    }
  }

  /// What is to be done next: workers to start, and how long to wait for events afterwards. Nil: nothing is left.
  private func plan(_ buffer: UnsafeMutableRawBufferPointer) -> (starts: Int, milliseconds: Int32)? {
    var plan: (starts: Int, milliseconds: Int32)?
    withState { state in
      let now = Clock.now()
      // Whatever becomes urgent from here on is compared with the time that the wait will end at.
      state.wakeTime = .max
      expire(now, &state)
      for worker in state.workers.values where worker.closed != nil { endClosed(worker, now, buffer, &state) }
      if state.isRetired, state.queue.count == 0 { dismiss(&state) }
      state.dying.removeAll(where: ChildProcess.reap)
      if state.isRetired, state.workers.isEmpty, state.dying.isEmpty, state.queue.count == 0 {
        state.isRunning = false
        return
      }
      plan = (starts(now, &state), timeout(now, &state))
    }
    return plan
  }

  /// Ends what has taken too long.
  private func expire(_ now: UInt64, _ state: inout State) {
    for worker in state.workers.values {
      guard let call = worker.call, call.deadline <= now else { continue }
      end(worker, .timedOut(seconds: Int((call.timeLimit ?? 0) / 1_000_000_000)), &state)
    }
    while let call = state.queue.first, call.start + limits.queueTime <= now {
      _ = state.queue.popFirst()
      complete(call, .failure(.queueFull, errors: []), &state)
    }
  }

  private func dismiss(_ state: inout State) {
    for worker in state.idle { end(worker, nil, &state) }
  }

  /// The number of workers that the calls in the queue make necessary.
  private func starts(_ now: UInt64, _ state: inout State) -> Int {
    guard let first = state.queue.first, state.workers.count < limits.workers else { return 0 }
    if state.workers.isEmpty { return 1 }
    return first.start + limits.patience <= now ? 1 : 0
  }

  private func timeout(_ now: UInt64, _ state: inout State) -> Int32 {
    var next = UInt64.max
    for worker in state.workers.values {
      if let call = worker.call { next = min(next, call.deadline) }
    }
    if let first = state.queue.first {
      next = min(next, first.start + limits.queueTime)
      if state.workers.count < limits.workers { next = min(next, now + limits.patience) }
    }
    // The dead are looked for soon, since nothing tells of them.
    let isDying = !state.dying.isEmpty || state.workers.values.contains { $0.closed != nil }
    if isDying { next = min(next, now + 10_000_000) }
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
        state.nextTag += 2
        let reader = FrameReader(program.framing, limit: limits.result + 65_536)
        let worker = Worker(tag: tag, process, reader: reader)
        state.workers[tag] = worker
        poller.add(process.channel, tag: tag)
        poller.add(process.errors, tag: tag + 1)
        if let setup = program.setup { deliver(setup.bytes(as: program.framing), to: worker) }
        giveWork(to: worker, &state)
      }
    } catch {
      // Whoever waits for a worker waits in vain, unless there are others.
      withState { state in
        guard state.workers.isEmpty else { return }
        while let call = state.queue.popFirst() { complete(call, .failure(error, errors: []), &state) }
      }
    }
  }

  private func giveWork(to worker: Worker, _ state: inout State) {
    while let call = state.queue.popFirst() {
      if assign(call, to: worker, &state) { return }
      // It is gone, which will be noticed; the call has not reached it.
      state.queue.insert(call)
      return
    }
    state.idle.append(worker)
  }

  /// Something happened on a channel (even tags), or on standard error (odd ones).
  private func handle(_ tag: UInt64, _ buffer: UnsafeMutableRawBufferPointer) {
    guard let worker = state.withLock({ $0.workers[tag & ~1] }) else { return }
    if tag & 1 == 1 {
      if !worker.receiveErrors(buffer) { poller.remove(worker.process.errors) }
      return
    }
    let reception = worker.receive(buffer)
    do throws(FrameReader.Fault) {
      // One that has just started may have answered its first call as well.
      while let next = try worker.reader.next() { take(next, from: worker, buffer) }
    } catch {
      let reason = error == .tooLarge ? FunctionError.resultTooLarge(limit: limits.result) : .malformedAnswer
      return withState { state in end(worker, reason, &state) }
    }
    guard reception == .open else { return bury(worker, wasUnread: reception == .unread, buffer) }
    withState { state in
      guard state.workers[worker.tag] != nil, worker.isWriting else { return }
      if worker.flush() != .partial { poller.change(worker.process.channel, tag: worker.tag, writes: false) }
    }
  }

  /// The worker has closed its end. A call that it has not read goes to another one, unless it is a worker that
  /// reads none at all.
  private func bury(_ worker: Worker, wasUnread: Bool, _ buffer: UnsafeMutableRawBufferPointer) {
    let isBusy = state.withLock { state in
      if wasUnread, worker.served > 1, let call = worker.call {
        worker.call = nil
        call.worker = nil
        state.queue.insert(call)
      }
      return worker.call != nil
    }
    withState { state in
      guard isBusy else { return end(worker, nil, &state) }
      // How it ended is known once it has, which is soon after its descriptors are closed.
      let now = Clock.now()
      poller.remove(worker.process.channel)
      worker.closed = now
      worker.call?.deadline = .max
      endClosed(worker, now, buffer, &state)
    }
  }

  /// Ends a worker that has closed its end, as soon as there is a reason to tell.
  private func endClosed(
    _ worker: Worker, _ now: UInt64, _ buffer: UnsafeMutableRawBufferPointer, _ state: inout State
  ) {
    guard let closed = worker.closed else { return }
    let ending = worker.process.ending
    guard ending != nil || closed + limits.endTime <= now else { return }
    _ = worker.receiveErrors(buffer)
    end(worker, .crashed(worker.reason(for: ending)), &state)
  }

  private func take(_ frame: Frame, from worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) {
    let errors = frame.kind == .answer ? worker.takeErrors(buffer) : []
    if frame.kind == .setup, !worker.isReady { return begin(worker) }
    withState { state in
      // A worker speaks when it is spoken to, and once.
      guard let call = worker.call, worker.reader.isEmpty else {
        return end(worker, .malformedAnswer, &state)
      }
      switch frame.kind {
      case .question: complete(call, .question(frame.payload), &state)
      case .answer:
        worker.call = nil
        call.worker = nil
        complete(call, .answer(frame.payload, errors: errors), &state)
        if worker.served >= limits.calls { end(worker, nil, &state) } else { giveWork(to: worker, &state) }
      case .setup, .call, .reply: end(worker, .malformedAnswer, &state)
      }
    }
  }

  /// The worker has started: from now on its call's time counts.
  private func begin(_ worker: Worker) {
    withState { _ in
      worker.isReady = true
      if let call = worker.call, let limit = call.timeLimit { call.deadline = Clock.now() + limit }
    }
  }

  /// Kills a worker. Its call, if it has one, ends for that reason.
  private func end(_ worker: Worker, _ reason: FunctionError?, _ state: inout State) {
    guard state.workers.removeValue(forKey: worker.tag) != nil else { return }
    state.idle.removeAll { $0 === worker }
    worker.process.kill()
    state.dying.append(worker.process.id)
    guard let call = worker.call, let reason else { return }
    worker.call = nil
    call.worker = nil
    complete(call, .failure(reason, errors: worker.errors), &state)
  }
}
