import GatehouseAudit
import GatehouseBSON
import GatehouseCluster
import GatehouseStorage
import GatehouseTelemetry
import Synchronization

/// The apps of a node of a cluster: each is a node on a log of its own, and is open on all of them.
final class AppCluster: Sendable {
  let node: ClusterNode
  let registry: AppRegistry
  /// One at a time brings together the registry and the folders.
  let reconciliation = SerialTaskQueue()
  /// The apps, and groups of their classes (`shop/archive`), that this process takes part in.
  private let nodes = Mutex<[String: ClusterNode]>([:])

  init(_ node: ClusterNode, store: Store) {
    self.node = node
    registry = AppRegistry(store, news: node.news)
  }

  /// Has the node's operators and callers reach the apps.
  ///
  /// - Parameter isOpen: Whether an app answers requests.
  func attach(isOpen: @escaping @Sendable (AppName) -> Bool) {
    node.set(
      ClusterApps(
        nodes: { [weak self] in
          guard let self else { return [:] }
          return nodes.withLock { $0 }
        }, isOpen: { AppName($0).map(isOpen) ?? false }))
  }

  /// Has an app be one that this process takes part in.
  func add(_ app: OpenApp, _ node: ClusterNode) {
    nodes.withLock { nodes in
      precondition(nodes[app.name.text] == nil, "this process takes part in an app once")
      nodes[app.name.text] = node
      for group in app.groups { nodes["\(app.name.text)/\(group.place.name)"] = group.node }
    }
  }

  /// Forgets an app.
  func remove(_ app: OpenApp) {
    nodes.withLock { nodes in
      nodes[app.name.text] = nil
      for group in app.groups { nodes["\(app.name.text)/\(group.place.name)"] = nil }
    }
  }

  /// Has other nodes lead the apps that this one does.
  func resign() async {
    await withTaskGroup { group in
      for node in nodes.withLock({ Array($0.values) }) { group.addTask { await node.resign() } }
    }
  }

  /// How long the logs of apps that are gone are looked for: a node that was late may have made one anew.
  private static let removalSeconds: Int64 = 600

  /// Removes the logs of apps that are gone, where this node leads.
  func removeLogs() async {
    guard registry.isLeading else { return }
    let since = Date(milliseconds: Date.now.milliseconds - AppCluster.removalSeconds * 1_000)
    for identity in (try? registry.gone(since: since)) ?? [] { await node.removeLog(ofApp: identity) }
  }
}
