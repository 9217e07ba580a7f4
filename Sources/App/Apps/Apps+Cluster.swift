import GatehouseAPI
import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry
import Glibc

// A node of a cluster has the apps that the default database's log names, and has all of them open.
extension Apps {
  /// How long a node waits to read of an app that is there, and to have it open.
  static let patience: Duration = .seconds(5)

  /// Whether there may be apps of which this node has not read: another one makes them.
  var mayBeLate: Bool { cluster.map { !$0.registry.isLeading } ?? false }

  /// Returns whether there is an app of which this node had not read yet, once it has. Throws ``GatehouseAPI/AppError/unavailable`` where
  /// nobody says so.
  func learns(of name: AppName, askedBy request: Request) async throws(AppError) -> Bool {
    guard let cluster else { return false }
    guard let isThere = await cluster.node.hasApp(name.text, askedBy: request) else { throw .unavailable }
    guard isThere else { return contains(name) }
    guard await cluster.node.news.wait(atMost: Apps.patience, until: { [self] in contains(name) }) else {
      throw .unavailable
    }
    return true
  }

  /// Keeps the apps as the registry says, until the task is cancelled.
  func run(in cluster: AppCluster) async {
    var ticks = 0
    repeat {
      // Apps that could not be opened, or removed, are tried again.
      if cluster.registry.takeChange() || ticks % 5 == 0 { await reconcile(in: cluster) }
      if ticks % 300 == 0 { await cluster.removeLogs() }
      ticks += 1
    } while (try? await Task.sleep(for: .milliseconds(200))) != nil
  }

  /// Makes, changes, removes and opens apps as the registry says.
  func reconcile(in cluster: AppCluster) async {
    try? await cluster.reconciliation.run {
      do { try await self.perform(try cluster.registry.apps(), cluster) } catch {
        Output.warn("apps: \(FailureText.of(error))")
      }
    }
    cluster.node.news.tell()
  }

  private func perform(_ apps: [AppName: RegisteredApp], _ cluster: AppCluster) async throws {
    setNames(Set(apps.keys))
    for name in try directory.names {
      let identity = directory.identity(of: name)
      guard let identity, identity != apps[name]?.identity, try cluster.registry.isGone(identity) else {
        continue
      }
      do {
        try await withClosed(name) { try directory.remove(name) }
      } catch AppError.busy {
        // Its requests take long: it is tried again.
        continue
      }
    }
    for app in apps.values.sorted(by: { $0.name.text < $1.name.text }) {
      guard directory.contains(app.name) else {
        try directory.makeMember(app)
        openAsMember(app.name)
        continue
      }
      guard directory.identity(of: app.name) == app.identity else {
        fail(app.name, "another app's folder has its name: \(directory.directory(of: app.name))")
        continue
      }
      let file = AppFile(in: directory.directory(of: app.name))
      let groups = GroupsDirectory(directory.directory(of: app.name))
      let declared = app.groups.map(\.group)
      if try file.contents() != app.settings || !groups.has(declared) {
        do {
          try await withClosed(app.name) {
            try file.write(app.settings)
            try groups.keep(declared, isGone: cluster.registry.isGone)
          }
        } catch AppError.busy {
          continue
        }
      }
      openAsMember(app.name)
    }
  }

  // Administration, on the node that leads

  func create(_ name: AppName, in cluster: AppCluster) async throws -> (AppSummary, key: String) {
    let apps = try cluster.registry.apps()
    guard apps[name] == nil else { throw AppError.exists }
    let limit = min(settings.mostApps, settings.openApps)
    guard apps.count < limit else { throw AppError.tooMany(limit: limit) }
    let (app, key) = RegisteredApp.make(name)
    guard try await cluster.registry.add(app) else { throw AppError.exists }
    await reconcile(in: cluster)
    // It is there, whatever comes; but who asks at once should be answered.
    if await waitForKey(of: app) {
      _ = try? await cluster.registry.change(name) { if $0.identity == app.identity { $0.hasBegun = true } }
    }
    return (summary(name), key)
  }

  private func waitForKey(of app: RegisteredApp) async -> Bool {
    for _ in 0..<500 {
      if openApp(app.name)?.database.access.keys.contains(where: { $0.id == app.firstKey.id }) == true {
        return true
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  func change(_ name: AppName, _ changes: Document, in cluster: AppCluster) async throws -> AppSummary {
    let contents = try AppFile(in: directory.directory(of: name)).contents(with: changes, over: settings)
    guard try await cluster.registry.change(name, { $0.settings = contents }) else { throw AppError.notFound }
    await reconcile(in: cluster)
    return summary(name)
  }

  func remove(_ name: AppName, in cluster: AppCluster) async throws {
    guard let identity = try await cluster.registry.remove(name) else { throw AppError.notFound }
    await reconcile(in: cluster)
    await cluster.node.removeLog(ofApp: identity)
  }
}

extension AppsDirectory {
  /// Returns the identity of an app of a cluster; nil: it is none.
  func identity(of name: AppName) -> String? { IdentityFile.identity(in: directory(of: name)) }

  /// Makes the folder of an app of a cluster, whose store comes from the log. Throws ``CommandError``.
  func makeMember(_ app: RegisteredApp) throws {
    try makeFolder()
    let draft = makeDraftName()
    guard mkdir(draft, PrivateFiles.directoryMode) == 0 else {
      throw CommandError.file(path: draft, action: .write, code: errno)
    }
    try IdentityFile.write(app.identity, in: draft)
    try AppFile(in: draft).write(app.settings)
    try FileTree(path: draft).synchronize()
    guard rename(draft, directory(of: app.name)) == 0 else {
      throw CommandError.file(path: directory(of: app.name), action: .write, code: errno)
    }
    try FileTree(path: self.path).synchronizeNames()
  }
}
