import GatehouseAPI
import GatehouseAccess
import GatehouseHTTP

extension Settings {
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
