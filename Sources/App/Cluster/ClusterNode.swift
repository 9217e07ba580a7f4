import Dispatch
import GatehouseAPI
import GatehouseBSON
import GatehouseCluster
import GatehouseHTTP
import GatehouseModel
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
  private let location: LogLocation
  /// The app whose store, or whose group's, it is; nil: it is the default one.
  let app: ClusterApp?
  /// Whether there has been a store: a log that is empty has lost it.
  private let hasBegun: Bool
  private let part: StoreMember
  let leader: LeaderClient
  private let log: any ReplicatedLog
  private let directory: String
  let adminKey: String?
  let apps = Mutex(ClusterApps(nodes: { [:] }, isOpen: { _ in true }))
  /// Told when the store has more of the log, when this node has read of an app, or has opened one, and when another node leads.
  let news: News
  private let running = Mutex<(member: ClusterMember, store: Store)?>(nil)

  /// Where the resources of its database are: `/v1`, or those of an app.
  var resources: String { app?.resources ?? "/v1" }

  /// Returns the node that the settings name; nil: the server is alone. Throws ``ClusterFailure``, and ``CommandError`` where a file
  /// cannot be read.
  static func of(_ settings: Settings) throws -> ClusterNode? {
    ["", "none"].contains(settings.cluster) ? nil : try ClusterNode(settings)
  }

  private convenience init(_ settings: Settings) throws {
    let location = try ClusterNode.location(settings.cluster)
    let (scheme, name) = try ClusterNode.name(settings)
    self.init(
      MemberOptions(node: name, run: ObjectID.generate().description), at: location, of: settings,
      by: LeaderClient(scheme: scheme))
  }

  /// - Parameter app: The app whose store it is; nil: it is the default one.
  private init(
    _ options: MemberOptions, at location: LogLocation, of settings: Settings, by leader: LeaderClient,
    app: ClusterApp? = nil
  ) {
    (self.location, self.leader) = (location, leader)
    address = options.node.text
    directory = settings.data
    self.app = app
    hasBegun = app?.hasBegun ?? !location.mayBegin
    adminKey = settings.adminKey.isEmpty ? nil : settings.adminKey
    log = ClusterNode.log(at: location)
    var options = options
    options.allowsSingleServer = location.allowsSingleServer
    let (changes, continuation) = AsyncStream.makeStream(
      of: Change.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.continuation) = (changes, continuation)
    options.didStop = { _ in continuation.yield(.stopped) }
    self.options = options
    let news = News()
    self.news = news
    part = StoreMember(
      scheduler: options.scheduler, didAdvance: { news.tell() },
      didChange: { role in
        switch role {
        case .leads: continuation.yield(.leads)
        case .follows: continuation.yield(.follows)
        }
        news.tell()
      })
  }

  /// Returns the node that the store of an app is, on a log of its own.
  ///
  /// - Parameter settings: The app's.
  func node(of app: ClusterApp, _ settings: Settings) -> ClusterNode {
    var options = MemberOptions(node: options.node, run: ObjectID.generate().description)
    options.log = app.identity
    options.beginsAtOnce = !app.hasBegun
    return ClusterNode(options, at: location.ofApp(app.identity), of: settings, by: leader, app: app)
  }

  /// Removes the log of an app that is gone. Where it cannot be reached, it is tried again later.
  func removeLog(ofApp identity: String) async {
    let log = ClusterNode.log(at: location.ofApp(identity))
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        try? log.remove()
        log.close()
        continuation.resume()
      }
    }
  }

  /// Returns the log that the settings name, or that of an app. Throws ``ClusterFailure``, and ``CommandError`` where a file cannot be read.
  static func log(_ settings: Settings, ofApp identity: String? = nil) throws -> any ReplicatedLog {
    let location = try location(settings.cluster)
    return log(at: identity.map(location.ofApp) ?? location)
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

  /// Has the data directory hold a copy of another node's store where the log does not reach back to what is there, as soon as one gives it.
  /// Throws ``ClusterFailure/refused(url:status:)`` where another node does not take the key, and `CancellationError` where
  /// `isStopping` says so first.
  func takeCopy(isStopping: @Sendable () -> Bool) async throws {
    let (isThere, point) = try ClusterNode.stored(in: directory)
    // A store with something in it that has been in no cluster, or is what one is recovered from, begins one, or is refused.
    if isThere, point == nil { return try ClusterNode.beginVersions(in: directory) }
    if !isThere, point == nil { try ClusterNode.forgetSigningKeys(in: directory) }
    var told = ""
    func tell(_ text: String) {
      if text != told { Output.error.tell("gatehouse: \(text)\n") }
      told = text
    }
    // Operators are told, and who asks for an app is told at once.
    func tellOfLoss() { if let app { app.cannotOpen(emptiness) } else { tell(emptiness) } }
    while true {
      do {
        let survey = try await offPool { [log] in try LogSurvey(log, from: point) }
        if survey.needsCopy, let node = survey.lastAuthor, node != address {
          tell("copying the store of \(node)")
          return try await StoreCopy.fetch(
            from: "\(leader.scheme)://\(node)\(resources)", key: adminKey, into: directory)
        } else if !survey.needsCopy {
          guard hasBegun, !isThere, survey.lastAuthor == nil else { return }
          tellOfLoss()
        }
      } catch ClusterFailure.noCopy {
        // It may have ended, and another one leads by now.
      } catch let error as LogError {
        switch error {
        case .unavailable, .malformedAnswer: break
        case .unusable(.missing) where hasBegun && !isThere: tellOfLoss()
        // The node says why when it takes part.
        case .unauthorized, .unusable, .closed: return
        }
      }
      if isStopping() { throw CancellationError() }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Has a store with keys, roles or users, and no commit, have commits: from the version of the first entry other nodes see that they need a copy
  /// of it, and in another log it does not fit.
  private static func beginVersions(in directory: String) throws {
    guard try StoreSnapshot(directory: directory).version() == 0 else { return }
    let store = try Store(directory: directory, options: Settings.plainStoreOptions)
    defer { store.closeAndWait() }
    let schema = store.schema
    let other = try Value(json: Array(#"[{"name": "Beginning", "properties": {"value": "bool"}}]"#.utf8))
    _ = try store.applyAndWait(Schema(notation: other), destructive: true)
    _ = try store.applyAndWait(schema, destructive: true)
  }

  /// Has a store that a server alone has made, and that nobody has put anything into, be an empty one: the cluster has keys of its own that tokens
  /// are signed with.
  private static func forgetSigningKeys(in directory: String) throws {
    guard Glibc.access("\(directory)/gatehouse.db", F_OK) == 0 else { return }
    let store = try Store(directory: directory, options: Settings.plainStoreOptions)
    defer { store.closeAndWait() }
    _ = try store.keepAndWait([RecordChange(.signingKeys, nil)])
  }

  /// Returns whether there is a store, and the place in the log that it has come to; nil: it has been in no cluster. A node that ended before its
  /// first entry has an empty store, which is none: it would begin a log that has lost its entries.
  static func stored(in directory: String) throws -> (isThere: Bool, point: ReplicationPoint?) {
    guard Glibc.access("\(directory)/gatehouse.db", F_OK) == 0 else { return (false, nil) }
    let snapshot = try StoreSnapshot(directory: directory)
    let point = try snapshot.replicationPoint()
    let hasContent =
      try snapshot.version() > 0 || snapshot.hasRecords(besidesKind: Record.Name.signingKeys.kind)
    return ((point?.sequence ?? 0) > 0 || hasContent, point)
  }

  /// Tells operators that the log is empty, and may have lost what it had.
  private var emptiness: String {
    let recovery = "see gatehouse cluster recover"
    return app == nil
      ? "the log is empty, and begin=no (GATEHOUSE_CLUSTER) says that it has not always been: \(recovery)"
      : "the log of \(resources) is empty, and has not always been: \(recovery)"
  }

  /// Does something that waits for the log's servers on a thread of its own.
  private func offPool<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(with: Swift.Result(catching: body))
      }
    }
  }

  /// Begins to take part with a store that was opened with ``storeOptions(_:)``.
  func start(_ store: Store, metrics: Registry) {
    AuditFolder(dataDirectory: directory).takeRetirements(of: store)
    var options = options
    options.didMove = ClusterMetrics.entrySizes(in: metrics)
    let member = part.start(store, log: log, options: options)
    running.withLock { running in
      precondition(running == nil, "a node takes part with one store")
      running = (member, store)
    }
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

  /// Has the node lead before all others once nobody does.
  func stand() { running.withLock { $0?.member.stand() } }

  /// The node's part in an app, as operators see it.
  func state(ofApp name: String) -> ClusterAccess.AppState {
    let version = running.withLock { $0?.store.version } ?? 0
    return ClusterAccess.AppState(name: name, report: report, standing: standing, version: version)
  }

  func stepDown() async {
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
        report: { [self] in report },
        apps: { [self] in appStates },
        stand: { [self] app in try node(ofApp: app).stand() },
        stepDown: { [self] app in await (try node(ofApp: app)).stepDown() },
        snapshot: { [directory] in try await StoreCopy.response(of: directory) },
        compare: { [part] in
          let comparison = ObjectID.generate().description
          try await part.compare(comparison)
          return comparison
        }),
      forward: { [self] request, content in await forward(request, content) })
    (access.contentLimit, access.nodeKey) = (contentLimit, adminKey)
    access.wait = { [news] limit, isSo in await news.wait(atMost: limit, until: isSo) }
    return access
  }

  /// Has operators reach the apps.
  func set(_ apps: ClusterApps) { self.apps.withLock { $0 = apps } }

  private var appStates: [ClusterAccess.AppState] {
    apps.withLock(\.self).nodes().sorted { $0.key < $1.key }.map { $1.state(ofApp: $0) }
  }

  /// Returns the node of an app, or this one. Throws ``GatehouseAPI/AppError/notFound``, also where the app is not open yet.
  private func node(ofApp name: String?) throws(AppError) -> ClusterNode {
    guard let name else { return self }
    guard let node = apps.withLock(\.self).nodes()[name] else { throw .notFound }
    return node
  }

  var standing: ClusterAccess.Standing {
    guard let (member, store) = running.withLock({ $0 }) else {
      return ClusterAccess.Standing(isLeading: false, hasLease: false, isFresh: false, leader: nil)
    }
    let status = member.status
    var standing = ClusterAccess.Standing(
      isLeading: store.isLeading, hasLease: status.hasLease, isFresh: status.isFresh, leader: status.leader)
    standing.reachesLog = status.logSilence < options.times.freshness
    return standing
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
