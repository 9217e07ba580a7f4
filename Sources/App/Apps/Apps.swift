import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseStorage
import GatehouseTelemetry
import Glibc
import Synchronization

/// The apps of a server: databases beside the default one, each in a data directory of its own.
///
/// One is opened when it is asked for, or has something to do, and closed again when nobody has used it for a while.
///
///     closed ──lease──▶ opening ──▶ open ──idle, removed──▶ closing ──▶ closed
final class Apps: Sendable {
  let directory: AppsDirectory
  let settings: Settings
  private let server: ServerParts
  private let main: Store
  private let instruments: AppInstruments
  private let places: SubscriberPlaces.Pool
  /// Nil: the server is alone.
  let cluster: AppCluster?
  private let table = Mutex(AppTable())
  private let count = Atomic(0)
  private let routers = Mutex<[AppRouter]>([])
  /// Only one is made or removed at a time.
  let administration = SerialTaskQueue()

  /// - Parameter main: The store of the default database, whose memory and room for temporary files apps share.
  init(_ settings: Settings, _ server: ServerParts, main: Store, cluster: AppCluster? = nil) throws {
    (self.settings, self.server, self.main, self.cluster) = (settings, server, main, cluster)
    directory = AppsDirectory(settings.data)
    instruments = AppInstruments(server.metrics)
    places = SubscriberPlaces.Pool(capacity: settings.eventSubscribers)
    try directory.removeDrafts()
    if let cluster { setNames(Set(try cluster.registry.apps().keys)) } else { try findNames() }
    instruments.observe(self)
    cluster?.attach { [weak self] in self?.openApp($0) != nil }
  }

  // Names

  /// Whether there is any app: where there is none, paths and tokens mean what they mean to the default database.
  var hasAny: Bool { count.load(ordering: .relaxed) > 0 }

  /// The id by which clients of App Services know the default database, where there are apps.
  var defaultID: String { settings.defaultApp }

  var names: [AppName] { table.withLock { $0.names.sorted { $0.text < $1.text } } }

  func contains(_ name: AppName) -> Bool {
    if table.withLock({ $0.names.contains(name) }) { return true }
    // A node reads of an app before it has a folder for it: the app is about to be there.
    guard let cluster, let app = try? cluster.registry.app(name) else { return false }
    setNames(Set(names + [app.name]))
    return true
  }

  func name(withDomain domain: String) -> AppName? { table.withLock { $0.domains[domain] } }

  func isOpen(_ name: AppName) -> Bool { table.withLock { $0.entries[name] != nil } }

  /// Why an app could not be opened when somebody last tried; nil: it could.
  func failure(of name: AppName) -> String? { table.withLock { $0.failures[name]?.text } }

  /// The number of apps that are open.
  var openCount: Int { table.withLock { $0.entries.count } }

  /// The stores of groups that as many apps have as may be open, those with the most.
  var groupStoreCount: Int {
    let counts = ((try? directory.groupStores) ?? [:]).values.map(\.count)
    return counts.sorted(by: >).prefix(settings.openApps).reduce(0, +)
  }

  /// Takes the names of the apps as they are on the disk.
  func findNames() throws(CommandError) {
    if cluster == nil { setNames(Set(try directory.names)) }
  }

  func setNames(_ names: Set<AppName>) {
    table.withLock { table in
      guard table.names != names || cluster == nil else { return }
      table.domains = Dictionary(names.map { ($0.domain.description, $0) }) { $1 }
      for name in table.names.subtracting(names) { instruments.forget(name) }
      table.names = names
      precondition(table.domains.count == names.count, "tokens of an app are those of no other")
      table.wakeTimes = table.wakeTimes.filter { table.names.contains($0.key) }
      table.stamps = table.stamps.filter { table.names.contains($0.key) }
      table.failures = [:]
    }
    count.store(names.count, ordering: .relaxed)
  }

  // Leases

  private enum Step {
    case lease(AppLease)
    case opening(Task<OpenApp, any Error>)
    case closing(Task<Void, Never>)
  }

  /// Returns the app, open, which it stays for as long as there is the lease. However many ask at once, it is opened once. Throws
  /// ``GatehouseAPI/AppError/notFound`` and ``GatehouseAPI/AppError/unavailable``.
  func lease(_ name: AppName) async throws -> AppLease {
    instruments.countRequest(of: name)
    if let cluster, !isReady(name) {
      // A node opens its apps by itself, as soon as it has read of them or of other groups and settings of theirs.
      _ = await cluster.node.news.wait(atMost: Apps.patience) { [self] in isReady(name) }
    }
    while true {
      switch try step(name) {
      case .lease(let lease): return lease
      case .closing(let task): await task.value
      case .opening(let task):
        do { _ = try await task.value } catch { throw AppError.unavailable }
      }
    }
  }

