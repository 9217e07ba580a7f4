import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage

/// A request at a node of a cluster: what may write is answered by the node that leads, what reads by the one that was asked, where that knows
/// enough.
struct NodeRequest {
  let request: Request
  let scope: RequestScope
  let cluster: ClusterAccess
  /// The gateway of the node that was asked.
  let gateway: Gateway

  func answer() async -> Response {
    let endpoint = endpoint
    let isForStream = endpoint?.isForStream(request) == true
    do {
      switch endpoint?.node ?? .asked {
      case .asked: return await gateway.respondHere(to: request, in: scope)
      case .replica:
        let isLeaders = request.isRecorded && !cluster.standing().isLeading
        // A stream stays where it was opened, and only the node that leads can record what it reads.
        if isLeaders, isForStream { throw APIError.notLeader }
        let canAnswer = isLeaders ? false : try await canRead()
        if !canAnswer {
          // Another node sends on only what has an end.
          if isForStream { throw APIError.outOfDate }
          return try await forward()
        }
      case .leader:
        if !cluster.standing().isLeading { return try await forward() }
      }
      let response = await gateway.respondHere(to: request, in: scope)
      // It writes nothing by which the log would tell that another node leads by now, with other data.
      if endpoint?.node == .leader, response.isRefusal, !cluster.standing().hasLease {
        throw APIError.outOfDate
      }
      let isUnknown = response.refusesCredential && gateway.mayHaveUnreadAccounts(for: request)
      // Guesses cost the node that leads little, and the one that leads a group knows no more of keys and users.
      let asksLeader =
        isUnknown && gateway.accounts === gateway.context.data && endpoint?.node == .replica && !isForStream
        && cluster.unknownCallers.take(Caller(address: request.peer.client)) == nil
      // A read that is recorded writes, and a leader may be replaced: nothing has been done then.
      if response.isForLeader || asksLeader, request.body.isWhole, !request.isForwarded, !isForStream {
        return try await forward()
      }
      return isUnknown ? await gateway.answerOnceKnown(request, in: scope, unless: response) : response
    } catch {
      gateway.context.data.policies.refresh()
      var response = await gateway.respond(to: request, failure: error, Progress(in: scope))
      gateway.policies.cors?.apply(to: &response, for: request)
      return response
    }
  }

  /// Nil: the request is about the server itself, or for nothing that there is.
  private var endpoint: Endpoint? {
    guard !request.isAboutServer, let segments = try? request.target.segments(),
      let match = try? gateway.router.match(request.method, segments), case .endpoint(let endpoint, _) = match
    else { return nil }
    return endpoint
  }

  /// Whether this node has come to what a read asks for; false: the one that leads may have. Throws ``APIError/outOfDate``,
  /// ``APIError/invalidPrecondition(_:)`` and ``GatehouseStorage/StorageError/versionAhead``.
  private func canRead() async throws -> Bool {
    let standing = cluster.standing()
    switch request.fields["read-consistency"] {
    case nil, "local": break
    case "linearizable":
      guard standing.isLeading else { return false }
      guard standing.hasLease else { throw APIError.outOfDate }
    default: throw APIError.invalidPrecondition("Read-Consistency")
    }
    guard standing.isFresh else { throw APIError.outOfDate }
    guard let text = request.fields["if-version-at-least"] else { return true }
    guard let version = Int64(text), version >= 0 else {
      throw APIError.invalidPrecondition("If-Version-At-Least")
    }
    if await gateway.context.data.hasCome(to: version) { return true }
    if standing.isLeading { throw StorageError.versionAhead }
    return false
  }

