import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseSharing
import GatehouseStorage
import GatehouseTelemetry
import Synchronization

/// An app's data directory, open and served.
final class OpenApp: Sendable {
  let name: AppName
  let database: Database
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
    var options = settings.storeOptions
    let caller = Caller(app: name)
    options.memoryShare = SharedBudget.Share(of: main.memory, for: caller)
    options.temporaryFilesShare = SharedBudget.Share(of: main.temporaryFiles, for: caller)
    if let member {
      options = member.node.storeOptions(options)
      try await member.node.takeCopy(isStopping: member.isStopping)
    }
    for finding in PrivateFiles.restrict(settings.data) { Output.warn(finding.text) }
    // The instruments of its own end with it; the process' have those of all apps.
    var own = server.ofApp()
    let store = try Store(directory: settings.data, options: options, metrics: own.metrics)
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
      database = try await Database(
        store, settings: settings, server: own, places: SubscriberPlaces(in: places, for: caller)
      ) { _ in }
    } catch {
      await store.close()
      throw error
    }
    database.users.use(domain: name.domain)
    watch = database.watch()
  }

  /// Makes the gateway of an event loop.
  func makeGateway(loop: Int) throws -> Gateway { try database.makeGateway(loop: loop) }

  /// Begins what nobody asks for. The gateway of the first loop is there.
  func begin() async {
    await database.begin()
    tasks.withLock { tasks in
      if let member {
        tasks.append(Task { [weak self] in if let self { await member.run(self) } })
        tasks.append(Task { await member.node.leaveLeadOnFailure() })
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