  /// Whether an app is open, or nobody need wait for it.
  private func isReady(_ name: AppName) -> Bool {
    table.withLock { table in
      guard table.names.contains(name), !table.isStopped, table.failures[name] == nil else { return true }
      guard !table.withheld.contains(name), let entry = table.entries[name] else { return false }
      return entry.app != nil && !entry.isEnding
    }
  }

  private func step(_ name: AppName) throws(AppError) -> Step {
    let result = table.withLock { table -> Result<Step, AppError> in
      guard table.names.contains(name) else { return .failure(.notFound) }
      if table.isStopped || table.withheld.contains(name) { return .failure(.unavailable) }
      guard var entry = table.entries[name] else {
        // A node opens its apps by itself; how long that takes, others decide.
        guard cluster == nil, let task = beginOpening(name, &table) else { return .failure(.unavailable) }
        return .success(.opening(task))
      }
      switch entry.state {
      case .opening(let task): return cluster == nil ? .success(.opening(task)) : .failure(.unavailable)
      case .closing(let task): return .success(.closing(task))
      case .open(let app):
        if entry.isEnding { return .failure(.unavailable) }
        entry.leases += 1
        table.entries[name] = entry
        return .success(.lease(AppLease(app, of: self)))
      }
    }
    return try result.get()
  }

  /// Begins to open an app that is closed; nil: it has just failed.
  private func beginOpening(_ name: AppName, _ table: inout AppTable) -> Task<OpenApp, any Error>? {
    if table.failures[name]?.isFresh(at: MonotonicClock.now()) == true { return nil }
    precondition(table.entries[name] == nil, "the app \(name.text) is opened once at a time")
    let task = Task.detached { try await self.open(name) }
    table.entries[name] = AppTable.Entry(state: .opening(task), lastUse: MonotonicClock.now())
    return task
  }

  /// Opens an app of a cluster, unless it is open, or about to be; returns at once.
  func openAsMember(_ name: AppName) {
    table.withLock { table in
      guard table.entries[name] == nil, !table.isStopped, !table.withheld.contains(name) else { return }
      _ = beginOpening(name, &table)
    }
  }

  /// Returns an app that is open; nil: it is not.
  func openApp(_ name: AppName) -> OpenApp? {
    table.withLock { $0.entries[name]?.app }
  }

  /// Called when a lease has ended.
  func endLease(of app: OpenApp) {
    let now = MonotonicClock.now()
    table.withLock { table in
      // One that has stopped is closed whoever uses it, and may have been opened again since.
      guard var entry = table.entries[app.name], entry.app === app else { return }
      precondition(entry.leases > 0, "a lease ends once")
      entry.leases -= 1
      entry.lastUse = now
      table.entries[app.name] = entry
    }
  }

  // Opening and closing

  private func open(_ name: AppName) async throws -> OpenApp {
    let start = MonotonicClock.now()
    await makeRoom()
    do {
      // An app has had a file since it was made: an empty store in its place would hide the loss.
      let file = directory.database(of: name)
      let app: OpenApp
      if let cluster {
        app = try await openMember(name, in: cluster)
      } else {
        guard access(file, F_OK) == 0 else { throw CommandError.file(path: file, action: .read, code: errno) }
        app = try await OpenApp(
          name, settings: try settings.settings(of: name), server: server, within: main, places)
      }
      // The functions that nobody asks for are called by the first loop.
      guard let first = routers.withLock(\.first), await first.prepare(app) else {
        await app.close()
        cluster?.remove(app)
        throw AppError.unavailable
      }
      await app.begin()
      instruments.didOpen(nanoseconds: MonotonicClock.now() &- start)
      table.withLock { table in
        guard case .opening? = table.entries[name]?.state else {
          preconditionFailure("the app \(name.text) is open once it has been opened")
        }
        (table.wakeTimes[name], table.failures[name], table.stamps[name]) = (nil, nil, nil)
        table.entries[name] = AppTable.Entry(state: .open(app), lastUse: MonotonicClock.now())
      }
      cluster?.node.news.tell()
      return app
    } catch {
      table.withLock { $0.entries[name] = nil }
      // Where it is about to be closed, that is no failure.
      if !(error is CancellationError) { fail(name, FailureText.of(error)) }
      throw error
    }
  }

  /// Takes note of why an app cannot be used, and tells of it.
  func fail(_ name: AppName, _ reason: String) {
    let isNew = table.withLock { table in
      table.failures[name, default: AppFailure()].add(reason, at: MonotonicClock.now())
    }
    if isNew { Output.warn("the app \(name.text) cannot be opened: \(reason)") }
    cluster?.node.news.tell()
  }