  /// Returns the answer of the node that leads. Throws ``APIError/notLeader`` where nothing was done, and
  /// ``GatehouseStorage/StorageError/outcomeUnknown`` where nobody knows.
  private func forward() async throws -> Response {
    guard !request.isForwarded else { throw APIError.notLeader }
    let memory = gateway.context.data.store.memory.reservation(for: Caller(address: request.peer.client))
    defer { memory.release() }
    let content: [UInt8]
    do {
      content = try await request.body.collect(limit: cluster.contentLimit) { try memory.grow(to: $0) }
    } catch BodyError.tooLarge {
      // Only the leader itself takes it piece by piece.
      throw APIError.notLeader
    }
    var sent = request
    scope.note(in: &sent, secret: gateway.context.data.store.secret, at: gateway.context.access.clock())
    // The node that leads finds the main group by the path as well; the others have resources of their own.
    if scope.isOfNamedGroup, gateway.groups != nil {
      sent.target = ClassGroups.target(ofMain: request.target)
    }
    switch await cluster.forward(sent, content) {
    case .answered(let response): return response
    case .leading:
      var request = request
      request.body = content.isEmpty ? .empty : .bytes(content)
      return await gateway.respondHere(to: request, in: scope)
    case .unreachable: throw APIError.notLeader
    case .unknown:
      switch request.method {
      case .get, .head, .options, .query: throw APIError.notLeader
      case .post, .put, .patch, .delete: throw StorageError.outcomeUnknown
      }
    }
  }
}

extension Gateway {
  func respondAsNode(
    to request: Request, in scope: RequestScope, of cluster: ClusterAccess
  ) async -> Response {
    await NodeRequest(request: request, scope: scope, cluster: cluster, gateway: self).answer()
  }

  /// Whether another node may have written the key, or the session, that a request shows, of which this one has not read yet.
  func mayHaveUnreadAccounts(for request: Request) -> Bool {
    request.fields.contains("authorization") && accounts.mayBeLate
      && (accounts !== context.data || !request.isForwarded)
  }

  /// Answers a request whose credential this node does not know, as it reads what others write, for a second at most: somebody may have
  /// logged in, or got a key, elsewhere a moment before.
  ///
  /// - Parameter refusal: The answer that it has otherwise.
  func answerOnceKnown(
    _ request: Request, in scope: RequestScope, unless refusal: Response
  ) async -> Response {
    guard refusal.refusesCredential, request.body.isWhole, mayHaveUnreadAccounts(for: request) else {
      return refusal
    }
    var scope = scope
    scope.isCounted = true
    return await accounts.repeated(refusal, while: \.refusesCredential) { [scope] in
      await respondHere(to: request, in: scope)
    }
  }
}

extension Endpoint {
  /// Whether it answers a request by a stream of events.
  func isForStream(_ request: Request) -> Bool {
    answers == [.eventStream]
      || (try? Call.mediaType(accept: request.fields["accept"], of: self)) == .eventStream
  }
}

extension Request {
  /// Whether it asks for what it reads to be recorded, in scopes that only the node that leads knows.
  fileprivate var isRecorded: Bool { fields.contains("audit-scope") || fields.contains("audit-activity") }

  /// Whether another node has sent it on.
  var isForwarded: Bool { fields["via"]?.contains(ClusterAccess.pseudonym) == true }
}

// An entry of the log of an app's own store, by which nodes tell each other what they have to have read.
extension Request {
  var logEntry: UInt64? { fields["gatehouse-log-entry"].flatMap { UInt64($0) } }

  /// Has another node answer once it has the entry, and say to which one it has come.
  mutating func noteLogEntry(_ entry: UInt64) { fields.replace("gatehouse-log-entry", String(entry)) }
}

extension Response {
  var logEntry: UInt64? { fields["gatehouse-log-entry"].flatMap { UInt64($0) } }

  mutating func noteLogEntry(_ entry: UInt64) { fields.replace("gatehouse-log-entry", String(entry)) }

  /// Whether nothing was done, since another node takes writes.
  var isForLeader: Bool { status == .serviceUnavailable && fields.contains("gatehouse-leader") }

  /// Whether who has asked is nobody whom the node knows.
  fileprivate var refusesCredential: Bool { status.rawValue == 401 }

  /// Whether something was not done because of what is there.
  fileprivate var isRefusal: Bool { [401, 403, 404, 409, 412, 422].contains(status.rawValue) }

  /// Tells clients which node takes writes.
  mutating func note(leader: String?) { fields.append("gatehouse-leader", leader ?? "none") }
}
