import HTTP

extension Settings {
  /// What requests may be addressed to.
  var hostPolicy: HostPolicy {
    switch hosts {
    case .any: HostPolicy(.any)
    case .names(let names): HostPolicy(allowRemoteWithoutAccessControl ? .direct : .loopback, names: names)
    }
  }

  /// Which web pages may use the server; nil: none of another origin.
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
