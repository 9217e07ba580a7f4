import GatehouseAPI
import GatehouseBSON
import GatehouseCluster
import GatehouseHTTP
import GatehouseServer
import GatehouseStorage
import GatehouseTelemetry
import Glibc
import Synchronization

/// A server as a node of a cluster: its store's transactions go into the log of `cluster`, or come from there.
final class ClusterNode: Sendable {
  /// Something that the rest of the server has to know.
  enum Change: Sendable {
    case leads
    case follows
    case stopped
  }

  /// The address at which the other nodes reach this one, which is its name.
  let address: String
  /// The last change that nobody has read yet.
  let changes: AsyncStream<Change>
  private let continuation: AsyncStream<Change>.Continuation
  private let options: MemberOptions
  private let part: StoreMember
  private let leader: LeaderClient
  private let log: any ReplicatedLog
  private let directory: String
  private let adminKey: String?
  private let running = Mutex<(member: ClusterMember, store: Store)?>(nil)

  /// How long a request waits for a node to lead.
  private static let patience: Duration = .seconds(8)

  /// Returns the node that the settings name; nil: the server is alone. Throws ``ClusterFailure``, and ``CommandError`` where a file
  /// cannot be read.
  static func of(_ settings: Settings) throws -> ClusterNode? {
    ["", "none"].contains(settings.cluster) ? nil : try ClusterNode(settings)
  }

  private init(_ settings: Settings) throws {
    let location = try ClusterNode.location(settings.cluster)
    let (scheme, name) = try ClusterNode.name(settings)
    address = name.text
    leader = LeaderClient(scheme: scheme)
    directory = settings.data
    adminKey = settings.adminKey.isEmpty ? nil : settings.adminKey
    log = ClusterNode.log(at: location)
    var options = MemberOptions(node: name, run: ObjectID.generate().description)
    options.allowsSingleServer = location.allowsSingleServer
    let (changes, continuation) = AsyncStream.makeStream(
      of: Change.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.continuation) = (changes, continuation)
    options.didStop = { _ in continuation.yield(.stopped) }
    self.options = options
    part = StoreMember(scheduler: options.scheduler) { role in
      switch role {
      case .leads: continuation.yield(.leads)
      case .follows: continuation.yield(.follows)
      }
    }
  }

  /// Returns the log that the settings name. Throws ``ClusterFailure``, and ``CommandError`` where a file cannot be read.
  static func log(_ settings: Settings) throws -> any ReplicatedLog {
    log(at: try location(settings.cluster))
  }

  private static func log(at location: LogLocation) -> any ReplicatedLog {
    switch location.servers {
    case .nats(let options): NATSLog(options)
    case .etcd(let options): EtcdLog(options)
    }
  }

  /// Reads the setting, with the file of credentials that it names.
  private static func location(_ text: String) throws -> LogLocation {
    var location: LogLocation
    do throws(LogLocationError) { location = try LogLocation(text) } catch {
      throw ClusterFailure.location(error)
    }
    guard let path = location.credentialsFile, case .nats(var options) = location.servers else {
      return location
    }
    let contents = String(decoding: try InputFile.contents(of: path), as: UTF8.self)
    guard let credentials = NATSCredentials(file: contents) else {
      throw ClusterFailure.credentials(path: path)
    }
    options.credentials = credentials
    location.servers = .nats(options)
    return location
  }

  /// Returns the address at which others reach the server: the one that is set, or that of its first listener.
  private static func name(_ settings: Settings) throws(ClusterFailure) -> (scheme: String, name: NodeName) {
    if !settings.clusterAddress.isEmpty {
      let text = settings.clusterAddress
      let scheme = ["https", "http"].first { text.hasPrefix("\($0)://") }
      let rest = scheme.map { text.dropFirst($0.count + 3) } ?? text[...]
      guard let address = ServerAddress(hostAndPort: rest), let name = NodeName(address) else {
        throw .noAddress
      }
      return (scheme ?? "http", name)
    }
    let (scheme, listener) =
      settings.listen.isEmpty ? ("https", settings.tlsListen.first) : ("http", settings.listen.first)
    guard let text = listener?.addressForOthers, let address = ServerAddress(hostAndPort: text),
      let name = NodeName(address)
    else { throw .noAddress }
    return (scheme, name)
  }

  // The node's life

  /// The options of a store that takes part.
  func storeOptions(_ options: StoreOptions) -> StoreOptions {
    var options = options
    options.log = part
    return options
  }

