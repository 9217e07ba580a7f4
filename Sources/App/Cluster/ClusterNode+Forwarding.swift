import GatehouseAPI
import GatehouseHTTP
import Synchronization

// Requests that the node that leads has to answer.
extension ClusterNode {
  /// How long a request waits for a node to lead.
  private static let patience: Duration = .seconds(8)
  /// How long an app that has been made is waited for.
  private static let appPatience: Duration = .seconds(10)

  /// Sends a request to the node that leads, and to the next one where that could not have begun with it.
  func forward(_ request: Request, _ content: [UInt8]) async -> ClusterAccess.Outcome {
    var request = request
    let path = request.target.path
    // An app knows its resources without its name.
    if resources != "/v1", path.hasPrefix("/v1/") {
      request.target = Target(path: resources + path.dropFirst(3), query: request.target.query)
    }
    let deadline = ContinuousClock.now + ClusterNode.patience
    while true {
      let standing = standing
      if standing.isLeading { return .leading }
      if let leader = standing.leader, leader != address {
        switch await send(request, content, to: leader) {
        case .answered(let response):
          await waitForApp(madeBy: request, response)
          return .answered(response)
        case .unknown: return .unknown
        case .unreachable, .leading: break
        }
      }
      guard ContinuousClock.now < deadline, !Task.isCancelled else { return .unreachable }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Sends a request to a node. One that does not lead any more still answers what it has begun with, unless it is stopped or cut off.
  private func send(_ request: Request, _ content: [UInt8], to leader: String) async -> ClusterAccess.Outcome
  {
    await withTaskGroup { group in
      group.addTask { await self.leader.send(request, content, to: leader) }
      group.addTask {
        repeat {
          try? await Task.sleep(for: .milliseconds(500))
          if Task.isCancelled { return .unknown }
        } while await self.isThere(leader)
        return .unknown
      }
      defer { group.cancelAll() }
      return await group.next() ?? .unknown
    }
  }

  /// Whether a node leads, or answers at all.
  private func isThere(_ node: String) async -> Bool {
    if standing.leader == node { return true }
    return await leader.isAlive(node)
  }

  /// Waits until this node answers for an app that the node that leads has made: who is told of it asks here next.
  private func waitForApp(madeBy request: Request, _ response: Response) async {
    guard request.method == .post, request.target.path == "/v1/apps", response.status == .created,
      let name = response.fields["location"]?.split(separator: "/").last
    else { return }
    let deadline = ContinuousClock.now + ClusterNode.appPatience
    let apps = apps.withLock(\.self)
    while !apps.isOpen(String(name)), ContinuousClock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }
}
