internal import CGatehouseLinux
internal import Dispatch
internal import GatehouseHTTP
internal import GatehouseTelemetry
internal import Glibc

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
/// @unchecked Sendable: Because everything but `jobs` is touched on `queue` only.
final class EventLoop: TaskExecutor, Loop, @unchecked Sendable {
  let index: Int
  let queue: DispatchQueue
  let configuration: Configuration
  let limits: SharedLimits
  let handler: any Handler
  let admission: Admission

  let reporter: Reporter?
  var requestIDs = RequestIDSource()

  // The memory that connections use one after the other, so that idle ones have none.
  /// The bytes that a socket brings.
  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// The heads that are being read.
  var heads = HeadRoom()
  /// The responses that are being made.
  var writer: ResponseWriter
  /// The connection whose output is in ``writer``.
  var writing: SocketConnection?
  private(set) lazy var tls = TLSBuffers()

  // Events.
  private(set) var life = LoopLife.running
  var timer: LoopTimer
  let poller: Poller
  private var batch = EventBatch()
  private var time = LoopTime.now()
  /// Ends the sleep.
  private var source: (any DispatchSourceRead)?
  private let jobs = JobQueue()
  /// Room for the next jobs.
  private var spareJobs: [JobQueue.Job] = []
  private let key = DispatchSpecificKey<Void>()

  // Work that events lead to.
  var acceptors: [Acceptor] = []
  var connections = ConnectionList()
  /// The connections with a step to do once the current batch has been handled.
  var postponing: [SocketConnection] = []
  /// Requests for workers.
  var waiting: [WaitingRequest] = []
  var idleWorkers: [Worker] = []

  init(
    index: Int, configuration: Configuration, handler: any Handler, admission: Admission
  ) throws(ServerError) {
    self.index = index
    self.configuration = configuration
    limits = SharedLimits(configuration.limits)
    self.handler = handler
    self.admission = admission
    queue = DispatchQueue(label: "gatehouse.loop.\(index)", qos: .userInitiated)
    reporter = Reporter(shard: index, registry: configuration.metrics, log: configuration.log)
    writer = ResponseWriter(server: configuration.serverField)
    let (seconds, attoseconds) = configuration.tick.components
    timer = LoopTimer(interval: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
    poller = try Poller()
    queue.setSpecific(key: key, value: ())
  }

  deinit {
    input.deallocate()
  }

  /// The time at which the current batch of events was read.
  var now: MonotonicTime { time.monotonic }

  /// Whether the caller runs on this loop.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

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
    switch jobs.append(job) {
    case .asleep: queue.async { self.wake() }
    case .awake: break
    case .waiting: poller.ring()
    }
  }

  /// Runs what was waiting when called; false when there was nothing.
  func runJobs() -> Bool {
    var batch: [JobQueue.Job] = []
    swap(&batch, &spareJobs)
    let hasJobs = jobs.take(&batch)
    if hasJobs {
      timer.noteActivity()
      for job in batch {
        switch job {
        case .task(let task): task.runSynchronously(on: asUnownedTaskExecutor())
        case .call(let body): body()
        }
      }
      batch.removeAll(keepingCapacity: true)
    }
    swap(&batch, &spareJobs)
    return hasJobs
  }

  // Turns

  /// Handles events and jobs until there have been none for a while.
  func turn() {
    while true {
      if runJobs() || !postponing.isEmpty {
        flush()
        handleEvents(waits: false)
      } else if timer.isQuiet {
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
    let isSo = jobs.become(wakeState)
    if isSo, wakeState == .asleep { sleep() }
    return isSo
  }

  private func handleEvents(waits: Bool) {
    let count = poller.poll(waits: waits)
    batch = EventBatch(count: count)
    guard count > 0 else { return }
    jobs.wake()
    updateTime()
    while handleEvent() { answer() }
  }

  /// Handles the batch's next event; false when there is none.
  func handleEvent() -> Bool {
    guard let index = batch.take() else { return false }
    switch poller.event(at: index) {
    case .ring: break
    case .tick: tick()
    case .readiness(let tag, let readiness): handle(readiness, tag)
    }
    return true
  }

  private func handle(_ readiness: Readiness, _ tag: UInt) {
    timer.noteActivity()
    if tag < UInt(acceptors.count) {
      acceptors[Int(tag)].accept(on: self)
    } else if let pointer = UnsafeRawPointer(bitPattern: tag) {
      // The loop holds the connection, in `connections` or in `closed`, until the batch is over.
      Unmanaged<SocketConnection>.fromOpaque(pointer).takeUnretainedValue().handle(readiness)
    }
  }

  /// Lets Dispatch call when something happens.
  private func sleep() {
    if life.isStopped || source != nil { return }
    if connections.open.isEmpty { stopTimer() }
    let source = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue)
    source.setEventHandler { [unowned self] in wake() }
    // Once Dispatch is done with the descriptor: it must not be closed before.
    source.setCancelHandler { self.turn() }
    source.activate()
    self.source = source
  }

  private func wake() {
    if !life.isStopped {
      timer.wake()
      if timer.start() {
        poller.setTimer(nanoseconds: timer.interval)
        // Nothing was done from time to time while nobody was connected; now it is due.
        updateTime()
        handler.tick()
      }
    }
    guard let source else { return turn() }
    source.cancel()
    self.source = nil
  }

  private func updateTime() {
    time = LoopTime.now()
    writer.setDate(second: time.second)
  }

  /// Returns the calendar's time at a moment not before ``now``.
  func calendarTime(at moment: MonotonicTime) -> CalendarTime { time.calendar(at: moment) }

  /// Does what was left until all events of a batch had been handled.
  func flush() {
    answer()
    var ready: [SocketConnection] = []
    swap(&ready, &postponing)
    for connection in ready { connection.catchUp() }
    answer()
    if batch.isOver { connections.releaseClosed() }
  }

  // Its life

  /// Stops to accept, closes idle connections, and calls back when the others are done.
  func drain(_ done: @escaping @Sendable () -> Void) {
    life = .draining(done: done)
    for acceptor in acceptors { pause(acceptor) }
    acceptors = []
    handler.drain()
    flush()
    for connection in connections.open.reversed() { connection.drain() }
    if connections.open.isEmpty { becomeIdle() }
  }

  /// The last connection has ended.
  func becomeIdle() {
    reporter?.flush()
    life.takeDone()?()
  }

  /// Closes whatever is open, and stops.
  func stop() {
    timer.rest()
    stopTimer()
    for connection in connections.open.reversed() { connection.close() }
    life = .stopped
    for worker in idleWorkers {
      worker.cancel()
      worker.resume()
    }
    idleWorkers = []
    source?.cancel()
    source = nil
  }
}
