import CGatehouseSimulation
import GatehouseAPI
import GatehouseCluster
import GatehouseHTTP
import GatehouseOutbound
import GatehouseSeeded
import GatehouseStorage
import GatehouseTriggers

/// Gateways that are the nodes of one cluster, on a log in memory, and what goes wrong with them.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Cluster: @unchecked Sendable {
  /// A node, whose process ends and is started again.
  ///
  /// `@unchecked Sendable`. Because one thread at a time runs.
  final class Node: @unchecked Sendable {
    let name: NodeName
    let index: Int
    fileprivate let clockRate: Double
    fileprivate var generation = 0
    /// Whether there is a store on its disk.
    fileprivate var hasStore = false
    /// How often a process of it has begun.
    fileprivate var runs = 0
    /// Nil: no process of it runs.
    fileprivate(set) var run: NodeRun?
    /// Nil: it answers nobody.
    fileprivate(set) var service: Service?
    /// Whether other nodes cannot reach it, nor it them.
    fileprivate var isCutOff = false

    fileprivate init(_ index: Int, clockRate: Double) {
      // The name is a word.
      (name, self.index, self.clockRate) = (NodeName("n\(index)")!, index, clockRate)
    }
  }

  /// How often, of a thousand, something goes wrong with a message.
  struct Rates {
    let losses: Int
    let delays: Int
    /// A server of the log answers that others have replaced.
    let lateServers: Int
  }

  let servers = MemoryServers()
  /// The triggers that run at the node that leads; nil: there are none.
  private var triggers: TriggerFollower?
  private(set) var nodes: [Node] = []
  private let scenario: Scenario
  private let root: String
  private var weather: SeededGenerator
  let rates: Rates
  /// Whether the log has lost its oldest entries, and whether a disk may be lost since: others may not have all that is gone from the log.
  private var isTrimmed = false
  private var mayLoseDisk = true
  private(set) var isCalm = true
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Seconds by which the clocks that people set have been ahead of where they were at first; the last number is that of now.
  private(set) var clockSteps: [Int64] = [0]
  /// The last version of nodes that have ended.
  private var lastKnown: Int64 = 0

  init(of scenario: Scenario, at root: String) {
    (self.scenario, self.root) = (scenario, root)
    var weather = scenario.generator(70)
    func rate() -> Int { [0, 0, 5, 40][Int.random(in: 0..<4, using: &weather)] }
    rates = Rates(losses: rate(), delays: rate(), lateServers: rate())
    nodes = (0..<scenario.nodes).map { Node($0, clockRate: Double.random(in: 0.95...1.05, using: &weather)) }
    self.weather = weather
  }

  func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &weather) }
  func happens(_ rate: Int) -> Bool { !isCalm && rate > 0 && draw(1_000) < rate }

  // Nodes

  /// Starts all nodes, and waits until each answers.
  func start() async throws {
    for node in nodes {
      sim_disk_mount(directory(of: node))
      begin(node)
    }
    try await meet()
  }

  func directory(of node: Node) -> String { "\(root)/\(node.name.text)-\(node.generation)" }

  /// Starts the process of a node, if none of it runs.
  private func begin(_ node: Node) {
    guard node.run == nil else { return }
    node.runs += 1
    let run = NodeRun(
      node.name, run: "r\(node.index)x\(node.runs)", clockRate: node.clockRate, on: servers,
      fault: { [self] in fault($0) },
      send: { [self] (message) async throws(ClientError) in try await send(message, from: node) })
    node.run = run
    Task {
      do {
        try await takeCopy(for: node, run)
        let service = try await Service.open(at: directory(of: node), scenario, as: run)
        guard !run.hasEnded else { return await service.close() }
        Simulation.note("\(node.name.text) is up at version \(service.store.version)")
        (node.service, node.hasStore) = (service, true)
        run.watch { [self] in restart(node, run) }
        beginDuties(run, on: service)
        let waiters = waiting
        waiting = []
        for waiter in waiters { waiter.resume() }
      } catch {
        if run.hasEnded { return }
        // A disk that fails now may work later.
        let isDamage =
          (error as? StorageError)?.isDamage ?? !(error is NodeRun.HasStopped || error is LogError)
        if !isDamage, node.runs < 500 {
          Simulation.note("\(node.name.text) cannot start: \(error)")
          run.end()
          node.run = nil
          return after(UInt64(5 + draw(50)) * 1_000_000) { [self] in begin(node) }
        }
        Simulation.fail("\(node.name.text) does not start: \((error as? Failure)?.text ?? "\(error)")")
        Simulation.scheduler.stop()
      }
    }
  }

  /// Ends a node where it stands, the one that leads more often than others. It is started again, now or later.
  func crash() {
    let running = nodes.filter { $0.run != nil }
    guard !isCalm, let leader = running.first(where: { $0.run?.isLeading == true }) ?? running.first else {
      return
    }
    let node = draw(2) == 0 ? leader : running[draw(running.count)]
    let crash = World.drawCrash(&weather)
    let isWiped = draw(8) < (isTrimmed ? 4 : 1) && mayLoseDisk
    if isTrimmed, isWiped { mayLoseDisk = false }
    end(node, crash, isWiped: isWiped)
    let delay = UInt64([0, 50, 3_000, 8_000][draw(4)]) * 1_000_000
    Simulation.scheduler.at(sim_now() + delay) { [self] in begin(node) }
  }

  private func end(_ node: Node, _ crash: sim_crash, isWiped: Bool = false) {
    guard let run = node.run else { return }
    Simulation.note("\(node.name.text) crashes\(isWiped ? ", and loses its disk" : "")")
    let before = directory(of: node)
    node.generation += 1
    sim_disk_crash(before, isWiped ? "\(before)-lost" : directory(of: node), crash)
    if isWiped {
      sim_disk_mount(directory(of: node))
      node.hasStore = false
    }
    let service = node.service
    (node.run, node.service) = (nil, nil)
    run.end()
    guard let service else { return }
    lastKnown = max(lastKnown, service.store.version)
    service.end()
    // Its threads find that the disk has gone.
    Task { await service.close() }
  }

  /// Ends a node that takes nothing more, and starts it again.
  private func restart(_ node: Node, _ run: NodeRun) {
    guard node.run === run else { return }
    end(node, World.drawCrash(&weather))
    begin(node)
  }

  /// Ends all nodes at once, with all that none of them has synced, and starts them again.
  func losePower() async throws {
    for node in nodes {
      end(node, sim_crash(lost_sectors: 1_000_000, torn_sectors: 0, flipped_sectors: 0))
      begin(node)
    }
    try await meet()
  }

  // The node that leads

  /// Has triggers run at the node that leads, from now on.
  func use(_ triggers: TriggerFollower) async throws {
    self.triggers = triggers
    for node in nodes {
      guard let run = node.run, let service = node.service else { continue }
      triggers.prepare(service)
      await triggers.begin(on: service) { run.isLeading }
    }
    while !triggers.hasBegun { try await Task.sleep(nanoseconds: 10_000_000) }
    try await meet()
  }

  /// Has a node do what is for the one that leads, whenever it does.
  private func beginDuties(_ run: NodeRun, on service: Service) {
    guard scenario.hasTriggers || scenario.hasUsers else { return }
    triggers?.prepare(service)
    Task {
      for await leads in run.changes {
        guard leads else {
          await service.triggers?.close()
          continue
        }
        do { try await service.users?.lead() } catch { Simulation.note("nobody can log in: \(error)") }
        await triggers?.begin(on: service) { run.isLeading && service.isUp }
      }
    }
  }

  // Copies

  /// Has the disk of a node hold a copy of another one's store where the log does not reach back to what is there: what
  /// `ClusterNode.takeCopy` does in a server.
  private func takeCopy(for node: Node, _ run: NodeRun) async throws {
    guard scenario.trims > 0 else { return }
    while !run.hasEnded {
      let point = node.hasStore ? try StoreSnapshot(directory: directory(of: node)).replicationPoint() : nil
      let survey = try run.survey(from: point)
      guard survey.needsCopy else { return }
      let author = nodes.first { $0.name.text == survey.lastAuthor && $0 !== node && !isCutOff($0, node) }
      if let source = author?.service, copy(source.directory, to: node, run) { return }
      try await Task.sleep(nanoseconds: 200_000_000)
    }
    throw CancellationError()
  }

  /// Copies a store to the disk of a node, in the place of what is there; false: it does not come.
  private func copy(_ source: String, to node: Node, _ run: NodeRun) -> Bool {
    let (old, scratch) = (directory(of: node), "\(directory(of: node))-copy-\(node.runs)")
    sim_disk_mount(scratch)
    do {
      try StoreSnapshot(directory: source).copy(to: "\(scratch)/gatehouse.db") { _, _ in }
    } catch {
      Simulation.note("\(node.name.text) gets no copy: \(error)")
      return false
    }
    guard !run.hasEnded else { return false }
    Simulation.note("\(node.name.text) has a copy of \(source)")
    node.generation += 1
    sim_disk_crash(old, "\(old)-lost", sim_crash())
    sim_disk_crash(scratch, directory(of: node), sim_crash())
    return true
  }

  /// Has the log lose its oldest entries, which most nodes have on their disks.
  private func trim() {
    let running = nodes.filter { $0.service?.store.failure == nil && $0.service != nil }
    guard !isCalm, running.count > nodes.count / 2 else { return }
    for node in running { sim_disk_write_back(directory(of: node)) }
    let points = running.compactMap { $0.service?.store.replicationPoint?.sequence }.sorted()
    let last = points[points.count - nodes.count / 2 - 1]
    let kept = UInt64([0, 3, 20][draw(3)])
    guard last > kept else { return }
    Simulation.note("the log loses its entries up to \(last - kept)")
    servers.change { $0.trim(through: last - kept) }
    isTrimmed = true
  }

  // Clients

  /// The gateway of the node that leads; nil: none does, or answers.
  var leader: Service? { nodes.first { $0.run?.isLeading == true }?.service }

  /// The gateway of a node that leads, as far as it knows, and is not that one; nil: there is none.
  func leader(besides node: Node) -> Service? {
    nodes.first { $0 !== node && $0.run?.isLeading == true }?.service
  }

  /// Keeps the node that leads from the log for so many milliseconds; nil: none leads.
  func isolateLeader(for milliseconds: UInt64) -> Node? {
    guard !isCalm, let node = nodes.first(where: { $0.run?.isLeading == true && $0.service != nil }) else {
      return nil
    }
    Simulation.note("\(node.name.text), which leads, cannot reach the log")
    servers.setPartitioned(node.name.text, true)
    after(milliseconds * 1_000_000) { [servers] in servers.setPartitioned(node.name.text, false) }
    return node
  }

  var isUp: Bool { nodes.contains { $0.service != nil } }

  /// A node that answers; nil: none does.
  func reach() -> Service? {
    let services = nodes.compactMap(\.service)
    return services.isEmpty ? nil : services[draw(services.count)]
  }

  func untilUp() async { while !isUp { await withCheckedContinuation { waiting.append($0) } } }

  var lastVersion: Int64 { nodes.compactMap { $0.service?.store.version }.reduce(lastKnown, max) }

  /// Returns a request that is not to read less than that version, or than anybody knows of, wherever it is answered.
  func demand(_ version: Int64?, of request: Request) -> Request {
    guard request.method == .get else { return request }
    var request = request
    if let version, draw(2) > 0 {
      request.fields.append("if-version-at-least", "\(version)")
    } else {
      request.fields.append("read-consistency", "linearizable")
    }
    return request
  }

  /// Waits until all nodes answer, one of them leads, and all have what it has. Throws ``Failure`` where that takes long.
  func meet() async throws {
    for _ in 0..<600 {
      let versions = Set(nodes.map { $0.service?.store.version })
      let leaders = nodes.filter { $0.run?.isLeading == true }
      if versions.count == 1, !versions.contains(nil), leaders.count == 1,
        nodes.allSatisfy({ $0.run?.isSettled == true })
      {
        return
      }
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    let states = nodes.map {
      "\($0.name.text) \($0.service.map { "at version \($0.store.version)" } ?? "down")\($0.run?.isLeading == true ? ", leading" : "")"
    }
    throw Failure("the nodes do not come together: \(states)")
  }

  /// Waits until all nodes know the keys.
  func know(_ keys: [String]) async throws {
    for key in keys.sorted() {
      for node in nodes {
        let request = World.request(.get, "/v1/collections/Item?limit=1", by: key)
        for _ in 0..<100 where await node.service?.answer(request, onLoop: 0)?.status != 200 {
          try await Task.sleep(nanoseconds: 20_000_000)
        }
      }
    }
    try await meet()
  }

  // Faults

  /// Lets something go wrong with a node for a while; returns what that does to disks.
  func disturb() -> [sim_faults] {
    guard !isCalm else { return [] }
    var all: [sim_faults] = []
    for _ in 0..<1 + draw(3) {
      let node = nodes[draw(nodes.count)]
      let length = UInt64(100 + draw([900, 9_000][draw(2)])) * 1_000_000
      switch draw(9) {
      case 0, 1:
        Simulation.note("\(node.name.text) cannot reach the log")
        servers.setPartitioned(node.name.text, true)
        after(length) { [servers] in servers.setPartitioned(node.name.text, false) }
      case 2, 3:
        guard let process = node.run?.process else { continue }
        Simulation.note("\(node.name.text) stops for \(length / 1_000_000) ms")
        process.stop()
        after(length) { process.resume() }
      case 4:
        Simulation.note("\(node.name.text) cannot reach other nodes")
        node.isCutOff = true
        after(length) { node.isCutOff = false }
      case 5:
        setClock(Int64(draw(7_200)) - 3_600)
      case 6, 7: all.append(storm(node, for: length))
      default:
        Simulation.note("\(node.name.text) steps down")
        node.run?.stepDown()
      }
    }
    return all
  }

  /// Sets the clocks of people so many seconds ahead of where they were at first.
  private func setClock(_ seconds: Int64) {
    Simulation.note("the clocks that people set are \(seconds) s ahead")
    sim_step_wall_clock(seconds - (clockSteps.last ?? 0))
    clockSteps.append(seconds)
  }

  /// Lets a node's disk fail in one way for a while.
  private func storm(_ node: Node, for length: UInt64) -> sim_faults {
    let faults = World.drawFaults(&weather)
    Simulation.note(
      "\(node.name.text)'s disk: \(faults.failed_reads)/\(faults.failed_writes)/\(faults.failed_syncs) of a million, "
        + "room \(faults.capacity), read-only \(faults.is_read_only)")
    sim_disk_set_faults(directory(of: node), faults)
    after(length) { [self] in sim_disk_set_faults(directory(of: node), sim_faults()) }
    return faults
  }

  private func after(_ delay: UInt64, _ body: @escaping () -> Void) {
    Simulation.scheduler.at(sim_now() + delay, body)
  }

  /// Lets things go wrong from now on.
  func begin() {
    isCalm = false
    var times = scenario.generator(71)
    for _ in 0..<scenario.trims {
      after(UInt64.random(in: 0...15, using: &times) * 1_000_000_000) { [self] in trim() }
    }
  }

  /// Lets nothing go wrong any more, and has all nodes run.
  func calm() {
    isCalm = true
    // Otherwise `check` finds commits of later times.
    setClock(clockSteps.max() ?? 0)
    for node in nodes {
      servers.setPartitioned(node.name.text, false)
      node.run?.process.resume()
      node.isCutOff = false
      sim_disk_set_faults(directory(of: node), sim_faults())
      begin(node)
    }
  }

  func isCutOff(_ one: Node, _ other: Node) -> Bool { one.isCutOff || other.isCutOff }
}
