import GatehouseBSON
import GatehouseOutbound

/// Asks a running node about itself.
struct NodeClient: Sendable {
  let url: String
  /// The administrator's key; empty: nobody needs one.
  let key: String
  /// The URL of the database's resources.
  let resources: String

  /// - Parameters:
  ///   - operand: A URL, or an address and a port.
  ///   - app: The app, the group or the shard that it is asked about, whose administrator has the key; nil: the default database.
  init(_ operand: String, key: String, app: String? = nil) {
    let text = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
    url = text.contains("://") ? text : "http://\(text)"
    resources = url + (app.map(ClusterApp.resources) ?? "/v1")
    self.key = key
  }

  /// Returns the state of the node.
  func state() async throws(ClusterFailure) -> NodeState { try await send("GET", "/cluster") }

  /// Has the node stop to lead, and returns its state then.
  ///
  /// - Parameter app: The app that is meant; nil: the default database.
  func stepDown(_ app: String? = nil) async throws(ClusterFailure) -> NodeState {
    try await send("POST", "/cluster/step-down", content: NodeClient.content(app))
  }

  /// Has the node lead before all others once nobody does.
  func stand(_ app: String?) async throws(ClusterFailure) {
    _ = try await send("POST", "/cluster/stand", content: NodeClient.content(app))
  }

  private static func content(_ app: String?) -> String {
    let members: Document = app.map { ["app": .string($0)] } ?? Document()
    return String(decoding: Value.document(members).plainJSON, as: UTF8.self)
  }

  /// Has all nodes make a digest of their stores, and returns the name of the comparison.
  func compare() async throws(ClusterFailure) -> String {
    let (status, members) = try await document("POST", "/cluster/digests", content: "{}")
    guard status == 202, case .string(let comparison)? = members["comparison"] else {
      throw .refused(url: url, status: status)
    }
    return comparison
  }

  /// Returns the state of the node when it has made its digest for a comparison. Throws ``ClusterFailure/noDigest(url:)`` where it has not
  /// begun with it within a minute: it may be busy with another one.
  func state(with comparison: String) async throws -> NodeState {
    for _ in 0..<300 {
      var state = try await state()
      while let digest = state.digest, digest.comparison == comparison {
        if digest.sha256 != nil { return state }
        try await Task.sleep(for: .milliseconds(200))
        state = try await self.state()
      }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw ClusterFailure.noDigest(url: url)
  }

  private func send(
    _ method: String, _ path: String, content: String? = nil
  ) async throws(ClusterFailure) -> NodeState {
    let (status, members) = try await document(method, path, content: content)
    guard status == 200, let state = NodeState(members) else { throw .refused(url: url, status: status) }
    return state
  }

  /// Returns the status of an answer, and the members of its content; none where it has others.
  private func document(
    _ method: String, _ path: String, content: String?
  ) async throws(ClusterFailure) -> (status: Int, members: Document) {
    var request = ClientRequest(method, resources + path)
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
    guard case .document(let members)? = try? Value(json: response.content) else {
      return (response.status, Document())
    }
    return (response.status, members)
  }
}

/// The part of a node in a database of its cluster.
struct NodePart: Hashable, Sendable {
  /// The node, or the app.
  let name: String
  let role: String
  let leader: String?
  let epoch: Int64
  let position: Int64
  let version: Int64
  let isFresh: Bool

  /// - Parameter key: The member that has the name. Nil: these are not the members of one.
  init?(_ members: Document, named key: String) {
    guard let name = NodeState.text(members[key]), let role = NodeState.text(members["role"]),
      let epoch = members["epoch"].flatMap(NodeState.number),
      let position = members["position"].flatMap(NodeState.number),
      let version = members["version"].flatMap(NodeState.number), case .bool(let isFresh)? = members["fresh"]
    else { return nil }
    (self.name, self.role, self.epoch) = (name, role, epoch)
    (self.position, self.version, self.isFresh) = (position, version, isFresh)
    leader = NodeState.text(members["leader"])
  }

  /// One line, as operators read it.
  var line: String {
    let news = isFresh ? "" : ", has no news"
    return "\(name)  \(role), epoch \(epoch), entry \(position), version \(version)\(news)"
  }
}

/// The state of a node, as it says it.
struct NodeState: Hashable, Sendable {
  /// Its part in the default database.
  let part: NodePart
  /// The digest of its store that was asked for last.
  let digest: NodeDigest?
  /// Its part in each app.
  let apps: [NodePart]

  /// Nil: these are not the members of one.
  init?(_ members: Document) {
    guard let part = NodePart(members, named: "node") else { return nil }
    self.part = part
    if case .document(let digest)? = members["digest"] {
      self.digest = NodeDigest(
        comparison: NodeState.text(digest["comparison"]) ?? "",
        version: digest["version"].flatMap(NodeState.number) ?? 0, sha256: NodeState.text(digest["sha256"]))
    } else {
      digest = nil
    }
    guard case .array(let apps)? = members["apps"] else {
      apps = []
      return
    }
    self.apps = apps.compactMap { value in
      if case .document(let app) = value { NodePart(app, named: "name") } else { nil }
    }
  }

  fileprivate static func text(_ value: Value?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  fileprivate static func number(_ value: Value) -> Int64? {
    switch value {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  var node: String { part.name }
  var leader: String? { part.leader }

  /// One line, as operators read it.
  var line: String { part.line }

  /// A line more for each app.
  var lines: String {
    ([line] + apps.map { "  \($0.line), led by \($0.leader ?? "nobody")" }).joined(separator: "\n")
  }
}

/// A digest of a node's store at one place of the log.
struct NodeDigest: Hashable, Sendable {
  let comparison: String
  /// The version that the store had.
  let version: Int64
  /// Nil: it is being made.
  let sha256: String?
}
