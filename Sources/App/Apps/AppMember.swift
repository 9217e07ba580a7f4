import GatehouseAPI

/// The store of an app as a node of a cluster.
struct AppMember: Sendable {
  private let app: RegisteredApp
  let node: ClusterNode
  /// Told of a store that takes no part any more, and why.
  private let didStop: @Sendable (OpenApp, _ reason: String) -> Void

  /// Makes the part of a store of a group of the app's classes in the cluster, by its data directory's settings.
  let makeNode: @Sendable (GroupStore, Settings) -> ClusterNode?

  /// Whether it is not to be opened any more.
  let isStopping: @Sendable () -> Bool

  init(
    _ app: RegisteredApp, _ node: ClusterNode,
    makeNode: @escaping @Sendable (GroupStore, Settings) -> ClusterNode?,
    isStopping: @escaping @Sendable () -> Bool,
    didStop: @escaping @Sendable (OpenApp, _ reason: String) -> Void
  ) {
    (self.app, self.node, self.isStopping, self.didStop) = (app, node, isStopping, didStop)
    self.makeNode = makeNode
  }

  /// Has a group do what is for the node that leads it, as long as this one does.
  func run(_ group: GroupStore, _ node: ClusterNode, of open: OpenApp) async {
    for await change in node.changes {
      switch change {
      case .leads: await open.database.leadGroup()
      case .follows: await open.database.followGroup(group)
      case .stopped:
        do throws(ClusterFailure) { try node.checkStopped() } catch { didStop(open, error.text) }
        return
      }
    }
  }

  /// Has the app do what is for the node that leads, as long as this one does.
  func run(_ open: OpenApp) async {
    for await change in node.changes {
      switch change {
      case .leads:
        do { try await open.database.access.keepFirst(app.firstKey) } catch {
          Output.warn("the app \(app.name.text) has no key yet: \(FailureText.of(error))")
        }
        do {
          let groups = app.groups.map(\.group)
          try await ClassReservations(open.database.store).keep(groups, revision: app.groupsRevision)
        } catch { Output.warn("the app \(app.name.text): \(FailureText.of(error))") }
        await open.database.lead()
      case .follows: await open.database.follow()
      case .stopped:
        do throws(ClusterFailure) { try node.checkStopped() } catch { didStop(open, error.text) }
        return
      }
    }
  }
}
