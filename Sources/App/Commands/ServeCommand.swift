import GatehouseAPI
import GatehouseServer
import GatehouseStorage
import GatehouseTelemetry

/// `gatehouse serve`.
struct ServeCommand: Command {
  static let synopsis = Synopsis(
    "serve", summary: "Serves the data directory over HTTP, until it is told to stop.",
    options: [
      Synopsis.Option(
        name: "--dev", value: nil,
        help: """
          For development: listens on loopback only, and the first objects that are sent to a class make it, with types that \
          fit them.
          """)
    ],
    settings: .all,
    details: """
      SIGTERM and SIGINT (Ctrl-C) stop it: requests that are being answered are finished first; a second one \
      cuts them off. SIGHUP has it read the certificate again and open the access log anew. A service manager that \
      speaks systemd's protocol (LISTEN_FDS, NOTIFY_SOCKET) is understood. What changes below auth, functions, http_endpoints, triggers, values \
      and environments of the data directory, in its schema.json and in the file of settings is taken while it runs; settings that \
      need another start are named then.
      """)

  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    var settings = settings
    settings.isDevelopment = try arguments.isSet("--dev")
    self.settings = settings
    try settings.requireAgreement()
  }

  /// Refuses addresses beyond loopback where no key is needed: everybody who can reach such a server can do anything
  /// with it.
  private func check(_ addresses: [SocketAddress], isGuarded: Bool) throws {
    for address in addresses where !address.isLoopback {
      if settings.isDevelopment { throw CommandError.remoteDevelopment(address: address.description) }
      if isGuarded { continue }
      throw CommandError.remoteWithoutAccessControl(address: address.description)
    }
  }

  func run() async throws {
    AllocatorPolicy.apply()
    settings.scheduling.apply()
    let signals = try ServiceSignals()
    let activation = Activation.fromEnvironment()
    let loops = settings.serverConfiguration([]).effectiveLoopCount
    let metrics = Registry(shardCount: loops)
    let instrumentation = try Instrumentation(
      settings, metrics: metrics, version: ProductVersion.text, warn: { Output.warn($0) })
    ProcessMetrics.register(in: metrics, version: ProductVersion.text)
    let node = try ClusterNode.of(settings)
    if node != nil {
      let directory = AppsDirectory(settings.data)
      if try directory.names.contains(where: { directory.identity(of: $0) == nil }) {
        throw ClusterFailure.hasApps
      }
    }
    defer { node?.close() }
    // Nobody is served yet.
    do { try await node?.takeCopy { signals.isStopping } } catch is CancellationError { return }
    let options = node?.storeOptions(settings.storeOptions) ?? settings.storeOptions
    try await Store.with(settings.data, options: options, metrics: metrics) { store in
      var parts = ServerParts(
        instrumentation: instrumentation, log: try AccessLog(settings.accessLog, metrics: metrics),
        loops: loops)
      if let node {
        node.start(store, metrics: metrics)
        do { try await node.join { signals.isStopping } } catch is CancellationError { return }
        parts.cluster = node.access(contentLimit: settings.contentBytes)
      }
      let addresses =
        activation.sockets.isEmpty
        ? settings.listen + settings.tlsListen : activation.sockets.compactMap(\.address)
      let database = try await Database(store, settings: settings, server: parts) {
        try check(addresses, isGuarded: $0)
      }
      let cluster = node.map { AppCluster($0, store: store) }
      let apps = try Apps(settings, parts, main: store, cluster: cluster)
      let service = Service(
        settings, activation: activation, database: database, apps: apps, parts: parts, node: node)
      await database.begin()
      try service.start()
      precondition(
        database.access.isGuarded || service.listeners.allSatisfy(\.address.isLoopback),
        "without a key, nothing listens beyond the loopback addresses")
      let counts = try store.makeReader().counts()
      let screen = FirstScreen(listeners: service.listeners, schema: store.schema, counts: counts)
      Output.standard.write(screen.text)
      try await service.run(signals)
    }
  }
}
