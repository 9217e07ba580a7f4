import GatehouseAPI
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Synchronization

// Requests that the node that leads has to answer.
extension ClusterNode {
  /// How long an app that has been made is waited for.
  private static let appPatience: Duration = .seconds(10)

  /// Has the node that leads answer a request.
  func forward(_ request: Request, _ content: [UInt8]) async -> ClusterAccess.Outcome {
    var request = request
    if let app {
      request.target = Target(path: app.pathAtOtherNode(of: request.target.path), query: request.target.query)
    }
    let outcome = await send(request, content)
    if case .answered(let response) = outcome { await waitForApp(madeBy: request, response) }
    return outcome
  }

  private func send(_ request: Request, _ content: [UInt8]) async -> ClusterAccess.Outcome {
    await leader.forward(
      request, content, from: address, standing: { [self] in standing },
      waitForChange: { [self] known in
        // A node that leads on may be reached again.
        _ = await news.wait(atMost: .milliseconds(50)) { [self] in
          let now = standing
          return (now.leader, now.isLeading) != (known.leader, known.isLeading)
        }
      })
  }

  /// Waits until this node answers for an app that the node that leads has made: who is told of it asks here next.
  private func waitForApp(madeBy request: Request, _ response: Response) async {
    guard request.method == .post, request.target.path == "/v1/apps", response.status == .created,
      let name = response.fields["location"]?.split(separator: "/").last
    else { return }
    let apps = apps.withLock(\.self)
    _ = await news.wait(atMost: ClusterNode.appPatience) { apps.isOpen(String(name)) }
  }

  /// Returns whether there is an app of that name, as the node says that leads the default database, which makes apps; nil: no node says so.
  ///
  /// - Parameter request: The request that names the app. One that another node has sent is not asked about once more.
  func hasApp(_ name: String, askedBy request: Request) async -> Bool? {
    let standing = standing
    if standing.isLeading { return standing.hasLease ? false : nil }
    guard request.method != .options || request.fields["via"]?.contains(ClusterAccess.pseudonym) != true
    else {
      return nil
    }
    // That needs no key.
    var question = request
    question.method = .options
    question.target = Target(path: "/v1/apps/\(name)/collections", query: nil)
    question.fields = Fields(request.fields.lines.filter { $0.name == "host" })
    question.body = .empty
    guard case .answered(let answer) = await send(question, []) else { return nil }
    switch answer.status.rawValue {
    case 200..<300: return true
    case 404: return false
    default: return nil
    }
  }

  /// Returns whether a store of a group has objects, as the node says that leads it; nil: no node says so.
  ///
  /// - Parameter store: The one of this node, which may not have what another one has just acknowledged.
  func hasObjects(_ store: Store) async throws -> Bool? {
    let standing = standing
    if standing.isLeading {
      return standing.hasLease ? try store.makeReader().counts().contains { $0.count > 0 } : nil
    }
    var fields = [
      Fields.Line(name: "host", value: address), Fields.Line(name: "read-consistency", value: "linearizable"),
    ]
    if let adminKey { fields.append(Fields.Line(name: "authorization", value: "Bearer \(adminKey)")) }
    let question = Request(
      method: .get, target: Target(path: "\(resources)/collections", query: nil), fields: Fields(fields),
      body: .empty)
    guard case .answered(let answer) = await send(question, []), answer.status == .ok,
      case .bytes(let bytes) = answer.body, case .array(let classes)? = try? Value(json: bytes)
    else { return nil }
    return classes.contains { value in
      guard case .document(let members) = value else { return true }
      return members["count"] != .int32(0) && members["count"] != .int64(0)
    }
  }
}