  /// Has the data directory hold a copy of another node's store where the log does not reach back to what is there. Throws
  /// ``ClusterFailure/noCopy(node:)``, and `CancellationError` where `isStopping` says so first.
  func takeCopy(isStopping: @Sendable () -> Bool) async throws {
    let isThere = Glibc.access("\(directory)/gatehouse.db", F_OK) == 0
    let point = isThere ? try StoreSnapshot(directory: directory).replicationPoint() : nil
    // A store with objects that has been in no cluster begins one, or is refused.
    if isThere, point == nil { return }
    while true {
      do {
        let survey = try LogSurvey(log, from: point)
        guard survey.needsCopy else { return }
        if let node = survey.lastAuthor, node != address {
          Output.error.tell("gatehouse: copying the store of \(node)\n")
          return try await StoreCopy.fetch(from: "\(leader.scheme)://\(node)", key: adminKey, into: directory)
        }
      } catch let error as LogError {
        switch error {
        case .unavailable, .malformedAnswer: break
        // The node says why when it takes part.
        case .unauthorized, .unusable, .closed: return
        }
      }
      if isStopping() { throw CancellationError() }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Begins to take part with a store that was opened with ``storeOptions(_:)``.
  func start(_ store: Store, metrics: Registry) {
    var options = options
    options.didMove = ClusterMetrics.entrySizes(in: metrics)
    let member = part.start(store, log: log, options: options)
    running.withLock { $0 = (member, store) }
    ClusterMetrics.register(in: metrics, member, store)
  }

  /// Waits until the store leads, or has what the node has that does. Throws ``ClusterFailure/stopped(_:)`` where it can do neither, and
  /// `CancellationError` where `isStopping` says so first.
  func join(isStopping: @Sendable () -> Bool) async throws {
    guard let (member, store) = running.withLock({ $0 }) else { return }
    while true {
      let status = member.status
      try checkStopped()
      if store.isLeading { return }
      let hasCome = status.isFresh && status.isAtEnd && status.leader != nil
      if hasCome, (store.replicationPoint?.sequence ?? 0) > 0 { return }
      if isStopping() { throw CancellationError() }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Throws ``ClusterFailure/stopped(_:)`` where the node takes no part any more.
  func checkStopped() throws(ClusterFailure) {
    if let reason = running.withLock({ $0?.member.status.stopReason }) { throw .stopped(reason) }
  }

  /// Has another node lead, where there is one, before this one ends.
  func resign() async {
    guard let (member, store) = running.withLock({ $0 }) else { return }
    member.resign()
    for _ in 0..<250 where store.isLeading || member.status.role == .leader {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Has another node lead where this one's store takes nothing more, as on a disk that is full, until the task is cancelled. Not more often
  /// than every half minute: the others may be no better.
  func leaveLeadOnFailure() async {
    guard let (member, store) = running.withLock({ $0 }) else { return }
    while !Task.isCancelled {
      let isFailing = store.isLeading && store.failure != nil
      if isFailing { member.stepDown() }
      try? await Task.sleep(for: isFailing ? .seconds(30) : .milliseconds(500))
    }
  }

  private func stepDown() async {
    guard let (member, store) = running.withLock({ $0 }) else { return }
    member.stepDown()
    for _ in 0..<250 where store.isLeading { try? await Task.sleep(for: .milliseconds(20)) }
  }

  private var report: ClusterAccess.Report {
    let status = running.withLock { $0?.member.status }
    var report = ClusterAccess.Report(
      node: address, role: (status?.role ?? .follower).rawValue, position: status?.point.position ?? 0,
      epoch: status?.point.epoch ?? 0)
    report.digest = part.digest.map { digest in
      ClusterAccess.Digest(
        comparison: digest.comparison, version: digest.version,
        sha256: digest.hash.map { Hexadecimal.text(of: $0.bytes) })
    }
    return report
  }

  /// Ends the connections to the log.
  func close() {
    running.withLock { $0?.member.close() }
    log.close()
    continuation.finish()
  }

  // Requests

  /// The cluster, as gateways see it.
  func access(contentLimit: Int) -> ClusterAccess {
    var access = ClusterAccess(
      standing: { [self] in standing },
      administration: ClusterAccess.Administration(
        report: { [self] in report }, stepDown: { [self] in await stepDown() },
        snapshot: { [directory] in try await StoreCopy.response(of: directory) },
        compare: { [part] in
          let comparison = ObjectID.generate().description
          try await part.compare(comparison)
          return comparison
        }),
      forward: { [self] request, content in await forward(request, content) })
    access.contentLimit = contentLimit
    return access
  }

  private var standing: ClusterAccess.Standing {
    guard let (member, store) = running.withLock({ $0 }) else {
      return ClusterAccess.Standing(isLeading: false, hasLease: false, isFresh: false, leader: nil)
    }
    let status = member.status
    return ClusterAccess.Standing(
      isLeading: store.isLeading, hasLease: status.hasLease, isFresh: status.isFresh, leader: status.leader)
  }

  /// Sends a request to the node that leads, and to the next one where that could not have begun with it.
  private func forward(_ request: Request, _ content: [UInt8]) async -> ClusterAccess.Outcome {
    let deadline = ContinuousClock.now + ClusterNode.patience
    while true {
      let standing = standing
      if standing.isLeading { return .leading }
      if let leader = standing.leader, leader != address {
        switch await self.leader.send(request, content, to: leader) {
        case .answered(let response): return .answered(response)
        case .unknown: return .unknown
        case .unreachable, .leading: break
        }
      }
      guard ContinuousClock.now < deadline, !Task.isCancelled else { return .unreachable }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
}

extension SocketAddress {
  /// The address, where others can use it: a wildcard stands for the name of this machine. Nil: there is none.
  fileprivate var addressForOthers: String? {
    switch self {
    case .unix: nil
    case .ipv4(_, 0), .ipv6(_, _, 0): nil
    case .ipv4(0, let port), .ipv6(0, 0, let port): "\(HostName.current):\(port)"
    case .ipv4, .ipv6: description
    }
  }
}
