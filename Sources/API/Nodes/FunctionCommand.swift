import GatehouseAccess
import GatehouseHTTP
import GatehouseStorage

/// A command of a function on a group of classes. The function runs at one node of a cluster, and another one may lead the group, which is asked
/// for it then.
struct FunctionCommand {
  let request: Request
  let scope: RequestScope
  let requester: FunctionRequester
  /// The gateway of the group.
  let gateway: Gateway
  /// The gateway of the app, which knows the transactions of functions that run at other nodes.
  let main: Gateway

  private static let abort = "/app/functions/endpoint/data/v1/action/abortTransaction"

  func answer() async -> Response {
    if request.isForwarded { return await answerForOtherNode() }
    guard let cluster = gateway.cluster else { return await answerHere() }
    if let transaction = requester.transaction { return await answer(as: transaction, in: cluster) }
    let response = await answerHere()
    guard response.isForLeader else { return response }
    var part = request
    scope.note(in: &part, secret: gateway.context.data.store.secret, at: main.context.access.clock())
    switch await FunctionCommand.send(part, to: cluster, for: requester) {
    case .answered(let answer): return await awaiting(answer)
    case .leading: return await answerHere()
    case .unreachable: return response
    case .unknown: return Problem(StorageError.outcomeUnknown).response(to: request)
    }
  }

  private func answerHere() async -> Response { await gateway.respond(to: request, as: requester, in: scope) }

  private func answer(_ failure: any Error) async -> Response {
    await gateway.respond(to: request, failure: failure, Progress())
  }

  /// Answers a command of a function that runs at another node.
  private func answerForOtherNode() async -> Response {
    var response: Response
    if let transaction = requester.transaction {
      // Its state is here, and nowhere else: it is of no use where nothing can be written.
      let isLeading = gateway.cluster?.standing().isLeading == true
      response = isLeading ? await answerHere() : await answer(APIError.notLeader)
      if request.isCommit || !response.isSuccess { main.transactions.end(transaction.id) }
    } else {
      response = await answerHere()
    }
    // The node that asks waits for it, so that the function reads what it has written.
    if response.fields["realm-version"] == nil {
      response.fields.append(realmVersion: gateway.context.data.store.version)
    }
    return response
  }

  /// Answers a command of a transaction, all of which one node performs: this one, or that which leads the group when it begins.
  private func answer(as transaction: FunctionTransaction, in cluster: ClusterAccess) async -> Response {
    let place = transaction.place(ofFirst: !cluster.standing().isLeading && !request.isCommit)
    guard place.isElsewhere else { return await answerHere() }
    let part = ForwardedTransactionPart(transaction.id, place.begins ? .begin : .proceed)
    switch await FunctionCommand.send(request, part, to: cluster, for: requester) {
    case .answered(let answer):
      let isOver = request.isCommit || !answer.isSuccess
      transaction.onAbandonment(isOver ? nil : abandonment(of: transaction, in: cluster))
      return await awaiting(answer)
    // It was begun elsewhere, with a state of the store that is not here.
    case .leading: return await answer(FunctionTransactionError.noTransaction)
    case .unreachable: return await answer(APIError.notLeader)
    case .unknown:
      if request.isCommit { return await answer(StorageError.outcomeUnknown) }
      return await answer(FunctionTransactionError.noTransaction)
    }
  }

  /// Returns what has the other node forget a transaction.
  private func abandonment(
    of transaction: FunctionTransaction, in cluster: ClusterAccess
  ) -> @Sendable () -> Void {
    let part = ForwardedTransactionPart(transaction.id, .end)
    let request = Request(method: .post, target: Target(path: FunctionCommand.abort, query: nil))
    var requester = requester
    requester.transaction = nil
    return { [requester] in
      Task { _ = await FunctionCommand.send(request, part, to: cluster, for: requester) }
    }
  }

  /// Sends a command to the node that leads.
  private static func send(
    _ request: Request, _ part: ForwardedTransactionPart? = nil, to cluster: ClusterAccess,
    for requester: FunctionRequester
  ) async -> ClusterAccess.Outcome {
    guard let key = cluster.nodeKey,
      let content = try? await request.body.collect(limit: cluster.contentLimit, willHold: { _ in })
    else { return .unreachable }
    var sent = request
    sent.fields.replace("authorization", "Bearer \(key)")
    sent.fields.replace("gatehouse-function-caller", ForwardedCaller.text(of: requester))
    if let part { sent.fields.replace("gatehouse-function-transaction", part.field) }
    return await cluster.forward(sent, content)
  }

  /// Returns another node's answer once this one has what that has written.
  private func awaiting(_ answer: Response) async -> Response {
    if let version = answer.fields["realm-version"].flatMap({ Int64($0) }) {
      _ = await gateway.context.data.hasCome(to: version)
    }
    return answer
  }
}

extension Request {
  /// Whether it commits a function's transaction.
  fileprivate var isCommit: Bool { target.path.hasSuffix("/action/commitTransaction") }

  /// The part of a transaction that another node says it to be.
  var forwardedTransactionPart: ForwardedTransactionPart? {
    fields["gatehouse-function-transaction"].flatMap(ForwardedTransactionPart.init(field:))
  }
}