  private func openMember(_ name: AppName, in cluster: AppCluster) async throws -> OpenApp {
    guard let registered = try cluster.registry.app(name),
      directory.identity(of: name) == registered.identity
    else { throw CancellationError() }
    let settings = try settings.settings(of: name, nodeKey: registered.nodeKey)
    let cannotOpen: @Sendable (String) -> Void = { [weak self] reason in self?.fail(name, reason) }
    let node = cluster.node.node(
      of: ClusterApp(
        name: name.text, identity: registered.identity, hasBegun: registered.hasBegun, cannotOpen: cannotOpen),
      settings)
    let member = AppMember(registered, node) { store, settings in
      guard let known = registered.groups.first(where: { $0.group.identity == store.group.identity }) else {
        return nil
      }
      return cluster.node.node(
        of: ClusterApp(
          name: "\(name.text)/\(store.name)", identity: store.identity, hasBegun: known.hasBegun,
          cannotOpen: cannotOpen),
        settings)
    } isStopping: { [weak self] in
      self?.table.withLock { $0.isStopped || $0.withheld.contains(name) } ?? true
    } didStop: { [weak self] app, reason in
      self?.didStop(app, reason)
    }
    do {
      let app = try await OpenApp(
        name, settings: settings, server: server, within: main, places, member: member)
      cluster.add(app, node)
      return app
    } catch {
      node.close()
      throw error
    }
  }

  /// Closes an app whose store takes no part any more; it is opened again in a moment, which helps where it has to become a copy of another.
  private func didStop(_ app: OpenApp, _ reason: String) {
    fail(app.name, reason)
    let opening = table.withLock { table -> Task<OpenApp, any Error>? in
      if case .opening(let task)? = table.entries[app.name]?.state { return task }
      guard table.entries[app.name]?.app === app else { return nil }
      table.entries[app.name]?.isEnding = true
      _ = beginClosing(app, until: nil, &table)
      return nil
    }
    // It may stop before whoever opens it has taken note that it is open.
    guard let opening else { return }
    Task { [weak self] in if (try? await opening.value) === app { self?.didStop(app, reason) } }
  }

  /// Closes an app that nobody uses and that has nothing to do; false: it is not so.
  @discardableResult
  func closeIfIdle(_ name: AppName) async -> Bool {
    let app = table.withLock { $0.entries[name]?.leases == 0 ? $0.entries[name]?.app : nil }
    guard let app, case .idle(let time) = await app.outlook() else { return false }
    let task = table.withLock { table -> Task<Void, Never>? in
      guard table.entries[name]?.app === app, table.entries[name]?.leases == 0 else { return nil }
      return beginClosing(app, until: time, &table)
    }
    await task?.value
    return task != nil
  }

