import GatehouseAPI
import GatehouseHTTP
import Synchronization

// Requests that the node that leads has to answer.
extension ClusterNode {
  /// The beginning of the paths of commands that functions give.
  private static let commandsOfFunctions = "/app/functions/"
  /// How long an app that has been made is waited for.
  private static let appPatience: Duration = .seconds(10)

  /// Has the node that leads answer a request.
  func forward(_ request: Request, _ content: [UInt8]) async -> ClusterAccess.Outcome {
    var request = request
    let path = request.target.path
    // An app knows its resources without its name.
    if resources != "/v1", path.hasPrefix("/v1/") {
      request.target = Target(path: resources + path.dropFirst(3), query: request.target.query)
    } else if let app = appName, path.hasPrefix(ClusterNode.commandsOfFunctions) {
      // A command of a function has no app's name.
      request.target = Target(
        path: "/app/\(app)/" + path.dropFirst(ClusterNode.commandsOfFunctions.utf8.count),
        query: request.target.query)
    }
    let outcome = await leader.forward(request, content, from: address) { [self] in standing }
    if case .answered(let response) = outcome { await waitForApp(madeBy: request, response) }
    return outcome
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
