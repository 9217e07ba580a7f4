import GatehouseBSON
import GatehouseOutbound

/// Asks a running node about itself.
struct NodeClient: Sendable {
  let url: String
  /// The administrator's key; empty: nobody needs one.
  let key: String

  /// - Parameter operand: A URL, or an address and a port.
  init(_ operand: String, key: String) {
    let text = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
    url = text.contains("://") ? text : "http://\(text)"
    self.key = key
  }

  /// Returns the state of the node.
  func state() async throws(ClusterFailure) -> NodeState { try await send("GET", "/v1/cluster") }

  /// Has the node stop to lead, and returns its state then.
  func stepDown() async throws(ClusterFailure) -> NodeState {
    try await send("POST", "/v1/cluster/step-down", content: "{}")
  }

  private func send(
    _ method: String, _ path: String, content: String? = nil
  ) async throws(ClusterFailure) -> NodeState {
    var request = ClientRequest(method, url + path)
    if !key.isEmpty { request.fields.append(HeaderField("authorization", "Bearer \(key)")) }
    if let content {
      request.fields.append(HeaderField("content-type", "application/json"))
      request.content = .bytes(Array(content.utf8))
    }
    request.timeout = .seconds(10)
    let response: ClientResponse
    do throws(ClientError) { response = try await HTTPClient(.all).send(request) } catch {
      throw .unanswered(url: url)
    }
    guard response.status == 200, case .document(let members)? = try? Value(json: response.content),
      let state = NodeState(members)
    else { throw .refused(url: url, status: response.status) }
    return state
  }
}

/// The state of a node, as it says it.
struct NodeState: Hashable, Sendable {
  let node: String
  let role: String
  let leader: String?
  let epoch: Int64
  let position: Int64
  let version: Int64
  let isFresh: Bool

  /// Nil: these are not the members of one.
  init?(_ members: Document) {
    guard let node = NodeState.text(members["node"]), let role = NodeState.text(members["role"]),
      let epoch = members["epoch"].flatMap(NodeState.number),
      let position = members["position"].flatMap(NodeState.number),
      let version = members["version"].flatMap(NodeState.number), case .bool(let isFresh)? = members["fresh"]
    else { return nil }
    (self.node, self.role, self.epoch) = (node, role, epoch)
    (self.position, self.version, self.isFresh) = (position, version, isFresh)
    leader = NodeState.text(members["leader"])
  }

  private static func text(_ value: Value?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  private static func number(_ value: Value) -> Int64? {
    switch value {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// One line, as operators read it.
  var line: String {
    let news = isFresh ? "" : ", has no news"
    return "\(node)  \(role), epoch \(epoch), entry \(position), version \(version)\(news)"
  }
}
