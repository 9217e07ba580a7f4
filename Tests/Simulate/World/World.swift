import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseSharing
import GatehouseStorage

/// Clients on a gateway that is crashed and started anew, and what they may rely on.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class World: @unchecked Sendable {
  let scenario: Scenario
  let root: String
  var generator: SeededGenerator
  var weather: SeededGenerator
  var service: Service?
  /// The gateways where there are several; nil: there is one, or none at the moment.
  private(set) var cluster: Cluster?
  var generation = 0
  var waitingForService: [CheckedContinuation<Void, Never>] = []
  var attempts: [String: Attempt] = [:]
  var observations: [Observation] = []
  var followers: [StreamFollower] = []
  var results: [ResultsFollower] = []
  var replicas: [ReplicaFollower] = []
  var intruders: [IntruderStream] = []
  var triggers: TriggerFollower?
  /// The logins that were tried, and those that were answered by a session.
  var logins = (tried: 0, answered: 0)
  var imports = 0
  /// The log that the store's transactions are in, and who follows it; nil: there is none.
  let transactions: SimulatedLog?
  var replica: Replica?
  var log: PlainStore?
  /// The lines of the change log, where old ones leave it: as they were read while they were there.
  var archive = Archive()
  /// The highest version that anybody was told of, and is there for good.
  var floor: Int64 = 0
  /// The last versions of the store after crashes that have taken back what clients were told of.
  var rollbacks: [Int64] = []
  /// The first version with the schema of now.
  var schemaFloor: Int64 = 1
  /// Properties that the class of the clients' objects has gained, as far as anybody was told.
  var newProperties = 0
  /// The keys of callers who may not see everything, by their roles.
  var keys: [String: String] = [:]
  /// The rights of members as far as they are known.
  var access = MemberAccess()
  /// The audit scopes that clients have begun, by their activities.
  var scopes: [String: ScopeOutcome] = [:]
  /// The identifiers of those that may not have ended.
  var openScopes: Set<Int> = []
  var requests = 0
  private var crashes: [Int]
  private var storms: [Int]
  private var lulls: [Int]
  private var stalls: [Int]
  var lullUntil: UInt64 = 0
  var isCalm = true
  /// Whether reads of the disk have failed so far, whether syncs have, and whether anything has.
  var hasFailedReads = false
  var hasFailedSyncs = false
  var hasFailed = false
  var isOver = false
  var situationText = "at the start"

  init(_ scenario: Scenario, at root: String) {
    self.scenario = scenario
    self.root = root
    generator = scenario.generator(3)
    weather = scenario.generator(4)
    if scenario.nodes > 1 { cluster = Cluster(of: scenario, at: root) }
    transactions = scenario.hasReplica ? SimulatedLog(scenario.generator(65)) : nil
    let all = max(1, scenario.clients * scenario.requests)
    (crashes, storms, lulls, stalls) = ([], [], [], [])
    crashes = (0..<scenario.crashes).map { _ in Int.random(in: 1...all, using: &generator) }.sorted()
    storms = (0..<scenario.faults).map { _ in Int.random(in: 1...all, using: &weather) }.sorted()
    lulls = (0..<scenario.lulls).map { _ in Int.random(in: 1...all, using: &weather) }.sorted()
    stalls = (0..<scenario.stalls).map { _ in Int.random(in: 1...all, using: &weather) }.sorted()
  }

  /// Where the simulation is, for whoever asks why it does not end.
  var situation: String {
    "\(situationText), \(requests) requests, service \(isUp ? "up" : "down")"
  }

  /// Whether streams may tell clients that they have missed something.
  var mayLoseEvents: Bool { hasFailedReads || hasFailedSyncs || scenario.logSize != nil }

  // The whole run

  func run() async throws {
    sim_disk_set_latency(UInt32(scenario.latency), 30_000_000)
    if let cluster { try await cluster.start() } else { try await start(after: nil) }
    try await prepare()
    if scenario.hasTriggers, let cluster {
      let triggers = TriggerFollower(in: self)
      self.triggers = triggers
      try await cluster.use(triggers)
    }
    cluster?.begin()
    situationText = "clients are at work"
    for index in 0..<scenario.watchers {
      results.append(ResultsFollower(index, in: self))
      followers.append(StreamFollower(index, in: self, scenario.generator(100 + UInt64(index))))
    }
    for index in 0..<scenario.streams { replicas.append(ReplicaFollower(index, in: self)) }
    if scenario.hasIntruder {
      // One is on a loop that stands still while the rights change by another one.
      intruders = (0..<(scenario.stalls > 0 ? 2 : 1)).map { IntruderStream($0, in: self) }
    }
    if let transactions { replica = Replica(of: transactions, in: self) }
    if scenario.hasTriggers, let service {
      let triggers = TriggerFollower(in: self)
      self.triggers = triggers
      // They are there from now on, whatever happens then.
      transactions?.fails = false
      await triggers.start(on: service)
      transactions?.fails = true
    }
    if scenario.logSize != nil { Task { await self.keepArchive() } }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<scenario.clients {
        group.addTask { await Client(index, in: self).run() }
      }
      for index in 0..<scenario.readers {
        group.addTask { await Client(900 + index, in: self).readAgain() }
      }
      if scenario.hasIntruder {
        group.addTask { await Intruder(as: "member", of: "me", in: self).run() }
        group.addTask { await Intruder(as: "guest", of: "other", in: self).run() }
      }
      if scenario.hasAccessChanges { group.addTask { await Administrator(in: self).run() } }
      if scenario.hasUsers { group.addTask { await UserClient(in: self).run() } }
      if scenario.hasScopes { group.addTask { await Auditor(in: self).run() } }
      if scenario.hasCare { group.addTask { await Caretaker(in: self).run() } }
      if let cluster, scenario.probes > 0 { group.addTask { await LeaseProbe(of: cluster, in: self).run() } }
      if scenario.hasClassChanges { group.addTask { await SchemaKeeper(in: self).run() } }
    }
    isOver = true
    calm()
    sim_disk_set_latency(0, 0)
    transactions?.fails = false
    situationText = "faults have ended, and everything is to be answered"
    try await finish()
  }

  /// The first requests, while nothing fails.
  private func prepare() async throws {
    transactions?.fails = false
    defer { transactions?.fails = true }
    try await demand(.put, "/v1/schema", SchemaForm().json)
    try await demand(.put, "/v1/roles", MemberAccess.roles(areOpen: true))
    for role in ["member", "guest"] {
      let key = try await demand(.post, "/v1/keys", #"{"role":"\#(role)","name":"k"}"#)
      guard let text = try key.value["key"]?.text else { throw Failure("no key was made: \(key.text)") }
      keys[role] = text
    }
    try await cluster?.know(Array(keys.values))
    floor = lastVersion
    schemaFloor = floor
  }

  @discardableResult
  private func demand(_ method: Method, _ path: String, _ json: String) async throws -> Answer {
    guard let answer = await reach()?.answer(Self.request(method, path, json: json), onLoop: 0) else {
      throw Failure("\(method) \(path) was not answered")
    }
    guard (200..<300).contains(answer.status) else {
      throw Failure("\(method) \(path) was answered by \(answer.status) \(answer.text)")
    }
    return answer
  }

  // Requests

  static func request(
    _ method: Method, _ path: String, json: String? = nil, by key: String = Service.adminKey,
    _ fields: [String: String] = [:]
  ) -> Request {
    request(method, path, content: json.map { Array($0.utf8) }, by: key, fields)
  }

  static func request(
    _ method: Method, _ path: String, content: [UInt8]?, by key: String = Service.adminKey,
    _ fields: [String: String] = [:]
  ) -> Request {
    var lines = key.isEmpty ? [] : [Fields.Line(name: "authorization", value: "Bearer \(key)")]
    if content != nil, fields["content-type"] == nil {
      lines.append(.init(name: "content-type", value: "application/json"))
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      lines.append(.init(name: name, value: value))
    }
    let halves = path.split(separator: "?", maxSplits: 1).map(String.init)
    return Request(
      method: method, target: Target(path: halves[0], query: halves.count > 1 ? halves[1] : nil),
      fields: Fields(lines), body: content.map { .bytes($0) } ?? .empty)
  }

  /// Sends a request when there is somebody to answer it; nil: nobody knows what became of it.
  ///
  /// - Parameter isStrict: Whether a read sees everything that has been acknowledged, also of keys and rights, at whichever node.
  func send(
    _ request: Request, onLoop index: Int, patience: Duration? = nil, isStrict: Bool = false
  ) async -> Answer? {
    if sim_now() < lullUntil { try? await Task.sleep(nanoseconds: lullUntil - sim_now()) }
    await untilUp()
    requests += 1
    while let next = crashes.first, next <= requests {
      crashes.removeFirst()
      crashSoon()
    }
    while let next = storms.first, next <= requests {
      storms.removeFirst()
      storm()
    }
    while let next = lulls.first, next <= requests {
      lulls.removeFirst()
      lull()
    }
    while let next = stalls.first, next <= requests {
      stalls.removeFirst()
      stall()
    }
    let before = generation
    let request = cluster?.demand(isStrict ? nil : floor, of: request) ?? request
    let answer = await reach()?.answer(request, onLoop: index, patience: patience, mayBeCut: true)
    // A crash has taken back what it takes before this answer was looked at: the client does as if it had none.
    if generation != before, scenario.window > 0 { return nil }
    sim_note(UInt64(answer?.status ?? 0))
    if let answer, answer.status == 500, !hasFailed {
      Simulation.fail(
        "\(request.method) \(request.target.path)?\(request.target.query ?? "") fails while nothing else does: \(answer.text)"
      )
    }
    if answer?.status == 503 || answer?.status == 507 { await pause(1...20) }
    if service?.store.failure == .syncFailed { crash() }
    return answer
  }

  func pause(_ milliseconds: ClosedRange<UInt64>) async {
    try? await Task.sleep(nanoseconds: UInt64.random(in: milliseconds, using: &generator) * 1_000_000)
  }

  /// Seconds by which the clocks that people set have been ahead of where they were at first.
  var clockSteps: [Int64] { cluster?.clockSteps ?? [0] }

  var isUp: Bool { service != nil || cluster?.isUp == true }

  /// The gateway that a client turns to; nil: none can be reached.
  func reach() -> Service? {
    if let cluster { return cluster.reach() }
    return service
  }

  /// The last version that the store has published, in whichever gateway.
  var lastVersion: Int64 { cluster?.lastVersion ?? service?.store.version ?? 0 }

  func untilUp() async {
    if let cluster { return await cluster.untilUp() }
    while service == nil { await withCheckedContinuation { waitingForService.append($0) } }
  }

  // Reports of clients

  /// Everything before this version has other properties.
  func didChangeSchema() { schemaFloor = .max }

  func begin(_ attempt: Attempt) { attempts[attempt.tag] = attempt }

  func note(_ outcome: Attempt.Outcome, of tag: String) {
    Simulation.note("\(tag): \(outcome)")
    attempts[tag]?.outcome = outcome
    attempts[tag]?.time = sim_now()
    if case .acknowledged(let version) = outcome { floor = max(floor, version) }
  }

  func note(_ content: Observation.Content, at version: Int64, by reader: String) {
    observations.append(
      Observation(content: content, floor: version, ceiling: version, reader: "\(reader), of the past,"))
  }

  /// The floor for whoever begins to read.
  var floorNow: Floor { Floor(version: floor, rollbacks: rollbacks.count) }

  func note(_ content: Observation.Content, since start: Floor, by reader: String) {
    guard isUp else { return }
    let floor = min(start.version, rollbacks[start.rollbacks...].min() ?? .max)
    // A read may show more than the store has published by now: the commits that one of SQLite's has made, of which there are more than one
    // where those who publish them are held up.
    let isHeldUp = scenario.handovers > 0 || scenario.latency > 0
    let ceiling = max(floor, lastVersion) + (isHeldUp ? 100 : 1)
    observations.append(Observation(content: content, floor: floor, ceiling: ceiling, reader: reader))
  }
}
