internal import CLinux
internal import Dispatch
internal import Glibc
internal import HTTP
internal import Telemetry

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

  /// Where every connection's reads go first, so that idle connections have no buffer.
  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Where what TLS connections decrypt goes, and what they encrypt.
  lazy var plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  lazy var encrypted = EncryptedOutput()
  var writer: ResponseWriter
  let reporter: Reporter?
  var requestIDs = RequestIDSource()
  /// Where heads are read into.
  var heads = HeadRoom()
  /// Read once per batch of events.
  private(set) var now = Clock.now()
  /// The same moment.
  private var calendarTime = CalendarTime.now()

  let poller: Poller
  /// The batch of events being handled: how many there are, and which is next.
  private var eventCount = 0
  private var nextEvent = 0
  /// What ends the sleep.
  var source: (any DispatchSourceRead)?
  var hasTimer = false
  /// Whether anything was done since the timer ran.
  var wasActive = false
  /// Whether nothing was done between two ticks.
  var isQuiet = true
  var acceptors: [Acceptor] = []
  var connections: [SocketConnection] = []
  /// Closed ones, kept until no event of the current batch can name them.
  var closed: [SocketConnection] = []
  /// Those with something to do once the current batch has been handled.
  var laggards: [SocketConnection] = []
  /// Requests for workers.
  var waiting: [WaitingRequest] = []
  var idleWorkers: [Worker] = []
  /// Whose output is in `writer`.
  var writing: SocketConnection?
  /// When the timer should run next, and how often it does, in nanoseconds.
  var expected: UInt64 = 0
  let interval: UInt64
  var drained: (() -> Void)?
  var isDraining = false
  var hasStopped = false

  private let jobs = JobQueue()
  /// Room for the next jobs.
  private var spareJobs: [JobQueue.Job] = []
  private let key = DispatchSpecificKey<Void>()

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
    interval = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    poller = try Poller()
    queue.setSpecific(key: key, value: ())
  }

  deinit {
    input.deallocate()
  }

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
      wasActive = true
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
      if runJobs() || !laggards.isEmpty {
        flush()
        handleEvents(waits: false)
      } else if isQuiet {
        if become(.asleep) { return }
      } else if become(.waiting) {
        handleEvents(waits: true)
      }
      flush()
      handler.rest()
    }
  }

  /// Marks the loop as less than awake unless a job has come in.
  private func become(_ wakefulness: JobQueue.Wakefulness) -> Bool {
    let isSo = jobs.become(wakefulness)
    if isSo, wakefulness == .asleep { sleep() }
    return isSo
  }

  private func handleEvents(waits: Bool) {
    eventCount = poller.poll(waits: waits)
    nextEvent = 0
    guard eventCount > 0 else { return }
    jobs.wake()
    updateTime()
    while handleEvent() { answer() }
  }

  /// Handles the batch's next event; false when there is none.
  func handleEvent() -> Bool {
    guard nextEvent < eventCount else { return false }
    defer { nextEvent += 1 }
    switch poller.event(at: nextEvent) {
    case .ring: break
    case .tick: tick()
    case .readiness(let tag, let readiness): handle(readiness, tag)
    }
    return true
  }

  private func handle(_ readiness: Readiness, _ tag: UInt) {
    wasActive = true
    if tag < UInt(acceptors.count) {
      acceptors[Int(tag)].accept(on: self)
    } else if let pointer = UnsafeRawPointer(bitPattern: tag) {
      // The loop holds the connection, in `connections` or in `closed`, until the batch is over.
      Unmanaged<SocketConnection>.fromOpaque(pointer).takeUnretainedValue().handle(readiness)
    }
  }

  /// Lets Dispatch call when something happens.
  private func sleep() {
    if hasStopped || source != nil { return }
    if connections.isEmpty { stopTimer() }
    let source = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue)
    source.setEventHandler { [unowned self] in wake() }
    // Once Dispatch is done with the descriptor: it must not be closed before.
    source.setCancelHandler { self.turn() }
    source.activate()
    self.source = source
  }

  private func wake() {
    isQuiet = hasStopped
    if !hasTimer, !hasStopped {
      // Nothing was done from time to time while nobody was connected; now it is due.
      updateTime()
      handler.tick()
    }
    startTimer()
    guard let source else { return turn() }
    source.cancel()
    self.source = nil
  }

  private func updateTime() {
    now = Clock.now()
    calendarTime = .now()
    writer.setDate(second: calendarTime.second)
  }

  /// What the calendar says at a moment not before ``now``.
  func calendarTime(at moment: MonotonicTime) -> CalendarTime {
    calendarTime + Int(moment.nanoseconds &- now.nanoseconds)
  }

  /// Does what was left until all events of a batch had been handled.
  func flush() {
    answer()
    var connections: [SocketConnection] = []
    swap(&connections, &laggards)
    for connection in connections { connection.catchUp() }
    answer()
    if nextEvent == eventCount, !closed.isEmpty { closed.removeAll(keepingCapacity: true) }
  }
}
