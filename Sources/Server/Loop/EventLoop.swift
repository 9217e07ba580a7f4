internal import Dispatch
internal import GatehouseHTTP
internal import GatehousePolling
internal import GatehouseTelemetry

/// A serial Dispatch queue that waits for the descriptors of its connections and runs their handlers.
///
/// Dispatch watches one descriptor per loop, that of the loop's epoll instance; what is ready behind it is
/// fetched in batches. That is one and a half times as fast as a Dispatch source per connection. A loop that was
/// busy waits for more by itself, until its timer finds that nothing has come, before it goes back to Dispatch,
/// which takes three thread switches to call again. Dispatch watches only while the loop is asleep: told of every
/// event, it would cost each a microsecond; so would a time limit of each wait.
///
///     asleep ──event, job──▶ awake ──nothing left──▶ waiting ──quiet between two ticks──▶ asleep
///                              ▲                        │
///                              └───────event, job───────┘
///
/// @unchecked Sendable: Because everything but `queue` and `poller` is touched on the queue only.
final class EventLoop: TaskExecutor, Loop, @unchecked Sendable {
  let index: Int
  let queue: LoopQueue
  let configuration: Configuration
  let limits: SharedLimits
  let handler: any Handler
  let reporter: Reporter?
  let poller: Poller

  var buffers: LoopBuffers
  var events: LoopEvents
  var connections: ConnectionList
  var work = LoopWork()
  private(set) var life = LoopLife.running

  init(
    index: Int, configuration: Configuration, handler: any Handler, admission: Admission
  ) throws(ServerError) {
    self.index = index
    self.configuration = configuration
    limits = SharedLimits(configuration.limits)
    self.handler = handler
    queue = LoopQueue(label: "gatehouse.loop.\(index)")
    reporter = Reporter(
      shard: index, registry: configuration.metrics, log: configuration.log, spans: configuration.spans)
    connections = ConnectionList(admission: admission)
    buffers = LoopBuffers(server: configuration.serverField)
    let ticks = try TickDescriptor()
    poller = try Self.makePoller(watching: ticks)
    events = LoopEvents(tick: configuration.tick, ticks: ticks)
  }

  private static func makePoller(watching ticks: borrowing TickDescriptor) throws(ServerError) -> Poller {
    do throws(PollingError) {
      let poller = try Poller()
      try poller.add(ticks.descriptor, [.input, .edgeTriggered], tag: LoopEvents.tickTag)
      return poller
    } catch {
      throw ServerError(error)
    }
  }

  /// The time at which the current batch of events was read.
  var now: MonotonicTime { events.time.monotonic }

  /// Whether the caller runs on this loop.
  var isCurrent: Bool { queue.isCurrent }

  // Tasks

