import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP

/// The stores of an app that a request is about, where classes are in groups, and how much of it is done there.
struct RequestScope: Sendable {
  /// Whether it is about one group, which the path names, and not about all of them.
  var isOfNamedGroup = false
  /// Whether it is about all shards of a group, whose answers are put together.
  var isOfAllShards = false
  /// Whether it is a part of a request that has been counted as one.
  var isCounted = false
  /// Whether it is only to say how it would be answered: nothing of it is done, and nothing recorded.
  var isTrial = false
}

// A part of a request may be for another node of a cluster, which has to know that it is one. It is told by a sealed field: the key is the shard's
// store's, which all nodes have and no client.
extension RequestScope {
  private static let field: StaticString = "gatehouse-request-part"
  private static let counted = Array("part of a request: counted".utf8)
  private static let tried = Array("part of a request: counted, trial".utf8)

  /// Has a request say what it is a part of.
  ///
  /// - Parameter secret: The store's.
  func note(in request: inout Request, secret: [UInt8]) {
    guard isCounted || isTrial, let seal = MessageSeal(key: secret) else { return }
    let message = isTrial ? RequestScope.tried : RequestScope.counted
    request.fields.replace(RequestScope.field, Base64.encode(seal.seal(message)))
  }

  /// The scope of a request, as the node that has divided it says.
  init(of request: Request, isOfNamedGroup: Bool, secret: [UInt8]) {
    self.init(isOfNamedGroup: isOfNamedGroup)
    guard let text = request.fields["\(RequestScope.field)"], let bytes = Base64.decode(text),
      let message = MessageSeal(key: secret)?.open(bytes)
    else { return }
    isTrial = message == RequestScope.tried
    isCounted = isTrial || message == RequestScope.counted
  }
}
