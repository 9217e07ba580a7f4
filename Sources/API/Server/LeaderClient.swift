public import GatehouseHTTP
public import GatehouseOutbound

/// Sends requests of clients to the node of a cluster that leads.
public struct LeaderClient: Sendable {
  /// Sends a request to another server.
  public typealias Send = @Sendable (ClientRequest) async throws(ClientError) -> ClientResponse

  /// `http` or `https`.
  public let scheme: String
  private let send: Send
  private let watch: LeaderWatch

  /// The route of answers that another node has given.
  public static let route = "/{forwarded}"
  /// How long a request waits for a node to lead.
  private static let patience: Duration = .seconds(8)
  /// The most bytes that an answer may have.
  private static let responseLimit = 64 << 20
  /// Fields that are about one connection (RFC 9110 §7.6.1), or that this node says itself.
  private static let ownFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "content-length", "expect", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-request-id",
  ]

  public init(scheme: String) {
    // A function that takes minutes must not have writes wait, and these share a commit the better the more come at once.
    let client = HTTPClient(.all, connectionsPerServer: 256)
    self.init(scheme: scheme) { (request) async throws(ClientError) in try await client.send(request) }
  }

  /// - Parameter send: How nodes reach each other, for simulations.
  public init(scheme: String, send: @escaping Send) {
    self.init(scheme: scheme, LeaderWatch.Times(), send: send)
  }

  init(scheme: String, _ times: LeaderWatch.Times, send: @escaping Send) {
    (self.scheme, self.send) = (scheme, send)
    watch = LeaderWatch(times) { node in
      var message = ClientRequest("GET", "\(scheme)://\(node)/livez")
      message.timeout = times.silence
      return (try? await send(message)) != nil
    }
  }

  /// Sends a request to the node that leads, and to the next one where that could not have begun with it; for eight seconds at most, in
  /// which a node may begin to lead, and no longer than this node would learn of it.
  ///
  /// - Parameters:
  ///   - content: The request's, which was read.
  ///   - node: The node that sends it.
  ///   - standing: Returns the part of that node now.
  ///   - waitForChange: Waits a moment for that part to be another one.
  public func forward(
    _ request: Request, _ content: [UInt8], from node: String,
    standing: @escaping @Sendable () -> ClusterAccess.Standing,
    waitForChange: (ClusterAccess.Standing) async -> Void = { _ in
      try? await Task.sleep(for: .milliseconds(20))
    }
  ) async -> ClusterAccess.Outcome {
    let deadline = ContinuousClock.now + LeaderClient.patience
    while true {
      let now = standing()
      if now.isLeading { return .leading }
      if let leader = now.leader, leader != node {
        switch await send(request, content, to: leader, while: { standing().leader == leader }) {
        case .answered(let response): return .answered(response)
        case .unknown: return .unknown
        case .unreachable, .leading: break
        }
      }
      guard now.reachesLog, ContinuousClock.now < deadline, !Task.isCancelled else { return .unreachable }
      await waitForChange(now)
    }
  }

  /// Sends a request to a node. One that does not lead any more still answers what it has begun with, unless it is stopped or cut off.
  private func send(
    _ request: Request, _ content: [UInt8], to leader: String, while leads: @escaping @Sendable () -> Bool
  ) async -> ClusterAccess.Outcome {
    await withTaskGroup { group in
      group.addTask { await send(request, content, to: leader) }
      group.addTask {
        await watch.waitForSilence(of: leader, while: leads)
        return .unknown
      }
      defer { group.cancelAll() }
      return await group.next() ?? .unknown
    }
  }

  private func send(
    _ request: Request, _ content: [UInt8], to leader: String
  ) async -> ClusterAccess.Outcome {
    do throws(ClientError) {
      let answer = try await send(message(request, content, to: leader))
      guard let response = response(answer), response.status != .serviceUnavailable || !isRefusal(answer)
      else { return .unreachable }
      return .answered(response)
    } catch {
      switch error {
      case .unresolved, .forbiddenAddress, .unreachable, .untrusted, .malformedRequest: return .unreachable
      case .unreadableContent, .refusedLogin, .timedOut, .interrupted, .tooLarge, .cancelled, .failed:
        return .unknown
      }
    }
  }

  /// Whether the node that was asked does not lead any more, and has done nothing.
  private func isRefusal(_ answer: ClientResponse) -> Bool { answer.field("gatehouse-leader") != nil }

  private func message(_ request: Request, _ content: [UInt8], to leader: String) -> ClientRequest {
    let query = request.target.query.map { "?\($0)" } ?? ""
    var fields = request.fields.lines.filter { !LeaderClient.ownFields.contains($0.name) }.map {
      HeaderField($0.name, $0.value)
    }
    fields.append(HeaderField("via", "1.1 \(ClusterAccess.pseudonym)"))
    fields.append(HeaderField("x-request-id", request.id.description))
    if request.peer != .local { fields.append(HeaderField("forwarded", "for=\"\(request.peer)\"")) }
    var message = ClientRequest(
      request.method.rawValue, "\(scheme)://\(leader)\(request.target.path)\(query)", fields: fields,
      content: content.isEmpty ? .none : .bytes(content))
    message.responseLimit = LeaderClient.responseLimit
    // A function may take minutes; a node that has ended closes its connections.
    message.timeout = .seconds(600)
    message.connectTimeout = .seconds(2)
    return message
  }

  private func response(_ answer: ClientResponse) -> Response? {
    guard (200..<600).contains(answer.status) else { return nil }
    let status = Status(rawValue: UInt16(answer.status))
    let lines = answer.fields.filter { !LeaderClient.ownFields.contains($0.name.lowercased()) }
    var response = Response(
      status: status, fields: Fields(lines.map { Fields.Line(name: $0.name.lowercased(), value: $0.value) }),
      body: answer.content.isEmpty || status.forbidsContent ? .empty : .bytes(answer.content))
    response.route = LeaderClient.route
    return response
  }
}
