import GatehouseAPI
import GatehouseAccess
import GatehouseServer
import GatehouseStorage
import GatehouseTelemetry

/// `gatehouse serve`.
struct ServeCommand: Command {
  static let synopsis = Synopsis(
    "serve", summary: "Serves the data directory over HTTP, until it is told to stop.", settings: .all,
    details: """
      SIGTERM and SIGINT (Ctrl-C) stop it: requests that are being answered are finished first; a second one \
      cuts them off. SIGHUP has it read the certificate again and open the access log anew. A service manager that \
      speaks systemd's protocol (LISTEN_FDS, NOTIFY_SOCKET) is understood.
      """)

  let settings: Settings

  init(_ arguments: Arguments, settings: Settings) throws {
    self.settings = settings
    if !settings.adminKey.isEmpty, settings.administratorKey == nil {
      throw CommandError.invalidValue(
        name: "adminKey", text: "a shorter one", expected: "at least \(AdminKey.leastLength) characters")
    }
    // The Fetch standard, §3.2.5: browsers refuse the two together.
    guard !settings.corsCredentials || settings.corsOrigins != .any else {
      throw CommandError.invalidValue(
        name: "cors.origins", text: "any", expected: "a list of origins where cors.credentials is true")
    }
    guard settings.tlsCertificate.isEmpty == settings.tlsKey.isEmpty else {
      throw CommandError.invalidValue(
        name: settings.tlsKey.isEmpty ? "tls.key" : "tls.certificate", text: "",
        expected: "the path of a file")
    }
  }

  /// Refuses addresses beyond loopback where no key is needed: everybody who can reach such a server can do anything
  /// with it.
  private func check(_ addresses: [SocketAddress], isGuarded: Bool) throws {
    if isGuarded { return }
    for address in addresses where !address.isLoopback {
      throw CommandError.remoteWithoutAccessControl(address: address.description)
    }
  }

  func run() async throws {
    AllocatorPolicy.apply()
    settings.scheduling.apply()
    let signals = try ServiceSignals()
    let activation = Activation.fromEnvironment()
    let metrics = Registry(shardCount: settings.serverConfiguration([]).effectiveLoopCount)
    try await Store.with(settings.data, options: settings.storeOptions, metrics: metrics) { store in
      let access = try AccessControl(store, adminKey: settings.administratorKey)
      let addresses =
        activation.sockets.isEmpty
        ? settings.listen + settings.tlsListen : activation.sockets.compactMap(\.address)
      try check(addresses, isGuarded: access.isGuarded)
      let providers = try AuthFolder(settings.data).providers ?? (access.isGuarded ? .none : .open)
      let loops = settings.serverConfiguration([]).effectiveLoopCount
      let users = try await Users(
        store, providers: providers, limits: settings.userLimits, hashers: max(2, min(8, loops / 2)))
      let service = try Service(
        settings, activation: activation, store: store, access: access, users: users, metrics: metrics)
      try service.start()
      let counts = try store.makeReader().counts()
      let screen = FirstScreen(listeners: service.listeners, schema: store.schema, counts: counts)
      Output.standard.write(screen.text)
      await service.run(signals)
    }
  }
}
