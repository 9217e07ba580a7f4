internal import CLinux
internal import Dispatch
internal import Glibc
internal import HTTP

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
  /// Whether it matters what becomes of requests.
  let isReporting: Bool
  var requestIDs = RequestIDSource()
  /// Read once per batch of events.
  private(set) var now = Clock.now()

  private let poller: Poller
  /// The batch of events being handled: how many there are, and which is next.
  private var eventCount = 0
  private var nextEvent = 0
  /// What ends the sleep.
  private var source: (any DispatchSourceRead)?
  private var hasTimer = false
  /// Whether anything was done since the timer ran.
  private var wasActive = false
  /// Whether nothing was done between two ticks.
  private var isQuiet = true
  private var acceptors: [Acceptor] = []
  private var connections: [SocketConnection] = []
  /// Closed ones, kept until no event of the current batch can name them.
  private var closed: [SocketConnection] = []
  /// Those with something to do once the current batch has been handled.
  private var laggards: [SocketConnection] = []
  /// Those with a request for a worker.
  private var waiting: [SocketConnection] = []
  private var idleWorkers: [Worker] = []
  /// Whose output is in `writer`.
  private var writing: SocketConnection?
  /// When the timer should run next, and how often it does, in nanoseconds.
  private var expected: UInt64 = 0
  private let interval: UInt64
  private var drained: (() -> Void)?
  private var isDraining = false
  private var hasStopped = false

  private let jobs = JobQueue()
  /// Room for the next jobs.
  private var spareJobs: [JobQueue.Job] = []
  private let key = DispatchSpecificKey<Void>()
  /// Workers that are kept for what may come.
  private static let idleWorkers = 16

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
    isReporting = reporter != nil || configuration.tellsTiming
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
  private func runJobs() -> Bool {
    var batch: [JobQueue.Job] = []
    swap(&batch, &spareJobs)
    let hasJobs = jobs.take(&batch)
    if hasJobs { wasActive = true }
    for job in batch {
      switch job {
      case .task(let task): task.runSynchronously(on: asUnownedTaskExecutor())
      case .call(let body): body()
      }
    }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &spareJobs)
    return hasJobs
  }

  // Turns

  /// Handles events and jobs until there have been none for a while.
  private func turn() {
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
  private func handleEvent() -> Bool {
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
    writer.setDate(second: Clock.secondsSince1970())
  }

  /// Does what was left until all events of a batch had been handled.
  private func flush() {
    answer()
    var connections: [SocketConnection] = []
    swap(&connections, &laggards)
    for connection in connections { connection.catchUp() }
    answer()
    if nextEvent == eventCount { closed.removeAll(keepingCapacity: true) }
  }

  // Requests

  /// Has the connection's request answered by a worker.
  func answerLater(_ connection: SocketConnection) {
    waiting.append(connection)
  }

  /// The next connection with a request, for a worker, which goes on with the batch's events to find it: an
  /// answer goes out before the next request is read.
  func nextToAnswer() -> SocketConnection? {
    while waiting.isEmpty {
      guard handleEvent() else { return nil }
    }
    return waiting.removeLast()
  }

  /// Whether the worker, which has nothing to do, is to wait for more.
  func keeps(_ worker: Worker) -> Bool {
    guard idleWorkers.count < Self.idleWorkers, !hasStopped else { return false }
    idleWorkers.append(worker)
    return true
  }

  /// Has the requests that wait answered, each by one worker more if the ones before must wait for something.
  private func answer() {
    while !waiting.isEmpty {
      if let worker = idleWorkers.popLast() {
        worker.resume()
        _ = runJobs()
      } else {
        Worker(self).start()
      }
    }
  }

  // Output

  /// Makes sure that `writer` holds nobody else's output.
  func claimWriter(for connection: SocketConnection) {
    if writing === connection { return }
    writing?.flush()
    writing = connection
  }

  /// Whether `writer` may hold output of that connection.
  func isWriting(_ connection: SocketConnection) -> Bool { writing === connection }

  func releaseWriter() {
    writer.output.removeAll()
    writing = nil
  }

  /// Lets the connection go on once everything that is ready has been handled.
  func catchUpLater(_ connection: SocketConnection) {
    laggards.append(connection)
  }

  // Connections

  func add(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?) {
    let connection = SocketConnection(descriptor, peer: peer, session: session, loop: self)
    do {
      try poller.add(
        descriptor, [.input, .output, .peerClosed, .edgeTriggered],
        tag: UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque()))
    } catch {
      return connection.close()
    }
    reporter?.addConnection()
    connection.index = connections.count
    connections.append(connection)
  }

  /// Ends the events of a descriptor that is about to be closed.
  ///
  /// Closing alone is not enough: a process that is being started has the descriptor too until it becomes another
  /// program, and as long as anybody has it, epoll names the connection that is gone (epoll(7), questions and
  /// answers, 6).
  func unwatch(_ descriptor: Int32) {
    poller.remove(descriptor)
  }

  func remove(_ connection: SocketConnection) {
    closed.append(connection)
    admission.leave(connection.peer)
    guard let index = connection.index else { return }
    connections.swapAt(index, connections.count - 1)
    connections[index].index = index
    connections.removeLast()
    reporter?.removeConnection()
    connection.index = nil
    if connections.isEmpty { becomeIdle() }
  }

  private func becomeIdle() {
    reporter?.flush()
    if isDraining {
      drained?()
      drained = nil
    }
  }

  private func recordLag() {
    guard let reporter else { return }
    let due = expected
    expected = now.nanoseconds + interval
    if due > 0 { reporter.recordLag(nanoseconds: Int(max(now.nanoseconds, due) - due)) }
  }

  private func startTimer() {
    if hasTimer || hasStopped { return }
    hasTimer = true
    expected = 0
    poller.setTimer(nanoseconds: interval)
  }

  private func stopTimer() {
    hasTimer = false
    poller.setTimer(nanoseconds: 0)
  }

  /// Does what is due from time to time.
  private func tick() {
    isQuiet = !wasActive
    wasActive = false
    recordLag()
    reporter?.flush()
    for acceptor in acceptors { acceptor.resume(on: self) }
    handler.tick()
    // Backwards, since closing one moves the last into its place.
    for index in connections.indices.reversed() where index < connections.count {
      if let deadline = connections[index].deadline, deadline <= now { connections[index].expire() }
    }
  }

  // Life

  /// Starts to accept. Called once, before anything else happens on the loop.
  func start(_ acceptors: [Acceptor]) throws(ServerError) {
    self.acceptors = acceptors
    handler.start(on: self)
    for (tag, acceptor) in acceptors.enumerated() { try watch(acceptor, tag: tag) }
    queue.async { self.turn() }
  }

  private func watch(_ acceptor: Acceptor, tag: Int) throws(ServerError) {
    let readiness: Readiness = acceptor.socket.isShared ? [.input, .exclusive] : [.input]
    try poller.add(acceptor.socket.descriptor, readiness, tag: UInt(tag))
  }

  func pause(_ acceptor: Acceptor) {
    poller.remove(acceptor.socket.descriptor)
  }

  func unpause(_ acceptor: Acceptor) {
    guard let tag = acceptors.firstIndex(where: { $0 === acceptor }) else { return }
    try? watch(acceptor, tag: tag)
  }

  /// Stops to accept, closes idle connections, and calls back when the others are done.
  func drain(_ done: @escaping @Sendable () -> Void) {
    isDraining = true
    drained = done
    for acceptor in acceptors { pause(acceptor) }
    acceptors = []
    handler.drain()
    flush()
    for connection in connections.reversed() { connection.drain() }
    if connections.isEmpty { becomeIdle() }
  }

  /// Closes whatever is open, and stops.
  func stop() {
    hasStopped = true
    isQuiet = true
    stopTimer()
    for connection in connections.reversed() { connection.close() }
    for worker in idleWorkers {
      worker.cancel()
      worker.resume()
    }
    idleWorkers = []
    source?.cancel()
    source = nil
  }
}
