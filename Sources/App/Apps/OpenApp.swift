import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import GatehouseTelemetry
import Synchronization

/// An app's data directory, open and served.
final class OpenApp: Sendable {
  let name: AppName
  let database: Database
  /// The groups of its classes that are in stores of their own.
  let groups: [OpenGroup]
  private let watch: FileWatch
  /// Nil: the server is alone.
  private let member: AppMember?
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// Opens the data directory. Its functions and triggers run once ``begin()`` is called.
  init(
    _ name: AppName, settings: Settings, server: ServerParts, within main: Store,
    _ places: SubscriberPlaces.Pool, member: AppMember? = nil
  ) async throws {
    (self.name, self.member) = (name, member)
    let caller = Caller(app: name)
    var storeOptions = settings.storeOptions
    storeOptions.memoryShare = SharedBudget.Share(of: main.memory, for: caller)
    storeOptions.temporaryFilesShare = SharedBudget.Share(of: main.temporaryFiles, for: caller)
    var options = storeOptions
    if let member {
      options = member.node.storeOptions(options)
      try await member.node.takeCopy(isStopping: member.isStopping)
    }
    let declared = try GroupsDirectory(settings.data).groups()
    if !declared.isEmpty {
      options.classBounds = .except(declared.reduce(into: []) { $0.formUnion($1.classes) })
    }
    for finding in PrivateFiles.restrict(settings.data) { Output.warn(finding.text) }
    // The instruments of its own end with it; the process' have those of all apps.
    var own = server.ofApp(name.text)
    let store = try Store(directory: settings.data, options: options, metrics: own.metrics)
    var groups: [OpenGroup] = []
    do {
      if let member {
        member.node.start(store, metrics: own.metrics)
        try await member.node.join(isStopping: member.isStopping)
        // Before it has its first key, it would take nobody for its administrator.
        while !store.isLeading, try !AccessControl.hasFirstKey(store) {
          if member.isStopping() { throw CancellationError() }
          try await Task.sleep(for: .milliseconds(20))
        }
        own.cluster = member.node.access(contentLimit: settings.contentBytes)
      }
      groups = try await OpenApp.open(
        declared, of: (name, settings), options: storeOptions, server: server, member: member)
      database = try await Database(
        store, settings: settings, server: own, places: SubscriberPlaces(in: places, for: caller),
        groups: groups
      ) { _ in }
    } catch {
      for group in groups { await group.close() }
      await store.close()
      throw error
    }
    self.groups = groups
    database.users.use(domain: name.domain)
    for type in store.schema.objectTypes where !options.classBounds.allow(type.name) {
      Output.warn("the app \(name.text): nobody sees the objects of class \(type.name), which a group has")
    }
    watch = database.watch()
  }

  /// Opens the stores of groups, all at once: in a cluster each waits for its log.
  private static func open(
    _ groups: [AppGroup], of app: (name: AppName, settings: Settings), options: StoreOptions,
    server: ServerParts,
    member: AppMember?
  ) async throws -> [OpenGroup] {
    let results = await withTaskGroup(of: Result<OpenGroup, any Error>.self) { tasks in
      for store in groups.flatMap(\.stores) {
        tasks.addTask {
          await OpenApp.open(
            store, app.settings.settings(of: store), options: options,
            server: server.ofApp("\(app.name.text)/\(store.name)"), member: member)
        }
      }
      var results: [Result<OpenGroup, any Error>] = []
      for await result in tasks { results.append(result) }
      return results
    }
    do {
      let open: [OpenGroup] = try results.map { try $0.get() }
      return open.sorted {
        ($0.place.group.name.text, $0.place.shard ?? 0) < ($1.place.group.name.text, $1.place.shard ?? 0)
      }
    } catch {
      for result in results { if case .success(let group) = result { await group.close() } }
      throw error
    }
  }

  private static func open(
    _ place: GroupStore, _ settings: Settings, options: StoreOptions, server: ServerParts,
    member: AppMember?
  ) async -> Result<OpenGroup, any Error> {
    var node: ClusterNode?
    do {
      var isStopping: @Sendable () -> Bool = { false }
      if let member {
        isStopping = member.isStopping
        node = member.makeNode(place, settings)
        // The cluster has no such group any more: it is about to be removed here, too.
        guard node != nil else { throw CancellationError() }
      }
      let open = try await OpenGroup(
        place, settings: settings, options: options, server: server, node: node,
        isStopping: isStopping)
      return .success(open)
    } catch {
      node?.close()
      return .failure(error)
    }
  }

  /// Makes the gateway of an event loop.
  func makeGateway(loop: Int) throws -> Gateway { try database.makeGateway(loop: loop) }

  /// Begins what nobody asks for. The gateway of the first loop is there.
  func begin() async {
    await database.begin()
    tasks.withLock { tasks in
      precondition(tasks.isEmpty, "the app \(name.text) begins once")
      if let member {
        tasks.append(Task { [weak self] in if let self { await member.run(self) } })
        tasks.append(Task { await member.node.leaveLeadOnFailure() })
      }
      for group in groups {
        guard let node = group.node else { continue }
        let place = group.place
        tasks.append(Task { [weak self] in if let self { await member?.run(place, node, of: self) } })
        tasks.append(Task { await node.leaveLeadOnFailure() })
      }
      tasks.append(Task { [database] in await database.keepUp() })
      tasks.append(Task { [watch] in await watch.run() })
    }
  }

  /// Takes the files anew, changed or not.
  func reload() async { await watch.reload() }

  /// Returns the work that it has beside requests.
  func outlook() async -> Outlook { await database.outlook() }

  /// Ends the triggers, when the calls that they wait for have ended, and what else nobody asks for.
  func retire() async {
    await member?.node.resign()
    for group in groups { await group.node?.resign() }
    let tasks = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    await database.endTriggers()
    database.forgetGateway()
  }

  /// Ends the rest, once no loop has a gateway of it, and lets others have the data directory.
  func close() async {
    database.endFunctions()
    for group in groups { await group.close() }
    await database.store.close()
    member?.node.close()
  }
}

extension Caller {
  /// An app as one caller of what all apps share.
  init(app name: AppName) {
    self.init(address: name.domain.high, principal: "app \(name.text)")
  }
}
