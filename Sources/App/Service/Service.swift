import GatehouseAPI
import GatehouseHTTP
import GatehouseServer
import GatehouseTelemetry

/// A running server: `serve` starts it, reports it to the service manager, reloads and stops it.
struct Service {
  private let settings: Settings
  private let activation: Activation
  private let parts: ServerParts
  private let database: Database
  private let apps: Apps
  /// Nil: the server is alone.
  private let node: ClusterNode?
  private let server: HTTPServer

  init(
    _ settings: Settings, activation: Activation, database: Database, apps: Apps, parts: ServerParts,
    node: ClusterNode?
  ) {
    (self.settings, self.activation, self.parts, self.node) = (settings, activation, parts, node)
    (self.database, self.apps) = (database, apps)
    var configuration = settings.serverConfiguration(activation.sockets)
    configuration.metrics = parts.metrics
    configuration.spans = parts.instrumentation.spans
    if let log = parts.log { configuration.log = { log.write($0) } }
    server = HTTPServer(configuration: configuration) { loop in
      let router = AppRouter(
        try database.makeGateway(loop: loop, apps: apps.administrator), apps, loop: loop)
      apps.add(router)
      return router
    }
  }

  /// The addresses at which the service listens once it has started.
  var listeners: [Listener] {
    let secure =
      activation.sockets.isEmpty
      ? settings.listen.map { _ in false } + settings.tlsListen.map { _ in true }
      : activation.sockets.map(\.isSecure)
    return zip(server.boundAddresses, secure).map { Listener(address: $0, isSecure: $1) }
  }

  func start() throws {
    if let fitting = FileLimit.raise(
      for: settings.connections, apps: settings.openApps, groupStores: apps.groupStoreCount,
      atMost: settings.groupStores)
    {
      Output.warn(
        """
        limits.connections is \(settings.connections), but the system lets this process have no more than \
        \(fitting) connections open at once (ulimit -n, or LimitNOFILE= of its unit)
        """)
    }
    do { try database.checkFunctions() } catch {
      Output.warn("no function can be called: \(FailureText.of(error))")
    }
    try server.start()
  }

  /// Obeys signals until one of them stops the server. `signals` has been listening since before the start. Throws ``ClusterFailure`` where
  /// the server had to stop because it is no node of its cluster any more.
  func run(_ signals: ServiceSignals) async throws(ClusterFailure) {
    activation.notify("READY=1")
    let (exporter, files) = (parts.instrumentation.exporter, database.watch(with: AppNames(apps: apps)))
    let openings = Task { [apps] in await apps.run() }
    let work = Task { [database] in await database.keepUp() }
    let watch = Task { await files.run() }
    let traces = Task { await exporter?.run() }
    let changes = Task { await follow(signals) }
    let lead = Task { [node] in await node?.leaveLeadOnFailure() }
    defer {
      lead.cancel()
      changes.cancel()
      traces.cancel()
      work.cancel()
      openings.cancel()
      watch.cancel()
    }
    for await request in signals.requests {
      switch request {
      case .reload:
        reload()
        await files.reload()
        await apps.reload()
      case .stop:
        Output.standard.tell("Stopping.\n")
        openings.cancel()
        await stop()
        traces.cancel()
        await traces.value
        await exporter?.finish()
        if let node { try node.checkStopped() }
        return
      }
    }
  }

  /// Has the database do what is for the node of a cluster that leads, as long as this one does.
  private func follow(_ signals: ServiceSignals) async {
    guard let node else { return }
    for await change in node.changes {
      switch change {
      case .leads: await database.lead()
      case .follows: await database.follow()
      case .stopped: signals.stop()
      }
    }
  }

  /// Reads the files again that may change while the server runs. One with an error changes nothing and is reported.
  private func reload() {
    activation.notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1_000)")
    do { try parts.log?.reopen() } catch { Output.warn("\(FailureText.of(error)); the old one stays") }
    do {
      try server.reloadCertificate()
    } catch {
      Output.warn("\(FailureText.of(error)) The old certificate stays.")
    }
    activation.notify("READY=1")
  }

  private func stop() async {
    parts.readiness.stop()
    activation.notify("STOPPING=1")
    // Another node leads while this one still answers.
    async let others: Void = apps.resign()
    await node?.resign()
    await others
    if settings.drainSeconds > 0 { try? await Task.sleep(for: .seconds(settings.drainSeconds)) }
    await database.endTriggers()
    await apps.retire()
    await server.shutdown(deadline: .seconds(settings.shutdownSeconds))
    await apps.close()
    database.endFunctions()
    parts.log?.finish()
  }
}

/// An address at which a service listens.
struct Listener: Hashable, Sendable {
  let address: SocketAddress
  var isSecure = false
}
