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
  private let root: String
  private var generator: SeededGenerator
  private var weather: SeededGenerator
  private(set) var service: Service?
  private var generation = 0
  private var waitingForService: [CheckedContinuation<Void, Never>] = []
  private(set) var attempts: [String: Attempt] = [:]
  private var observations: [Observation] = []
  private var followers: [StreamFollower] = []
  private var results: [ResultsFollower] = []
  private var log: PlainStore?
  /// The highest version that anybody was told of, and is there for good.
  private(set) var floor: Int64 = 0
  /// The first version with the schema of now.
  private(set) var schemaFloor: Int64 = 1
  /// The keys of callers who may not see everything, by their roles.
  private(set) var keys: [String: String] = [:]
  private var requests = 0
  private var crashes: [Int]
  private var storms: [Int]
  private var isCalm = true
  /// Whether reads of the disk have failed so far, and whether anything has.
  private(set) var hasFailedReads = false
  private(set) var hasFailed = false
  private var isOver = false
  private var situationText = "at the start"

  init(_ scenario: Scenario, at root: String) {
    self.scenario = scenario
    self.root = root
    generator = scenario.generator(3)
    weather = scenario.generator(4)
    let all = scenario.clients * scenario.requests
    crashes = []
    storms = []
    crashes = (0..<scenario.crashes).map { _ in Int.random(in: 1...max(1, all), using: &generator) }.sorted()
    storms = (0..<scenario.faults).map { _ in Int.random(in: 1...max(1, all), using: &weather) }.sorted()
  }

  /// Where the simulation is, for whoever asks why it does not end.
  var situation: String {
    "\(situationText), \(requests) requests, service \(service == nil ? "down" : "up")"
  }

  // The whole run

  func run() async throws {
    try await start(after: nil)
    try await prepare()
    situationText = "clients are at work"
    for index in 0..<scenario.watchers {
      results.append(ResultsFollower(index, in: self))
      followers.append(StreamFollower(index, in: self, scenario.generator(100 + UInt64(index))))
    }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<scenario.clients {
        group.addTask { await Client(index, in: self).run() }
      }
      if scenario.hasIntruder {
        group.addTask { await Intruder(as: "member", of: "me", in: self).run() }
        group.addTask { await Intruder(as: "guest", of: "other", in: self).run() }
      }
      if scenario.hasCare { group.addTask { await Caretaker(in: self).run() } }
    }
    isOver = true
    calm()
    situationText = "faults have ended, and everything is to be answered"
    try await finish()
  }

  /// The first requests, while nothing fails.
  private func prepare() async throws {
    try await demand(.put, "/v1/schema", Self.schema(version: 0))
    let roles = [("guest", "other"), ("member", "me")].map { name, owner in
      #""\#(name)":{"classes":{"Item":{"read":"owner == '\#(owner)'","write":"owner == '\#(owner)'","#
        + #""fields":{"secret":{"read":false}}}}}"#
    }
    try await demand(.put, "/v1/roles", "{\(roles.joined(separator: ","))}")
    for role in ["member", "guest"] {
      let key = try await demand(.post, "/v1/keys", #"{"role":"\#(role)","name":"k"}"#)
      guard let text = try key.value["key"]?.text else { throw Failure("no key was made: \(key.text)") }
      keys[role] = text
    }
    floor = service?.store.version ?? 0
    schemaFloor = floor
  }

  /// The schema after so many changes.
  static func schema(version: Int) -> String {
    let more = (0..<version).map { #","p\#($0)":"string?""# }.joined()
    return """
      [{"name":"Item","primaryKey":"_id","properties":{"_id":"int","group":{"type":"int","indexed":true},"n":"int",\
      "tag":"string","count":{"type":"int","default":0},"text":"string","secret":"string?","owner":"string","next":"Item?"\(more)}}]
      """
  }

  @discardableResult
  private func demand(_ method: Method, _ path: String, _ json: String) async throws -> Answer {
    guard let answer = await service?.answer(Self.request(method, path, json: json), onLoop: 0) else {
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
    var lines = [Fields.Line(name: "authorization", value: "Bearer \(key)")]
    if json != nil, fields["content-type"] == nil {
      lines.append(.init(name: "content-type", value: "application/json"))
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      lines.append(.init(name: name, value: value))
    }
    let halves = path.split(separator: "?", maxSplits: 1).map(String.init)
    return Request(
      method: method, target: Target(path: halves[0], query: halves.count > 1 ? halves[1] : nil),
      fields: Fields(lines),
      body: json.map { .bytes(Array($0.utf8)) } ?? .empty)
  }

  /// Sends a request when there is somebody to answer it; nil: nobody knows what became of it.
  func send(_ request: Request, onLoop index: Int, patience: Duration? = nil) async -> Answer? {
    await untilUp()
    requests += 1
    while let next = crashes.first, next <= requests {
      crashes.removeFirst()
      let delay = UInt64.random(in: 0...3_000_000, using: &generator)
      Simulation.scheduler.at(sim_now() + delay) { [weak self] in self?.crash() }
    }
    while let next = storms.first, next <= requests {
      storms.removeFirst()
      storm()
    }
    let answer = await service?.answer(request, onLoop: index, patience: patience)
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

  func untilUp() async {
    while service == nil { await withCheckedContinuation { waitingForService.append($0) } }
  }

  // Faults

  /// Lets the disk fail in one way for a while.
  private func storm() {
    guard let service, !isOver else { return }
    var faults = sim_faults()
    let rate = UInt32([1_000, 20_000, 200_000].randomElement(using: &weather)!)
    switch Int.random(in: 0..<6, using: &weather) {
    case 0: faults.failed_reads = rate
    case 1: faults.failed_writes = rate
    case 2: faults.failed_syncs = rate
    case 3: faults.capacity = Int64.random(in: 60_000...400_000, using: &weather)
    case 4: faults.is_read_only = 1
    default: (faults.failed_reads, faults.failed_writes, faults.failed_syncs) = (rate / 4, rate / 4, rate / 4)
    }
    isCalm = false
    hasFailed = true
    hasFailedReads = hasFailedReads || faults.failed_reads > 0
    Simulation.note(
      "storm: \(faults.failed_reads)/\(faults.failed_writes)/\(faults.failed_syncs) of a million, room \(faults.capacity), "
        + "read-only \(faults.is_read_only)")
    sim_disk_set_faults(service.directory, faults)
    let length = UInt64([1, 10, 100, 1_000].randomElement(using: &weather)!) * 1_000_000
    Simulation.scheduler.at(sim_now() + length) { [weak self] in self?.calm() }
  }

  private func calm() {
    guard !isCalm else { return }
    isCalm = true
    Simulation.note("calm")
    if let service { sim_disk_set_faults(service.directory, sim_faults()) }
  }

  /// Ends the gateway where it stands. What was not synced may be lost, or nothing, as when only the process is killed.
  private func crash() {
    guard let ended = service, !isOver else { return }
    var crash = sim_crash()
    switch Int.random(in: 0..<4, using: &weather) {
    case 0: break
    case 1: crash.lost_sectors = 1_000_000
    default:
      crash.lost_sectors = UInt32([50_000, 500_000, 900_000].randomElement(using: &weather)!)
      crash.torn_sectors = UInt32([0, 100_000].randomElement(using: &weather)!)
    }
    let next = directory(generation + 1)
    Simulation.note("crash: \(crash.lost_sectors) of a million sectors are lost, \(crash.torn_sectors) torn")
    sim_disk_crash(ended.directory, next, crash)
    calm()
    service = nil
    ended.end()
    Task {
      // Its threads find that the disk has gone.
      await ended.store.close()
    }
    Task {
      do { try await restart(after: ended, losing: crash.lost_sectors > 0) } catch {
        Simulation.fail("\((error as? Failure)?.text ?? "after a crash: \(error)")")
        Simulation.scheduler.stop()
      }
    }
  }

  private func directory(_ number: Int) -> String { "\(root)/\(number)" }

  /// Opens the store that a crash has left, and holds it against what is known.
  private func restart(after ended: Service, losing: Bool) async throws {
    generation += 1
    try await start(after: ended, losing: losing)
  }

  private func start(after ended: Service?, losing: Bool = false) async throws {
    let path = directory(generation)
    if ended == nil { sim_disk_mount(path) }
    var made: Service?
    for attempt in 0... {
      do {
        made = try Service(at: path, scenario)
        break
      } catch {
        // A disk that fails now may work later.
        Simulation.note("cannot start: \(error)")
        guard let error = error as? StorageError, !error.isDamage, attempt < 100 else {
          throw Failure("the store does not open: \(error)")
        }
        if attempt == 50 { calm() }
        await pause(5...50)
      }
    }
    guard let made else { return }
    Simulation.note("up at version \(made.store.version)")
    if ended != nil { try await examine(made, losing: losing) }
    service = made
    for waiter in waitingForService { waiter.resume() }
    waitingForService = []
  }

  // Expectations

  /// Reads the log of a service, and holds it against what clients were told and what it was before.
  private func examine(_ service: Service, losing: Bool) async throws {
    let last = service.store.version
    if scenario.window > 0, losing { forgetLost(after: last) }
    guard
      let answer = await service.answer(
        Self.request(.get, "/v1/changes?since=0", ["accept": "application/x-ndjson"]), onLoop: 0)
    else { return }
    guard answer.status == 200 else {
      throw Failure("the log cannot be read: \(answer.status) \(answer.text)")
    }
    let before = log
    let now = try PlainStore(log: answer.content, attempts)
    if let before {
      try now.continues(
        before, through: min(before.lastVersion, scenario.window > 0 ? last : before.lastVersion))
    }
    log = now
    try explainObservations()
    floor = max(floor, last)
    observations = []
  }

  /// Writes that were answered before they were durable may be lost if they were young.
  private func forgetLost(after last: Int64) {
    let now = sim_now()
    // A window, and the pause of the one who writes; longer where the disk has failed meanwhile.
    let youngest = UInt64(scenario.window) * 1_000_000 + (hasFailed ? 1_000_000_000 : 20_000_000)
    for (tag, attempt) in attempts {
      if case .performed = attempt.outcome {
        if attempt.time + youngest >= now { attempts[tag]?.outcome = .unclear }
        continue
      }
      guard case .acknowledged(let version) = attempt.outcome, version > last else { continue }
      if attempt.time + youngest >= now { attempts[tag]?.outcome = .unclear }
    }
    floor = min(floor, last)
    observations.removeAll { $0.ceiling > last }
    for follower in followers { follower.forget(after: last) }
  }

  private func explainObservations() throws {
    guard let log else { return }
    for observation in observations where !log.explains(observation) {
      throw Failure(
        "\(observation.reader) was shown what was at no version of \(observation.floor)...\(observation.ceiling): "
          + "\(observation.content)")
    }
  }

  /// When nothing fails any more, everything is answered, and what is there is what was written.
  private func finish() async throws {
    await untilUp()
    if service?.store.failure == .syncFailed {
      isOver = false
      crash()
      isOver = true
      await untilUp()
    }
    guard let service else { return }
    try await settle(service)
    try await examine(service, losing: false)
    guard let log else { return }
    situationText = "streams are to arrive"
    for follower in followers { try await follower.finish(log, last: service.store.version) }
    for follower in results { try await follower.finish(by: service) }
    situationText = "the store is read"
    try await compare(service, log)
    try await examineAudit(service)
    try check(service.directory)
    situationText = "the store is closed and opened again"
    try await reopen(service)
  }

  /// A write succeeds within a few seconds once the disk works.
  private func settle(_ service: Service) async throws {
    let client = Client(999, in: self)
    for attempt in 0... {
      if await client.insertLast(attempt, by: service) { break }
      guard attempt < 60 else {
        throw Failure(
          "nothing can be written when the disk works again: \(String(describing: service.store.failure))")
      }
      try await Task.sleep(nanoseconds: 500_000_000)
    }
  }

  private func compare(_ service: Service, _ log: PlainStore) async throws {
    let client = Client(998, in: self)
    observations = []
    try await client.readAll(by: service)
    try explainObservations()
    for _ in 0..<200 where service.isBusy { try await Task.sleep(nanoseconds: 100_000_000) }
    guard !service.isBusy else { throw Failure("a request was never answered") }
    // Copies of the past are kept for a minute after they were used.
    try await Task.sleep(nanoseconds: 100_000_000_000)
    guard service.store.memory.used == 0, service.store.temporaryFiles.used == 0 else {
      throw Failure(
        "\(service.store.memory.used) bytes of memory and \(service.store.temporaryFiles.used) of files are still held"
      )
    }
  }

  private func check(_ directory: String) throws {
    let violations = try StoreSnapshot(directory: directory).check { _, _ in }
    guard violations.isEmpty else { throw Failure("check finds \(violations.map { "\($0)" })") }
  }

  private func reopen(_ ended: Service) async throws {
    ended.end()
    await ended.store.close()
    let last = ended.store.version
    self.service = nil
    sim_disk_crash(
      ended.directory, directory(generation + 1), sim_crash(lost_sectors: 1_000_000, torn_sectors: 0))
    generation += 1
    let service = try Service(at: directory(generation), scenario)
    guard service.store.version == last else {
      throw Failure("the store was closed at version \(last), and is at \(service.store.version)")
    }
    try check(service.directory)
    service.end()
    await service.store.close()
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

  func note(_ content: Observation.Content, since floor: Int64, by reader: String) {
    guard let service else { return }
    // A read may show more than the store has published by now.
    observations.append(
      Observation(
        content: content, floor: floor, ceiling: max(floor, service.store.version) + 1, reader: reader))
  }
}

extension StorageError {
  /// Whether the file is damaged, which no fault of these can be the reason of.
  fileprivate var isDamage: Bool {
    switch self {
    case .corrupt, .unknownFormat: true
    default: false
    }
  }
}
