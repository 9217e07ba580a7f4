import GatehouseAPI
import GatehouseAudit
import GatehouseFeeds
import GatehouseFunctions
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTriggers

/// A store of a group of an app's classes, open.
final class OpenGroup: Sendable {
  let place: GroupStore
  let store: Store
  private let settings: Settings
  private let server: ServerParts
  /// Nil: the server is alone.
  let node: ClusterNode?

  /// Opens the data directory.
  ///
  /// - Parameters:
  ///   - settings: The app's, but for the data directory.
  ///   - options: The app's.
  ///   - server: The parts of the server, with instruments of the group's own.
  ///   - node: The group's part in a cluster; nil: the server is alone.
  init(
    _ place: GroupStore, settings: Settings, options: StoreOptions, server: ServerParts,
    node: ClusterNode?, isStopping: @Sendable () -> Bool
  ) async throws {
    (self.place, self.settings, self.node) = (place, settings, node)
    var (options, server) = (options, server)
    place.bound(&options)
    if let node {
      options = node.storeOptions(options)
      try await node.takeCopy(isStopping: isStopping)
    } else {
      // It has had a file since it was made: an empty store in its place would hide the loss.
      try InputFile.requirePresence(of: "\(settings.data)/\(BackupEntry.store)")
    }
    for finding in PrivateFiles.restrict(settings.data) { Output.warn(finding.text) }
    store = try Store(directory: settings.data, options: options, metrics: server.metrics)
    guard let node else {
      self.server = server
      return
    }
    node.start(store, metrics: server.metrics)
    server.cluster = node.access(contentLimit: settings.contentBytes)
    self.server = server
    do { try await node.join(isStopping: isStopping) } catch {
      await store.close()
      throw error
    }
  }

  /// Returns what the app's gateways serve the group with.
  func part(
    _ functions: FunctionHost, _ places: SubscriberPlaces?, actions: TriggerActions
  ) throws -> GroupPart {
    var feedOptions = settings.feedOptions
    feedOptions.places = places
    let recorder = settings.recorder(of: store, functions) { [write = server.write] in write?($0.line) }
    server.metrics.read(
      "gatehouse_version", help: "The version of the last commit, where the change log ends."
    ) { [store] in Double(store.version) }
    let maintenance = try Maintenance.ofServer(settings, store)
    var gateway = GatewayGroup(
      place.group.classGroup, store,
      broker: EventBroker(store, options: feedOptions, metrics: server.metrics))
    gateway.shard = place.shard
    (gateway.recorder, gateway.metrics) = (recorder, server.metrics)
    (gateway.maintenance, gateway.cluster) = (maintenance, server.cluster)
    var actions = actions
    actions.shard = place.shard
    let triggers = TriggerRunner(store, metrics: server.metrics, actions)
    gateway.triggers = triggers
    return GroupPart(
      place: place, gateway: gateway, store: store, triggers: triggers, recorder: recorder,
      maintenance: maintenance, settings: settings)
  }

  /// Lets others have the data directory, once no loop has a gateway of the app.
  func close() async {
    await store.close()
    node?.close()
  }
}

/// A group of classes as a database serves it.
struct GroupPart: Sendable {
  let place: GroupStore
  let gateway: GatewayGroup
  let store: Store
  /// Runs the triggers on its classes, at the node that leads the group.
  let triggers: TriggerRunner
  fileprivate let recorder: Recorder?
  fileprivate let maintenance: Maintenance
  fileprivate let settings: Settings

  /// Whether there is something that would be forgotten if it were closed, or is not done yet.
  var isBusy: Bool {
    store.isFrozen || recorder?.hasScopes == true || maintenance.isRunning || !store.isSettled
  }

  /// Does the work that nobody asks for, until the task is cancelled.
  func keepUp() async { await Upkeep(users: nil, recorder: recorder, settings: settings).run() }
}
