import GatehouseAudit
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseServer
import GatehouseStorage
import GatehouseTelemetry

extension Settings {
  var storeOptions: StoreOptions {
    var options = Settings.plainStoreOptions
    if logDays > 0 { options.logAge = Int64(logDays) * 86_400 }
    if logMegabytes > 0 { options.logSize = Int64(logMegabytes) << 20 }
    options.sharedMemory = memoryMegabytes << 20
    if uploadMegabytes > 0 { options.temporaryFiles = uploadMegabytes << 20 }
    options.waitingReads = queuedQueries
    options.waitingWrites = queuedWrites
    if querySeconds > 0 { options.queryTime = UInt64(querySeconds) * 1_000_000_000 }
    if writeSeconds > 0 {
      options.writeTime = UInt64(writeSeconds) * 1_000_000_000
      options.writeWait = options.writeTime
    }
    if bulkObjects > 0 { options.bulkObjects = bulkObjects }
    options.objectSize = importOptions.objectSize
    options.reserveSize = max(0, reserveMegabytes) << 20
    return options
  }

  /// The options of commands that write objects: nobody waits for them, but the objects are to be read later.
  var importOptions: StoreOptions {
    var options = Settings.plainStoreOptions
    if objectBytes > 0 { options.objectSize = objectBytes }
    return options
  }

  /// The options of commands that only open the store: classes that nobody may write by any other way are guarded
  /// here too.
  static var plainStoreOptions: StoreOptions {
    var options = StoreOptions()
    options.appendOnlyClasses = [StoredEvent.className]
    return options
  }

  private var auditPolicy: Policy {
    switch audit {
    case .off: .off
    case .onDemand: Policy(always: auditAlways.kinds, events: auditEvents.kinds)
    }
  }

  /// Returns the recorder that these settings ask for; nil if auditing is off.
  func recorder(
    of store: Store, _ functions: FunctionHost,
    notice: @escaping @Sendable (Recorder.Notice) -> Void = { _ in }
  ) -> Recorder? {
    guard audit != .off else { return nil }
    return Recorder(
      store, policy: auditPolicy, options: recorderOptions, notice: notice,
      representation: functions.representation)
  }

  /// Returns the recording of a command, as far as the settings always record; nil if they record nothing of it.
  func recording(of store: Store, named name: String) async throws -> Recording? {
    let functions = FunctionHost(functionConfiguration(log: nil, metrics: Registry()))
    guard let recorder = recorder(of: store, functions) else { return nil }
    return try await Recording(recorder, named: name)
  }

  private var recorderOptions: Recorder.Options {
    var options = Recorder.Options()
    options.scopeLifetime = Int64(auditScopeSeconds)
    options.largestCustomEvent = auditEventBytes
    options.customEventsPerMinute = auditEventsPerMinute
    return options
  }

  var feedOptions: FeedOptions {
    var options = FeedOptions()
    options.subscribers = eventSubscribers
    options.subscribersPerClient = eventSubscribersPerAddress
    options.queueSize = eventQueueBytes
    options.heartbeat = UInt64(max(1, eventHeartbeatSeconds)) * 1_000_000_000
    options.lifetime = UInt64(max(0, eventLifetimeSeconds)) * 1_000_000_000
    return options
  }

  /// Makes the server's configuration. `sockets` are those of a service manager, which take the place of our own.
  func serverConfiguration(_ sockets: [Activation.Socket]) -> Configuration {
    var configuration = Configuration(addresses: sockets.isEmpty ? listen : [])
    configuration.cors = corsPolicy
    configuration.secureAddresses = sockets.isEmpty ? tlsListen : []
    configuration.sockets = sockets
    if !tlsCertificate.isEmpty {
      configuration.certificate = Certificate(chainFile: tlsCertificate, keyFile: tlsKey)
    }
    configuration.loopCount = eventLoops
    configuration.proxies = proxies
    configuration.takesProxyHeader = proxyProtocol
    configuration.connections = connections
    configuration.connectionsPerAddress = connectionsPerAddress
    configuration.tellsTiming = serverTiming
    configuration.limits = connectionLimits
    return configuration
  }

  private var connectionLimits: Limits {
    var limits = Limits()
    limits.requestLine = requestLineBytes
    limits.head = headBytes
    limits.fieldCount = fields
    // The gateway knows which contents are streams.
    limits.content = max(contentBytes, streamBytes)
    limits.headTime = .seconds(headSeconds)
    limits.idleTime = .seconds(idleSeconds)
    limits.progressTime = .seconds(progressSeconds)
    limits.minimumProgress = progressBytes
    limits.requestsPerConnection = requestsPerConnection
    limits.pipelinedRequests = pipelinedRequests
    limits.bufferedOutput = bufferedOutputBytes
    return limits
  }
}
