import API
import Functions
import HTTP
import Server
import Storage

/// `gatehouse serve`.
struct ServeCommand: Command {
  static let synopsis = Synopsis(
    "serve", summary: "Serves the data directory over HTTP, until it is told to stop.", settings: .all,
    details: """
      SIGTERM and SIGINT (Ctrl-C) stop it: requests that are being answered are finished first; a second one \
      cuts them off.
      """)

  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    guard settings.listen.isLoopback || settings.allowRemoteWithoutAccessControl else {
      throw CommandError.remoteWithoutAccessControl(address: settings.listen.description)
    }
    // The Fetch standard, §3.2.5: browsers refuse the two together.
    guard !settings.corsCredentials || settings.corsOrigins != .any else {
      throw CommandError.invalidValue(
        name: "cors.origins", text: "any", expected: "a list of origins where cors.credentials is true")
    }
    self.settings = settings
  }

  func run() async throws {
    let stop = StopSignal()
    try await Store.with(settings.data, options: settings.storeOptions) { store in
      let limits = Gateway.Limits(contentSize: settings.contentBytes, streamSize: settings.streamBytes)
      let functions = FunctionHost(settings.functionConfiguration)
      defer { functions.close() }
      let server = HTTPServer(configuration: settings.serverConfiguration) { _ in
        try Gateway(
          store: store, limits: limits, conditionalWrites: settings.requireIfMatch,
          hosts: settings.hostPolicy, cors: settings.corsPolicy, functions: functions)
      }
      try server.start()
      let address = server.boundAddress ?? settings.listen
      let counts = try store.makeReader().counts()
      Output.standard.write(FirstScreen(address: address, schema: store.schema, counts: counts).text)
      await stop.wait()
      Output.standard.write("Stopping.\n")
      await server.shutdown(deadline: .seconds(settings.shutdownSeconds))
    }
  }
}

extension Settings {
  fileprivate var storeOptions: StoreOptions {
    var options = StoreOptions()
    if logDays > 0 { options.logAge = Int64(logDays) * 86_400 }
    if logMegabytes > 0 { options.logSize = Int64(logMegabytes) << 20 }
    if querySeconds > 0 { options.queryTime = UInt64(querySeconds) * 1_000_000_000 }
    return options
  }

  fileprivate var functionConfiguration: FunctionHost.Configuration {
    var configuration = FunctionHost.Configuration()
    configuration.directory = functionsDirectory.isEmpty ? "\(data)/functions" : functionsDirectory
    configuration.node = functionsNode
    configuration.workers = max(1, functionsWorkers)
    configuration.queue = functionsQueue
    configuration.timeLimit = max(1, functionsSeconds)
    configuration.memoryLimit = max(16, functionsMegabytes)
    configuration.resultSize = functionsResultBytes
    configuration.environment = functionsEnvironment
    if functionsLog { configuration.log = { try? Output.error.write($0) } }
    return configuration
  }

  fileprivate var serverConfiguration: Configuration {
    var configuration = Configuration(addresses: [listen])
    configuration.loopCount = eventLoops
    configuration.connections = connections
    configuration.connectionsPerAddress = connectionsPerAddress
    // The gateway knows which contents are streams.
    configuration.limits.content = max(contentBytes, streamBytes)
    configuration.limits.idleTime = .seconds(idleSeconds)
    return configuration
  }
}
