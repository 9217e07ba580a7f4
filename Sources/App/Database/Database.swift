import GatehouseAPI
import GatehouseAudit
import GatehouseFeeds
import GatehouseFunctions
import GatehouseOutbound
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTriggers

/// A data directory that a server serves, with everything that is its own: objects, keys and roles, users, functions, triggers,
/// events. What all databases of a process share is its ``ServerParts``.
final class Database: Sendable {
  let store: Store
  let access: AccessControl
  private let settings: Settings
  let users: Users
  private let functions: FunctionHost
  private let recorder: Recorder?
  private let triggers: AppTriggers
  /// The files of the triggers.
  private let triggerFiles: any WatchedFiles
  private let system = SystemGateway()
  private let options: GatewayOptions
  /// The groups of classes that are in stores of their own.
  private let groups: [GroupPart]
  /// Nil: no server takes mail.
  private let mailer: AccountMailer?
  /// The files that it is made of, in the order in which they are taken, and the state of each before it was.
  private let files: [(any WatchedFiles, FileStamp)]
  /// The files that are taken for the first time by ``begin()``.
  private let partFiles: [any WatchedFiles]

  /// Reads what the files of the data directory say beside the store. `admit` is told whether callers need a key, and throws where it
  /// is not to be served then; `places` are its part of event streams, `groups` the stores beside it. Nothing runs before ``begin()``.
  init(
    _ store: Store, settings: Settings, server: ServerParts, places: SubscriberPlaces? = nil,
    groups: [OpenGroup] = [],
    admit: (_ isGuarded: Bool) throws -> Void
  ) async throws {
    (self.store, self.settings) = (store, settings)
    precondition(
      Set(groups.map { ObjectIdentifier($0.store) }).count == groups.count
        && groups.allSatisfy { $0.store !== store }, "each group has a store of its own")
    let directory = settings.data
    let schema = SchemaFile(directory, settings.schemaApplication, for: store)
    let schemaStamp = schema.stamp
    try await schema.use()
    let access = try AccessControl(
      store, groups: groups.map(\.store), adminKey: settings.administratorKey)
    self.access = access
    try admit(access.isGuarded)
    let folder = AuthFolder(directory)
    let accessStamp = folder.stamp
    try await folder.applyRoles(to: access)
    let providers = try AccessFiles.providers(of: folder, isGuarded: access.isGuarded)
    let mailer = settings.mailer
    self.mailer = mailer
    let users = try await settings.users(of: store, providers, mailer)
    users.use(try folder.customData)
    self.users = users

    let functions = FunctionHost(
      settings.functionConfiguration(log: server.write, metrics: server.metrics, memory: store.memory))
    self.functions = functions
    let webhooks = WebhookSender(client: HTTPClient(.public(and: settings.outboundRanges.ranges)))
    let call: TriggerActions.Call = { [system] (invocation) async throws(FunctionError) in
      try await system.call(invocation)
    }
    let actions = TriggerActions(send: { await webhooks.send($0, $1, id: $2) }, call)
    let parts = try groups.map { try $0.part(functions, places, actions: actions) }
    self.groups = parts
    users.setStores(of: parts.map { ($0.place.group.classGroup, $0.store) })
    let recorder = settings.recorder(of: store, functions) { [write = server.write] in write?($0.line) }
    self.recorder = recorder
    let main = TriggerRunner(store, logins: users.events, metrics: server.metrics, actions)
    let triggers = AppTriggers(main, groups: parts.map { ($0.place.group.classGroup, $0.triggers) })
    self.triggers = triggers
    let triggerFiles = SerialFiles(AppFiles(triggersIn: directory, triggers))
    self.triggerFiles = triggerFiles
    let endpoints = HTTPEndpoints()
    let sources = DataSourceNames()

    let slowQueries = server.slowQueries()
    let policies = SharedPolicies(
      settings.policies(isGuarded: access.isGuarded, rates: nil, slowQueries))
    let current = CurrentSettings(settings)
    var options = settings.gatewayOptions
    options.policies = policies
    (options.readiness, options.marksEntityTags) = (server.readiness, server.areOfApp)
    options.cluster = server.cluster
    options.metrics = server.metrics
    var feedOptions = settings.feedOptions
    feedOptions.places = places
    options.broker = EventBroker(store, options: feedOptions, metrics: server.metrics)
    options.groups = parts.map(\.gateway)
    options.functions = functions
    options.access = access
    options.users = users
    options.recorder = recorder
    options.report = server.report
    options.spans = server.instrumentation.spans
    options.infersClasses = settings.isDevelopment
    options.site = try settings.site
    options.settings = { current.all() }
    options.maintenance = try Maintenance.ofServer(settings, store)
    options.sources = sources
    options.triggers = main
    options.endpoints = endpoints
    self.options = options

    var files: [(any WatchedFiles, FileStamp)] = [
      (SerialFiles(AccessFiles(folder: folder, access: access, users: users)), accessStamp),
      (SerialFiles(schema), schemaStamp),
    ]
    if let origin = settings.origin {
      let isGuarded = access.isGuarded
      let file = SettingsFile(settings, from: origin.sources, for: policies, noting: current) {
        $0.policies(isGuarded: isGuarded, rates: $1, slowQueries)
      }
      files.append((SerialFiles(file), origin.stamp))
    }
    let partFiles: [any WatchedFiles] = [
      triggerFiles, SerialFiles(AppFiles(endpointsIn: directory, endpoints)),
      SerialFiles(AppFiles(dataAPIIn: directory, endpoints)),
      SerialFiles(AppFiles(dataSourcesOf: settings, sources)),
    ]
    files += partFiles.map { ($0, $0.stamp) }
    (self.files, self.partFiles) = (files, partFiles)
    server.metrics.read(
      "gatehouse_version", help: "The version of the last commit, where the change log ends."
    ) { Double(store.version) }
  }

