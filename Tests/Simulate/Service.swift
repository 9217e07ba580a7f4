import CGatehouseSimulation
import GatehouseAPI
import GatehouseAccess
import GatehouseAudit
import GatehouseFeeds
import GatehouseHTTP
import GatehouseStorage

/// A gateway between its start and its end, which a crash may be.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Service: @unchecked Sendable {
  static let adminKey = "simulated-administrator"

  let directory: String
  let store: Store
  /// Whether clients can still reach it.
  private(set) var isUp = true
  private let loops: [(loop: SimulatedLoop, gateway: Gateway)]
  private var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var count = 0
  private var followers: [() -> Void] = []

  /// Opens the store and makes a gateway for each loop.
  init(at directory: String, _ scenario: Scenario) throws {
    self.directory = directory
    var options = StoreOptions()
    options.scheduler = Simulation.scheduler
    options.appendOnlyClasses = [StoredEvent.className]
    options.writeAheadSize = scenario.writeAheadSize
    options.queryTime = 20_000_000_000
    options.writeTime = 20_000_000_000
    options.writeWait = 20_000_000_000
    let store = try Store(directory: directory, options: options)
    self.store = store
    var gatewayOptions = GatewayOptions()
    if scenario.window > 0 {
      gatewayOptions.policies.update { $0.durability = .within(milliseconds: scenario.window) }
    }
    gatewayOptions.broker = try EventBroker(store, options: FeedOptions())
    gatewayOptions.access = try AccessControl(store, adminKey: AdminKey(Self.adminKey))
    if scenario.isAudited {
      gatewayOptions.recorder = Recorder(store, policy: Policy(always: ["Item": [.read, .write]]))
    }
    gatewayOptions.report = { line in Simulation.note(String(decoding: line, as: UTF8.self)) }
    loops = try (0..<scenario.loops).map { index in
      let loop = SimulatedLoop(index, on: Simulation.scheduler)
      let gateway = try Gateway(store: store, options: gatewayOptions)
      return (loop, gateway)
    }
    for (loop, gateway) in loops { loop.later { loop.serve(gateway) } }
    for (loop, gateway) in loops { tick(gateway, on: loop) }
  }

  private func tick(_ gateway: Gateway, on loop: SimulatedLoop) {
    loop.later(after: .milliseconds(250)) { [weak self] in
      guard let self, isUp else { return }
      gateway.tick()
      tick(gateway, on: loop)
    }
  }

  /// Returns the answer to a request; nil: the service ended first, or the client left after `patience`.
  func answer(_ request: Request, onLoop index: Int, patience: Duration? = nil) async -> Answer? {
    guard isUp else { return nil }
    let (loop, gateway) = loops[index % loops.count]
    count += 1
    let number = count
    return await withCheckedContinuation { continuation in
      waiting[number] = continuation
      tasks[number] = Task(executorPreference: loop) { [weak self] in
        let answer = try? await Answer(await gateway.respond(to: request))
        self?.finish(number, answer)
      }
      if let patience {
        loop.later(after: patience) { [weak self] in
          self?.tasks[number]?.cancel()
          self?.finish(number, nil)
        }
      }
    }
  }

  /// Begins a stream on the loop that it was opened on.
  func start(_ source: any PushSource, into sink: any PushSink, onLoop index: Int) {
    loops[index % loops.count].loop.later { source.start(sink) }
  }

  /// Runs something on a loop.
  func run(onLoop index: Int, after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    loops[index % loops.count].loop.later(after: delay, body)
  }

  /// Calls `body` when the service has ended.
  func atEnd(_ body: @escaping () -> Void) { if isUp { followers.append(body) } else { body() } }

  private func finish(_ number: Int, _ answer: Answer?) {
    tasks[number] = nil
    waiting.removeValue(forKey: number)?.resume(returning: answer)
  }

  /// Whether requests are being answered.
  var isBusy: Bool { !tasks.isEmpty }

  /// Nobody reaches it any more: whoever waits learns nothing.
  func end() {
    isUp = false
    for number in waiting.keys.sorted() { waiting.removeValue(forKey: number)?.resume(returning: nil) }
    for follower in followers { follower() }
    followers = []
  }
}
