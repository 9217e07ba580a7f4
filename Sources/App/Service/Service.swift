import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseOutbound
import GatehouseServer
import GatehouseSharing
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTriggers
import Synchronization

/// A running server: `serve` starts it, reports it to the service manager, reloads and stops it.
struct Service {
  private let settings: Settings
  private let activation: Activation
  private let metrics: Registry
  private let log: AccessLog?
  private let readiness: Readiness
  private let functions: FunctionHost
  private let server: HTTPServer
  private let recorder: Recorder?
  private let users: Users
  private let policies: SharedPolicies
  private let current: CurrentSettings
  private let slowQueries: @Sendable (Int) -> SlowQueryLog
  /// Nil: nobody is told of traces.
  private let exporter: TraceExporter?
  private let triggers: TriggerRunner
  private let endpoints = HTTPEndpoints()

  init(
    _ settings: Settings, activation: Activation, store: Store, access: AccessControl, users: Users,
    instrumentation: Instrumentation
  ) throws {
    self.settings = settings
    self.activation = activation
    let metrics = instrumentation.metrics
    self.metrics = metrics
    let log = try AccessLog(settings.accessLog, metrics: metrics)
    self.log = log
    var configuration = settings.serverConfiguration(activation.sockets)
    configuration.metrics = metrics
    configuration.spans = instrumentation.spans
    exporter = instrumentation.exporter
    if let log { configuration.log = { log.write($0) } }
    let readiness = Readiness()
    self.readiness = readiness
    let broker = try EventBroker(store, options: settings.feedOptions, metrics: metrics)
    let functions = FunctionHost(
      settings.functionConfiguration(log: log, metrics: metrics, memory: store.memory))
    self.functions = functions
    let recorder = settings.recorder(of: store, functions) { log?.write($0.line) }
    self.recorder = recorder
    self.users = users
    // Without a log, a failure's cause would be known to nobody.
    let report: @Sendable ([UInt8]) -> Void =
      if let log { { log.write($0) } } else { { Output.error.tell($0) } }
    var options = settings.gatewayOptions
    let recent = RecentSlowQueries()
    let slowQueries: @Sendable (Int) -> SlowQueryLog = {
      SlowQueryLog(
        beyond: $0, spans: instrumentation.spans, metrics: metrics, recent: recent, report)
    }
    self.slowQueries = slowQueries
    let policies = SharedPolicies(settings.policies(isGuarded: access.isGuarded, rates: nil, slowQueries))
    self.policies = policies
    options.policies = policies
    options.readiness = readiness
    options.metrics = metrics
    options.broker = broker
    options.functions = functions
    options.access = access
    options.users = users
    options.recorder = recorder
    options.report = report
    options.spans = instrumentation.spans
    options.infersClasses = settings.isDevelopment
    options.site = try settings.site
    let current = CurrentSettings(settings)
    self.current = current
    options.settings = { current.all() }
    options.maintenance = try Maintenance.ofServer(settings, store)
    options.sourceName = settings.dataSource
    let system = SystemGateway()
    let webhooks = WebhookSender(client: HTTPClient(.public(and: settings.outboundRanges.ranges)))
    let triggers = TriggerRunner(
      store, logins: users.events, metrics: metrics,
      TriggerActions(send: { await webhooks.send($0, $1, id: $2) }) {
        (invocation) async throws(FunctionError) in
        try await system.call(invocation)
      })
    self.triggers = triggers
    options.triggers = triggers
    options.endpoints = endpoints
    server = HTTPServer(configuration: configuration) { [options] loop in
      let gateway = try Gateway(store: store, options: options)
      if loop == 0 { system.use(gateway) }
      return gateway
    }
    metrics.read("gatehouse_version", help: "The version of the last commit, where the change log ends.") {
      Double(store.version)
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
    if let fitting = FileLimit.raise(for: settings.connections) {
      Service.warn(
        """
        limits.connections is \(settings.connections), but the system lets this process have no more than \
        \(fitting) connections open at once (ulimit -n, or LimitNOFILE= of its unit)
        """)
    }
    do { _ = try functions.functions() } catch {
      Service.warn("no function can be called: \(FailureText.of(error))")
    }
    try server.start()
  }

  /// The file of settings, which the service takes up while it runs.
  func settingsFile(of sources: SettingsSources, isGuarded: Bool) -> SettingsFile {
    SettingsFile(settings, from: sources, for: policies, noting: current) { [slowQueries] settings, rates in
      settings.policies(isGuarded: isGuarded, rates: rates, slowQueries)
    }
  }

  /// The files of triggers, which run from the first time that they are taken.
  func triggerFiles(in dataDirectory: String) -> AppFiles<[Trigger]> {
    AppFiles(triggersIn: dataDirectory, triggers)
  }

  /// The file of HTTPS endpoints.
  func endpointFiles(in dataDirectory: String) -> AppFiles<[HTTPEndpoint]> {
    AppFiles(endpointsIn: dataDirectory, endpoints)
  }

  /// Obeys signals until one of them stops the server. `signals` has been listening since before the start.
  func run(_ signals: ServiceSignals, _ files: FileWatch) async {
    activation.notify("READY=1")
    let upkeep = Upkeep(users: users, recorder: recorder, settings: settings)
    let work = Task { await upkeep.run() }
    let watch = Task { await files.run() }
    let traces = Task { await exporter?.run() }
    defer {
      traces.cancel()
      work.cancel()
      watch.cancel()
    }
    for await request in signals.requests {
      switch request {
      case .reload:
        reload()
        await files.reload()
      case .stop:
        Output.standard.tell("Stopping.\n")
        await stop()
        traces.cancel()
        await traces.value
        await exporter?.finish()
        return
      }
    }
  }

  /// Reads the files again that may change while the server runs. One with an error changes nothing and is reported.
  private func reload() {
    activation.notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1_000)")
    do { try log?.reopen() } catch { Service.warn("\(FailureText.of(error)); the old one stays") }
    do {
      try server.reloadCertificate()
    } catch {
      Service.warn("\(FailureText.of(error)) The old certificate stays.")
    }
    activation.notify("READY=1")
  }

