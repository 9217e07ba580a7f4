import GatehouseAPI
import GatehouseAccess
import GatehouseHTTP

extension Settings {
  /// Refuses settings of a server that do not go together. Throws ``CommandError``.
  func requireAgreement() throws {
    if !adminKey.isEmpty, administratorKey == nil {
      throw CommandError.invalidValue(
        name: "adminKey", text: "a shorter one", expected: "at least \(AdminKey.leastLength) characters")
    }
    guard hostingFallback.isEmpty || !hosting.isEmpty else {
      throw CommandError.invalidValue(
        name: "hosting.fallback", text: hostingFallback, expected: "nothing where there is no hosting")
    }
    if !tracesEndpoint.isEmpty { _ = try TraceEndpoint(tracesEndpoint, headers: tracesHeaders) }
    if !mailServer.isEmpty {
      guard ["smtp://", "smtps://"].contains(where: mailServer.hasPrefix) else {
        throw CommandError.invalidValue(
          name: "mail.server", text: mailServer, expected: "a URL such as smtp://mail.example.org:587")
      }
      guard EmailAddress.isValid(mailSender) else {
        throw CommandError.invalidValue(
          name: "mail.from", text: mailSender, expected: "an address where mail.server is set")
      }
    }
    // The Fetch standard, §3.2.5: browsers refuse the two together.
    guard !corsCredentials || corsOrigins != .any else {
      throw CommandError.invalidValue(
        name: "cors.origins", text: "any", expected: "a list of origins where cors.credentials is true")
    }
    guard tlsCertificate.isEmpty == tlsKey.isEmpty else {
      throw CommandError.invalidValue(
        name: tlsKey.isEmpty ? "tls.key" : "tls.certificate", text: "",
        expected: "the path of a file")
    }
  }

  /// The operator's key; nil if there is none.
  var administratorKey: AdminKey? { AdminKey(adminKey) }

  /// The most users.
  var userLimits: Users.Limits {
    var limits = Users.Limits()
    limits.anonymous = anonymousUsers
    limits.newPerAddress = newUsersPerAddress
    limits.anonymousDays = anonymousDays
    return limits
  }

  /// Returns the hosts that requests may be addressed to. A page that has its name resolve here has no credential:
  /// where one is needed, names do not matter.
  func hostPolicy(isGuarded: Bool) -> HostPolicy {
    if isGuarded { return HostPolicy(.any) }
    return openHostPolicy
  }

  private var openHostPolicy: HostPolicy {
    switch hosts {
    case .any: HostPolicy(.any)
    case .names(let names): HostPolicy(.loopback, names: names)
    }
  }

  /// Returns the rules for web pages of other origins; nil if none may use the server.
  var corsPolicy: CORSPolicy? {
    let origins: CORSPolicy.Origins
    switch corsOrigins {
    case .none: return nil
    case .any: origins = .any
    case .these(let list): origins = .these(list)
    }
    return CORSPolicy(origins: origins, allowsCredentials: corsCredentials, maximumAge: corsMaxAgeSeconds)
  }
}
