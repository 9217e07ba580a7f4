import CGatehouseSimulation
import GatehouseAPI
import GatehouseCluster
import GatehouseStorage

/// A node of the cluster between its start and its end, which a crash may be: what `ClusterNode` is in a server.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class NodeRun: @unchecked Sendable {
  /// The node takes no part any more until it is started again: the log does not reach back to where its store is, or its disk has failed.
  struct HasStopped: Error {}

  let process: SimulatedProcess
  let part: StoreMember
  /// Whether it leads: the last change that nobody has read yet.
  let changes: AsyncStream<Bool>
  private let continuation: AsyncStream<Bool>.Continuation
  private var options: MemberOptions
  private let log: MemoryLog
  private let leader: LeaderClient
  private var running: (member: ClusterMember, store: Store)?
  /// Whether it takes no part any more until it is started again.
  private(set) var hasStopped = false
  /// Whether it has crashed, or was ended.
  private(set) var hasEnded = false

  /// - Parameters:
  ///   - run: Letters and digits that no other run of a node has.
  ///   - clockRate: How fast its clock is beside that of the simulation.
  ///   - fault: What goes wrong with a call of the log.
  ///   - send: How it reaches other nodes.
  init(
    _ node: NodeName, run: String, clockRate: Double, on servers: MemoryServers,
    fault: @escaping @Sendable (MemoryLog.Call) -> MemoryLog.Failure, send: @escaping LeaderClient.Send
  ) {
    let process = SimulatedProcess(on: Simulation.scheduler)
    self.process = process
    var options = MemberOptions(node: node, run: run)
    options.scheduler = process
    options.clock = {
      sim_point()
      return UInt64(Double(sim_now()) * clockRate)
    }
    self.options = options
    log = MemoryLog(servers, node: node.text, scheduler: process, fault: fault)
    leader = LeaderClient(scheme: "http", send: send)
    let (changes, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.continuation) = (changes, continuation)
    part = StoreMember(
      scheduler: process,
      didChange: { role in
        Simulation.note("\(node.text) \(role)")
        switch role {
        case .leads: continuation.yield(true)
        case .follows: continuation.yield(false)
        }
      })
  }

  /// Begins to take part with a store, and waits until that leads, or has what the node has that does. Throws ``HasStopped``, and
  /// `CancellationError` where the node ends first.
  func join(_ store: Store) async throws {
    // A part of a node that has crashed may still come to rest.
    options.didStop = { [weak self] in self?.didStop($0) }
    let member = part.start(store, log: log, options: options)
    running = (member, store)
    while !hasEnded {
      let status = member.status
      if hasStopped { throw HasStopped() }
      if store.isLeading { return }
      let hasCome = status.isFresh && status.isAtEnd && status.leader != nil
      if hasCome, (store.replicationPoint?.sequence ?? 0) > 0 { return }
      try await Task.sleep(nanoseconds: 20_000_000)
    }
    throw CancellationError()
  }

  private func didStop(_ reason: StopReason) {
    Simulation.note("\(options.node.text) takes no part any more: \(reason)")
    switch reason {
    case .behindLog, .diskFailed: hasStopped = true
    default: Simulation.fail("\(options.node.text) takes no part any more: \(reason)")
    }
  }

  /// Returns the log as it is, for a store that has come to that place.
  func survey(from point: ReplicationPoint?) throws -> LogSurvey { try LogSurvey(log, from: point) }

  /// Has another node lead where the store takes nothing more, as `ClusterNode.leaveLeadOnFailure` does, until the node ends; calls
  /// `restart` where only another process can go on.
  func watch(restart: @escaping @Sendable () -> Void) {
    guard let (member, store) = running else { return }
    Task {
      while !hasEnded {
        if hasStopped || store.failure == .syncFailed { return restart() }
        let isFailing = store.isLeading && store.failure != nil
        if isFailing { member.stepDown() }
        try? await Task.sleep(nanoseconds: isFailing ? 30_000_000_000 : 500_000_000)
      }
    }
  }

  /// Ends it where it stands. What it has sent may still arrive.
  func end() {
    hasEnded = true
    process.resume()
    running?.member.close()
    continuation.finish()
  }

  var isLeading: Bool { running?.store.isLeading ?? false }
  /// Whether it has come to the end of the log, as far as it knows, and leads or knows who does.
  var isSettled: Bool {
    guard let (member, store) = running else { return false }
    let status = member.status
    return status.isFresh && status.leader != nil && (store.isLeading || status.isAtEnd)
  }

  func stepDown() { running?.member.stepDown() }

  /// The cluster, as its gateway sees it.
  var access: ClusterAccess {
    var access = ClusterAccess(
      standing: { [self] in standing },
      administration: ClusterAccess.Administration(
        report: { [self] in
          ClusterAccess.Report(node: options.node.text, role: "", position: 0, epoch: 0)
        },
        stand: { [self] _ in running?.member.stand() }, stepDown: { [self] _ in stepDown() },
        snapshot: { throw Failure("nodes copy files without a request") },
        compare: { throw Failure("comparisons are begun without a request") }),
      forward: { [self] request, content in
        await leader.forward(request, content, from: options.node.text) { [self] in standing }
      })
    access.wait = { limit, isSo in
      for _ in 0..<Int(limit / .milliseconds(2)) where !isSo() {
        try? await Task.sleep(for: .milliseconds(2))
      }
      return isSo()
    }
    return access
  }

  private var standing: ClusterAccess.Standing {
    guard let (member, store) = running else {
      return ClusterAccess.Standing(isLeading: false, hasLease: false, isFresh: false, leader: nil)
    }
    let status = member.status
    return ClusterAccess.Standing(
      isLeading: store.isLeading, hasLease: status.hasLease, isFresh: status.isFresh, leader: status.leader)
  }
}