  /// Closes an app whoever uses it: its streams end, and requests are answered first. Throws ``GatehouseAPI/AppError/busy`` where they
  /// take too long, and then it stays open.
  func close(_ name: AppName) async throws {
    let deadline = MonotonicClock.now() + UInt64(settings.shutdownSeconds) * 1_000_000_000
    while true {
      let state = table.withLock { table -> (AppTable.State, isUsed: Bool)? in
        guard let entry = table.entries[name] else { return nil }
        table.entries[name]?.isEnding = true
        return (entry.state, entry.leases > 0)
      }
      guard let (state, isUsed) = state else { return }
      switch state {
      case .closing(let task): await task.value
      case .opening(let task): _ = try? await task.value
      case .open(let app):
        for router in routers.withLock({ $0 }) { await router.drain(app) }
        let (task, isThere) = table.withLock { table -> (Task<Void, Never>?, Bool) in
          // Meanwhile it may have stopped, or been closed since it was idle, and even be open again.
          guard table.entries[name]?.app === app else { return (nil, false) }
          guard table.entries[name]?.leases == 0 else { return (nil, true) }
          return (beginClosing(app, until: nil, &table), true)
        }
        if let task { return await task.value }
        if !isThere { continue }
        guard isUsed, MonotonicClock.now() < deadline else {
          table.withLock { $0.entries[name]?.isEnding = false }
          throw AppError.busy
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private func beginClosing(_ app: OpenApp, until time: Date?, _ table: inout AppTable) -> Task<Void, Never> {
    precondition(table.entries[app.name]?.app === app, "the app \(app.name.text) is closed once")
    let task = Task.detached {
      await app.retire()
      for router in self.routers.withLock({ $0 }) { await router.forget(app) }
      await app.close()
      self.cluster?.remove(app)
      let stamp = self.directory.hasTriggers(app.name) ? self.stamp(of: app.name) : nil
      self.table.withLock { table in
        guard case .closing? = table.entries[app.name]?.state else {
          preconditionFailure("the app \(app.name.text) is opened again when it is closed")
        }
        table.entries[app.name] = nil
        (table.wakeTimes[app.name], table.stamps[app.name]) = (time, stamp)
      }
      self.main.giveMemoryBack()
    }
    table.entries[app.name]?.state = .closing(task)
    return task
  }

  /// Removes an app: its streams end, and requests are answered first. Throws ``GatehouseAPI/AppError/busy``.
  func remove(_ name: AppName) async throws {
    try await withClosed(name) {
      try directory.remove(name)
      try findNames()
    }
  }

  /// Closes an app, and calls `body` while nobody can open it. Throws ``GatehouseAPI/AppError/busy``: then `body` is not called.
  func withClosed(_ name: AppName, _ body: () throws -> Void) async throws {
    table.withLock { _ = $0.withheld.insert(name) }
    defer { table.withLock { _ = $0.withheld.remove(name) } }
    try await close(name)
    table.withLock { $0.failures[name] = nil }
    try body()
  }

  // The server's life

  /// Takes the router of an event loop.
  func add(_ router: AppRouter) { routers.withLock { $0.append(router) } }

  /// The apps that are open.
  private var open: [OpenApp] {
    table.withLock { table in
      table.entries.values.compactMap(\.app)
    }
  }

  /// Opens and closes apps as there is work for them, until the task is cancelled.
  func run() async {
    if let cluster { return await run(in: cluster) }
    await findWork()
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      await wake(at: .now)
      await findChanges()
      await closeIdle(at: MonotonicClock.now())
    }
  }

  /// Opens apps that have work which nobody asks for: they are asked once when that is.
  func findWork() async {
    for name in names where directory.mayHaveWork(name) {
      if Task.isCancelled { return }
      _ = try? await lease(name)
    }
  }

  /// Opens closed apps with triggers whose files another process has written, such as an import.
  func findChanges() async {
    let changed = table.withLock(\.stamps).filter { $0.value != stamp(of: $0.key) }
    for name in changed.keys { _ = try? await lease(name) }
  }

  private func stamp(of name: AppName) -> FileStamp {
    let groups = GroupsDirectory(directory.directory(of: name))
    let stores = (try? groups.groups().flatMap(\.stores)) ?? []
    return FileStamp(of: [directory.database(of: name)] + stores.map(groups.database))
  }

  /// Opens apps whose time has come.
  func wake(at now: Date) async {
    let due = table.withLock { table in table.wakeTimes.filter { $0.value <= now }.map(\.key) }
    for name in due { _ = try? await lease(name) }
  }

  /// Closes the apps that have not been used for as long as the settings say, and those on top of the most, the least recently
  /// used first.
  func closeIdle(at now: UInt64) async {
    let idle = table.withLock { table in
      table.entries.filter { $0.value.leases == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
    }
    for (name, entry) in idle {
      let seconds = (now &- entry.lastUse) / 1_000_000_000
      let isExpired = now > entry.lastUse && seconds >= UInt64(settings.appIdleSeconds)
      guard isExpired || hasTooMany else { break }
      await closeIfIdle(name)
    }
  }

  /// Has others closed where one more is about to be open than may be. Closing takes longer than opening: it is waited for
  /// once as many are closing as may be open.
  private func makeRoom() async {
    guard hasTooMany else { return }
    let closing = Task.detached { await self.closeIdle(at: MonotonicClock.now()) }
    if openCount > 2 * settings.openApps { await closing.value }
  }

  /// Whether more apps are open, or being opened, than may be.
  private var hasTooMany: Bool {
    guard cluster == nil else { return false }
    return table.withLock { table in
      let closing = table.entries.values.count { if case .closing = $0.state { true } else { false } }
      return table.entries.count - closing > settings.openApps
    }
  }

  /// Reads the files of the open apps anew, and opens those that may have work now.
  func reload() async {
    do { try findNames() } catch { Output.warn(FailureText.of(error)) }
    for app in open { await app.reload() }
    if cluster == nil { await findWork() }
  }

  /// Has other nodes lead the apps that this one does.
  func resign() async {
    table.withLock { $0.isStopped = true }
    await cluster?.resign()
  }

  /// Ends the triggers of the open apps. No app is opened from now on.
  func retire() async {
    table.withLock { $0.isStopped = true }
    await withTaskGroup { group in
      for app in open { group.addTask { await app.retire() } }
    }
  }

  /// Closes the open apps, when there is no loop any more.
  func close() async {
    await withTaskGroup { group in
      for app in open { group.addTask { await app.close() } }
    }
  }
}