  func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.task(UnownedJob(job)))
  }

  /// Calls `body` on the loop: now if the caller is on it, else soon.
  func execute(_ body: @escaping @Sendable () -> Void) {
    if isCurrent { body() } else { enqueue(.call(body)) }
  }

  /// Calls `body` on the loop, after what is ready there now.
  func later(_ body: @escaping @Sendable () -> Void) {
    enqueue(.call(body))
  }

  private func enqueue(_ job: JobQueue.Job) {
    switch queue.jobs.append(job) {
    case .asleep: queue.dispatch.async { self.wake() }
    case .awake: break
    case .waiting: poller.ring()
    }
  }

  /// Runs what was waiting when called; false when there was nothing.
  func runJobs() -> Bool {
    var batch: [JobQueue.Job] = []
    swap(&batch, &work.spareJobs)
    let hasJobs = queue.jobs.take(&batch)
    if hasJobs {
      events.timer.noteActivity()
      for job in batch {
        switch job {
        case .task(let task): task.runSynchronously(on: asUnownedTaskExecutor())
        case .call(let body): body()
        }
      }
      batch.removeAll(keepingCapacity: true)
    }
    swap(&batch, &work.spareJobs)
    return hasJobs
  }

  // Turns

  func checkQueue() {
    precondition(isCurrent, "everything of a connection is touched on its loop's queue")
  }

  /// Handles events and jobs until there have been none for a while.
  func turn() {
    checkQueue()
    while true {
      if runJobs() || !work.postponing.isEmpty {
        flush()
        handleEvents(waits: false)
      } else if events.timer.isQuiet {
        if become(.asleep) { return }
      } else if become(.waiting) {
        handleEvents(waits: true)
      }
      flush()
      handler.rest()
    }
  }

  /// Marks the loop as less than awake unless a job has come in.
  private func become(_ wakeState: JobQueue.WakeState) -> Bool {
    let isSo = queue.jobs.become(wakeState)
    if isSo, wakeState == .asleep { sleep() }
    return isSo
  }

  private func handleEvents(waits: Bool) {
    guard poller.wait(for: &events.batch, milliseconds: waits ? -1 : 0) else { return }
    queue.jobs.wake()
    updateTime()
    while handleEvent() { answer() }
  }

  /// Handles the batch's next event; false when there is none.
  func handleEvent() -> Bool {
    guard let event = events.batch.take() else { return false }
    if event.tag == LoopEvents.tickTag {
      events.ticks.acknowledge()
      tick()
    } else {
      handle(event.readiness, UInt(event.tag))
    }
    return true
  }

  private func handle(_ readiness: Readiness, _ tag: UInt) {
    events.timer.noteActivity()
    if tag < UInt(connections.acceptors.count) {
      connections.acceptors[Int(tag)].accept(on: self)
    } else if let pointer = UnsafeRawPointer(bitPattern: tag) {
      // The loop holds the connection, in `connections` or in `closed`, until the batch is over.
      Unmanaged<SocketConnection>.fromOpaque(pointer).takeUnretainedValue().handle(readiness)
    }
  }

  /// Lets Dispatch call when something happens.
  private func sleep() {
    if life.isStopped || events.source != nil { return }
    if connections.open.isEmpty { events.stopTimer() }
    let source = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue.dispatch)
    source.setEventHandler { [unowned self] in wake() }
    // Once Dispatch is done with the descriptor: it must not be closed before.
    source.setCancelHandler { self.turn() }
    source.activate()
    events.source = source
  }

  private func wake() {
    if !life.isStopped {
      events.timer.wake()
      if events.startTimer() {
        // Nothing was done from time to time while nobody was connected; now it is due.
        updateTime()
        handler.tick()
      }
    }
    guard let source = events.source else { return turn() }
    source.cancel()
    events.source = nil
  }

  private func updateTime() {
    events.time = LoopTime.now()
    buffers.writer.setDate(second: events.time.second)
  }

  /// Returns the calendar's time at a moment not before ``now``.
  func calendarTime(at moment: MonotonicTime) -> CalendarTime { events.time.calendar(at: moment) }

  /// Does what was left until all events of a batch had been handled.
  func flush() {
    answer()
    var ready: [SocketConnection] = []
    swap(&ready, &work.postponing)
    for connection in ready { connection.catchUp() }
    answer()
    if events.batch.isOver { connections.releaseClosed() }
  }

  // Its life

  /// Stops to accept, closes idle connections, and calls back when the others are done.
  func drain(_ done: @escaping @Sendable () -> Void) {
    // A deadline of nothing may have come first.
    checkQueue()
    if life.isStopped { return done() }
    life = .draining(done: done)
    for acceptor in connections.acceptors { pause(acceptor) }
    connections.acceptors = []
    handler.drain()
    flush()
    for connection in connections.open.reversed() { connection.drain() }
    if connections.open.isEmpty { becomeIdle() }
  }

  /// The last connection has ended.
  func becomeIdle() {
    precondition(connections.open.isEmpty, "a loop is idle when its last connection has ended")
    reporter?.flush()
    life.takeDone()?()
  }

  /// Closes whatever is open, and stops.
  func stop() {
    checkQueue()
    events.timer.rest()
    events.stopTimer()
    for connection in connections.open.reversed() { connection.close() }
    life = .stopped
    for task in work.idleTasks {
      task.cancel()
      task.resume()
    }
    work.idleTasks = []
    events.source?.cancel()
    events.source = nil
  }
}
