/// An app of a cluster, as far as its node has to know it.
struct ClusterApp: Sendable {
  /// The name; `shop/archive` for a group of an app's classes, `shop/archive/0` for a shard of one.
  let name: String
  /// Letters and digits that name its log.
  let identity: String
  /// Whether the log has had entries: one that is empty has lost them.
  let hasBegun: Bool
  /// Told why its store cannot be opened, again and again for as long as that is so.
  let cannotOpen: @Sendable (_ reason: String) -> Void

  /// The name of the app, also for a group of its classes.
  var appName: String { String(name.prefix { $0 != "/" }) }

  /// The path of its resources.
  var resources: String { ClusterApp.resources(of: name) }

  static func resources(of name: String) -> String {
    let parts = name.split(separator: "/").map(String.init)
    // A group's shard is below the group.
    return "/v1/apps/"
      + ([parts.prefix(2).joined(separator: "/groups/")] + parts.dropFirst(2)).joined(separator: "/")
  }
}

/// The nodes of the apps that a process takes part in, by their names.
struct ClusterApps: Sendable {
  let nodes: @Sendable () -> [String: ClusterNode]
  /// Whether the app of that name answers requests.
  let isOpen: @Sendable (String) -> Bool
}
