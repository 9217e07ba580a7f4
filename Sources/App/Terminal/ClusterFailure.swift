import GatehouseCluster

/// Why a server is no node of a cluster, or is none any more.
enum ClusterFailure: Error, Hashable, Sendable {
  /// The setting `cluster` is none.
  case location(LogLocationError)
  /// The file that it names is none of NATS' credentials.
  case credentials(path: String)
  /// Nobody has said where other nodes reach this one.
  case noAddress
  /// There are apps that have no log.
  case hasApps
  case stopped(StopReason)
  /// Nobody answers there.
  case unanswered(url: String)
  /// No node of a cluster answers there, or the key is none of an administrator's.
  case refused(url: String, status: Int)
  case noLeader
  /// Other nodes have come first each time.
  case notMoved
  /// The node has not given a copy of its store.
  case noCopy(node: String)
  /// The node has made no digest of its store.
  case noDigest(url: String)
  /// Nodes have parted: their stores are not the same at one place of the log.
  case storesDiffer
  /// The data directory is none of a node's.
  case noMember(directory: String)
  /// The store has another version than the one that was named.
  case otherVersion(found: Int64)
  /// The log that is to begin has entries.
  case usedLog
  /// The servers of the log do not say whether it has entries.
  case silentLog

  var text: String {
    switch self {
    case .location(let error): error.text
    case .credentials(let path): "\(path) is no file of credentials of NATS"
    case .noAddress:
      "clusterAddress must say where the other nodes reach this one, such as n1.example.org:8080"
    case .hasApps:
      "there are apps in the data directory that were made by a server alone: export them, and import them into apps that the cluster makes"
    case .unanswered(let url): "nobody answers at \(url)"
    case .refused(let url, 401), .refused(let url, 403):
      "\(url) does not take the key: set GATEHOUSE_ADMIN_KEY to one of an administrator"
    case .refused(let url, let status): "there is no node of a cluster at \(url) (\(status))"
    case .noLeader: "no node leads, as far as this one knows"
    case .notMoved: "other nodes have come first: look at gatehouse cluster status, and try again"
    case .noCopy(let node): "\(node) has given no copy of its store"
    case .noDigest(let url): "\(url) has made no digest of its store: look whether it is late, and try again"
    case .storesDiffer: "the nodes have parted: their stores are not the same at one place of the log"
    case .noMember(let directory): "\(directory) holds no store of a cluster's node"
    case .otherVersion(let found): "the store has version \(found)"
    case .usedLog:
      "the log that cluster names has entries: name another one, such as nats://n1,n2,n3/second, or remove it from its servers"
    case .silentLog: "the servers of the log that cluster names do not say whether it has entries"
    case .stopped(let reason): "this node takes no part in the cluster any more. \(reason)"
    }
  }
}

extension LogLocationError {
  fileprivate var text: String {
    switch self {
    case .unknownScheme: "cluster must begin with nats://, tls://, etcd:// or etcds://"
    case .malformedHost(let host): "“\(host)” in cluster is no host"
    case .malformedName: "the name of a log in cluster has 1 to 64 letters, digits, - and _"
    case .unknownParameter(let name): "cluster has no parameter “\(name)”"
    case .malformedParameter(let name): "the parameter “\(name)” of cluster cannot have that value"
    }
  }
}
