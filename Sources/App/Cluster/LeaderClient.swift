import GatehouseAPI
import GatehouseHTTP
import GatehouseOutbound

/// Sends requests of clients to the node that leads.
struct LeaderClient: Sendable {
  /// `http` or `https`.
  let scheme: String
  /// A function that takes minutes must not have writes wait, and these share a commit the better the more come at once.
  private let client = HTTPClient(.all, connectionsPerServer: 256)

  /// The route of answers that another node has given.
  static let route = "/{forwarded}"
  /// The most bytes that an answer may have.
  private static let responseLimit = 64 << 20
  /// Fields that are about one connection (RFC 9110 §7.6.1), or that this node says itself.
  private static let ownFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "content-length", "expect", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-request-id",
  ]

  init(scheme: String) { self.scheme = scheme }

  func send(_ request: Request, _ content: [UInt8], to leader: String) async -> ClusterAccess.Outcome {
    do throws(ClientError) {
      let answer = try await client.send(message(request, content, to: leader))
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

  /// Whether a node answers within two seconds.
  func isAlive(_ node: String) async -> Bool {
    var message = ClientRequest("GET", "\(scheme)://\(node)/livez")
    message.timeout = .seconds(2)
    return (try? await client.send(message)) != nil
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
