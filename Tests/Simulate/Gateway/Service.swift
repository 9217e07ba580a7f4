import CGatehouseSimulation
import GatehouseAPI
import GatehouseAccess
import GatehouseAudit
import GatehouseCrypto
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import GatehouseTriggers

/// A gateway between its start and its end, which a crash may be.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Service: @unchecked Sendable {
  static let adminKey = "simulated-administrator"

  let directory: String
  let store: Store
  /// Tells triggers of logins.
  let logins: AuthenticationQueue
  /// Who may log in; nil: nobody.
  let users: Users?
  var triggers: TriggerRunner?
  /// A number that goes up whenever its triggers begin to run, in whichever gateway.
  var triggerProcess = 0
  /// Whether clients can still reach it.
  private(set) var isUp = true
  /// When the store was seen to have failed for good, or the service ended; nil: neither has happened.
  private(set) var failedAt: UInt64?
  /// Whether nothing happens any more, so that looking for it a few times a second would be most of the work.
  var isResting = false
  private let loops: [(loop: SimulatedLoop, gateway: Gateway)]
  private var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var count = 0
  private var followers: [() -> Void] = []
  /// The connections of each loop's clients; nil: requests enter at the handler.
  private var connections: [[ClientEnd]]?
  private var generator: SeededGenerator
  private let limits: SharedLimits

  /// Opens the store and makes a gateway for each loop.
  static func open(
    at directory: String, _ scenario: Scenario, appendingTo log: SimulatedLog?
  ) async throws -> Service {
    var options = storeOptions(scenario)
    options.log = log?.makeEnd(isDurable: scenario.hasDurableLog)
    let store = try Store(directory: directory, options: options)
    do {
      try await log?.bring(store, leads: true)
      return try await Service(store, at: directory, scenario)
    } catch {
      await store.close()
      throw error
    }
  }

  /// Opens the store of a node of a cluster, waits until it leads or has what the node has that does, and makes its gateway.
  static func open(at directory: String, _ scenario: Scenario, as run: NodeRun) async throws -> Service {
    var options = storeOptions(scenario)
    options.scheduler = run.process
    options.log = run.part
    let store = try Store(directory: directory, options: options)
    do {
      try await run.join(store)
      return try await Service(store, at: directory, scenario, as: run)
    } catch {
      await store.close()
      throw error
    }
  }

  /// The options of whoever opens the store.
  static func storeOptions(_ scenario: Scenario) -> StoreOptions {
    var options = StoreOptions()
    options.scheduler = Simulation.scheduler
    options.appendOnlyClasses = [StoredEvent.className]
    options.writeAheadSize = scenario.writeAheadSize
    options.logSize = scenario.logSize
    options.followedBytes = scenario.followedBytes
    options.queryTime = 20_000_000_000
    options.writeTime = 20_000_000_000
    options.writeWait = 20_000_000_000
    return options
  }

  private init(
    _ store: Store, at directory: String, _ scenario: Scenario, as run: NodeRun? = nil
  ) async throws {
    (self.store, self.directory) = (store, directory)
    generator = scenario.generator(5)
    var limits = Limits()
    limits.gatheredContent = 600
    self.limits = SharedLimits(limits)
    var options = GatewayOptions()
    if scenario.window > 0 {
      options.policies.update { $0.durability = .within(milliseconds: scenario.window) }
    }
    var feeds = FeedOptions()
    feeds.liveChanges = scenario.liveChanges
    options.broker = EventBroker(store, options: feeds)
    options.access = try AccessControl(store, adminKey: AdminKey(Self.adminKey))
    if scenario.isAudited {
      options.recorder = Recorder(store, policy: Policy(always: ["Item": [.read, .write]]))
    }
    if scenario.hasFunctions { options.functions = .simulated(on: store) }
    if scenario.hasUsers {
      let cost = try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1)
      options.users = try await Users(store, providers: .open, cost: cost)
    }
    users = options.users
    logins = options.users?.events ?? AuthenticationQueue()
    options.cluster = run?.access
    options.report = { line in Simulation.note(String(decoding: line, as: UTF8.self)) }
    loops = try (0..<scenario.loops).map { index in
      (
        SimulatedLoop(index, on: Simulation.scheduler, of: run?.process),
        try Gateway(store: store, options: options)
      )
    }
    if scenario.hasConnections { connections = loops.map { _ in [] } }
    for (loop, gateway) in loops { loop.later { loop.serve(gateway) } }
    for (loop, gateway) in loops { tick(gateway, on: loop) }
  }

  /// Has the store lead again when nobody knows what has become of a transaction of its own: the log does.
  func keepLeading(_ log: SimulatedLog) async {
    while isUp {
      if !store.isLeading {
        do { try await log.bring(store, leads: true) } catch {
          guard let error = error as? StorageError, !error.isDivergence else {
            return Simulation.fail("the store does not take its own log: \(error)")
          }
          Simulation.note("does not lead: \(error)")
        }
      }
      try? await Task.sleep(for: isResting ? .seconds(10) : .milliseconds(100))
    }
  }

  private func tick(_ gateway: Gateway, on loop: SimulatedLoop) {
    loop.later(after: isResting ? .seconds(10) : .milliseconds(250)) { [weak self] in
      guard let self, isUp else { return }
      gateway.tick()
      if failedAt == nil, store.failure == .syncFailed { failedAt = sim_now() }
      tick(gateway, on: loop)
    }
  }

  /// Returns the answer to a request; nil: the service ended first, the connection was cut, or the client left after
  /// `patience`.
  func answer(
    _ request: Request, onLoop index: Int, patience: Duration? = nil, mayBeCut: Bool = false
  ) async -> Answer? {
    guard isUp else { return nil }
    count += 1
    let number = count
    return await withCheckedContinuation { continuation in
      waiting[number] = continuation
      if connections == nil {
        handle(request, number, onLoop: index % loops.count, patience)
      } else {
        send(request, number, onLoop: index % loops.count, patience, mayBeCut)
      }
    }
  }

  /// Hands a request to the gateway.
  private func handle(_ request: Request, _ number: Int, onLoop index: Int, _ patience: Duration?) {
    let (loop, gateway) = loops[index]
    tasks[number] = Task(executorPreference: loop) { [weak self] in
      let answer = try? await Answer(await gateway.respond(to: request))
      self?.tasks[number] = nil
      self?.finish(number, answer)
    }
    guard let patience else { return }
    loop.later(after: patience) { [weak self] in
      self?.tasks[number]?.cancel()
      self?.finish(number, nil)
    }
  }

  /// Sends a request by a connection.
  private func send(
    _ request: Request, _ number: Int, onLoop index: Int, _ patience: Duration?, _ mayBeCut: Bool
  ) {
    let loop = loops[index].loop
    loop.later { [self] in
      let connection = connection(onLoop: index)
      connection.perform(request, mayBeCut: mayBeCut) { [weak self] in self?.finish(number, $0) }
      guard let patience else { return }
      loop.later(after: patience) { [weak self] in
        if self?.waiting[number] != nil { connection.close() }
      }
    }
  }

  /// A connection that is open already, or another one.
  private func connection(onLoop index: Int) -> ClientEnd {
    connections?[index].removeAll { $0.isOver }
    let idle = connections?[index].filter(\.isIdle) ?? []
    if let used = idle.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) > 0 {
      return used
    }
    let (loop, gateway) = loops[index]
    let made = ClientEnd(on: loop, gateway, limits, SeededGenerator(seed: generator.next()))
    connections?[index].append(made)
    return made
  }

  /// Begins a stream on the loop that it was opened on.
  func start(_ source: any PushSource, into sink: any PushSink, onLoop index: Int) {
    loops[index % loops.count].loop.later { source.start(sink) }
  }

  /// Runs something on a loop.
  func run(onLoop index: Int, after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    loops[index % loops.count].loop.later(after: delay, body)
  }

  /// Has a loop do nothing for a while.
  func stall(loop index: Int, for duration: Duration) { loops[index % loops.count].loop.stall(for: duration) }

  /// Calls `body` when the service has ended.
  func atEnd(_ body: @escaping () -> Void) { if isUp { followers.append(body) } else { body() } }

  private func finish(_ number: Int, _ answer: Answer?) {
    waiting.removeValue(forKey: number)?.resume(returning: answer)
  }

  /// Whether requests are being answered.
  var isBusy: Bool { !tasks.isEmpty || (connections ?? []).contains { $0.contains(where: \.isServed) } }

  /// Ends all that goes on in it, and closes the store.
  func close() async {
    await triggers?.close()
    await store.close()
  }

  /// Nobody reaches it any more: whoever waits learns nothing.
  func end() {
    isUp = false
    failedAt = failedAt ?? sim_now()
    // To resume one is a step, in which others must find nobody who waits.
    let (waiting, followers) = (waiting.sorted { $0.key < $1.key }, followers)
    (self.waiting, self.followers) = ([:], [])
    for (_, continuation) in waiting { continuation.resume(returning: nil) }
    for follower in followers { follower() }
    connections = connections?.map { _ in [] }
  }
}

extension StorageError {
  /// Whether a store does not follow its log any more, for good.
  fileprivate var isDivergence: Bool {
    switch self {
    case .diverged, .invalidEntry, .corrupt: true
    default: false
    }
  }
}
