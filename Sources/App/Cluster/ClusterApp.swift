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

  /// The beginning of the paths of commands that functions give.
  private static let commandsOfFunctions = "/app/functions/"

  /// The path of its resources.
  var resources: String { ClusterApp.resources(of: name) }

  /// Returns the path by which another node finds the database for a request: an app knows its resources without its name, and commands
  /// are about its classes, whichever database these are in.
  func pathAtOtherNode(of path: String) -> String {
    if path.hasPrefix("/v1/") { return resources + path.dropFirst(3) }
    let parts = name.split(separator: "/")
    var path = path
    // A command of a function has no app's name.
    if path.hasPrefix(ClusterApp.commandsOfFunctions) {
      path = "/app/\(parts[0])/\(path.dropFirst(ClusterApp.commandsOfFunctions.utf8.count))"
    }
    return parts.count > 1 ? resources + path : path
  }

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