  private func stop() async {
    readiness.stop()
    activation.notify("STOPPING=1")
    if settings.drainSeconds > 0 { try? await Task.sleep(for: .seconds(settings.drainSeconds)) }
    await triggers.close()
    await server.shutdown(deadline: .seconds(settings.shutdownSeconds))
    functions.close()
    log?.finish()
  }

  static func warn(_ text: String) {
    Output.error.tell("gatehouse: \(text)\n")
  }
}

/// Calls functions by the gateway of the first loop; what comes before that is there waits for it.
private final class SystemGateway: Sendable {
  private struct State {
    var gateway: Gateway?
    var waiting: [CheckedContinuation<Gateway, Never>] = []
  }

  private let state = Mutex(State())

  func use(_ gateway: Gateway) {
    let waiting = state.withLock { state in
      state.gateway = gateway
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: gateway) }
  }

  func call(_ invocation: Invocation) async throws(FunctionError) -> Value {
    try await current().call(invocation)
  }

  private func current() async -> Gateway {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.gateway == nil { state.waiting.append(continuation) }
        return state.gateway
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

/// An address at which a service listens.
struct Listener: Hashable, Sendable {
  let address: SocketAddress
  var isSecure = false
}

extension Settings {
  /// The options of the gateways, as far as they stay.
  fileprivate var gatewayOptions: GatewayOptions {
    var options = GatewayOptions()
    options.limits = RequestLimits(contentSize: contentBytes, streamSize: streamBytes)
    options.auditDetails = auditDetails.details
    options.compresses = compression
    return options
  }

  /// The web site beside the API; nil: there is none. Throws ``CommandError``.
  fileprivate var site: HostedSite? {
    get throws {
      guard !hosting.isEmpty else { return nil }
      let fallback = hostingFallback.split(separator: "/").map(String.init)
      return HostedSite(try HostedFolder(hosting, beside: data), fallback: fallback.isEmpty ? nil : fallback)
    }
  }

  /// Returns the policies that requests are held against; `isGuarded` is whether callers need a key, `rates` limits them as they have been limited
  /// until now, and `slowQueries` makes what notes queries beyond so many milliseconds.
  fileprivate func policies(
    isGuarded: Bool, rates: RateLimiter?, _ slowQueries: (Int) -> SlowQueryLog
  ) -> RequestPolicies {
    var policies = RequestPolicies()
    policies.hosts = hostPolicy(isGuarded: isGuarded)
    policies.cors = corsPolicy
    policies.conditionalWrites = requireIfMatch
    policies.durability = durability
    if requestsPerSecond > 0 {
      policies.rates =
        rates
        ?? RateLimiter(
          requestsPerSecond: requestsPerSecond, burst: requestBurst > 0 ? requestBurst : requestsPerSecond,
          now: MonotonicClock.now)
    }
    if slowQueryMilliseconds > 0 {
      policies.slowQueries = slowQueries(slowQueryMilliseconds)
    }
    return policies
  }
}