  /// Makes the gateway of an event loop. The functions that nobody asks for are called by that of the first.
  ///
  /// - Parameter apps: The databases beside this one; nil: there are none.
  func makeGateway(loop: Int, apps: AppAdministration? = nil) throws -> Gateway {
    var options = options
    options.apps = apps
    let gateway = try Gateway(store: store, options: options)
    if loop == 0 { system.use(gateway) }
    return gateway
  }

  /// Takes the names of the data source, the endpoints and the triggers, which run from then on: no login is to come before they watch.
  func begin() async {
    for files in partFiles.reversed() { await files.reload() }
  }

  /// Does what is one node's to do, once that leads: writes what the files say, and runs the triggers.
  func lead() async {
    do { try await users.lead() } catch { Output.warn("nobody can log in yet: \(FailureText.of(error))") }
    for (file, _) in files { await file.reload() }
  }

  /// Leaves that to another node.
  func follow() async { await triggers.main.close() }

  /// Runs the triggers on the classes of a group, once this node leads it.
  func leadGroup() async { await triggerFiles.reload() }

  /// Leaves them to another node.
  func followGroup(_ place: GroupStore) async {
    await groups.first { $0.place == place }?.triggers.close()
  }

  /// Returns the files, to be taken anew when they change, with others.
  func watch(with others: (any WatchedFiles)? = nil) -> FileWatch {
    FileWatch(files + (others.map { [($0, $0.stamp)] } ?? []))
  }

  /// The work that it has when nobody asks for any. What is only remembered, and would be forgotten if it were closed, is work.
  func outlook() async -> Outlook {
    let isBusy =
      !functions.isIdle || access.remembersCallers || users.remembersAttempts || store.isFrozen
      || recorder?.hasScopes == true || options.maintenance.isRunning || mailer?.isIdle == false
      || !store.isSettled || groups.contains(where: \.isBusy)
    let (areIdle, next) = await triggers.outlook()
    return isBusy || !areIdle ? .busy : .idle(until: next)
  }

  /// Forgets the gateway that calls functions which nobody asks for.
  func forgetGateway() { system.forget() }

  /// Does the work that nobody asks for, until the task is cancelled.
  func keepUp() async {
    await withTaskGroup { tasks in
      for group in groups { tasks.addTask { await group.keepUp() } }
      await Upkeep(users: users, recorder: recorder, settings: settings).run()
    }
  }

  /// Reads the functions. Throws where none can be called.
  func checkFunctions() throws { _ = try functions.functions() }

  /// Ends the triggers, when the calls that they wait for have ended.
  func endTriggers() async { await triggers.close() }

  /// Ends the functions' workers.
  func endFunctions() { functions.close() }
}
