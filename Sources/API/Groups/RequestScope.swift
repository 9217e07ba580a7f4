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
// store's, which all nodes have and no client. The seal is of this request and of a time: who reads what nodes send each other can say it of no
// other request, and not for long.
extension RequestScope {
  private static let field: StaticString = "gatehouse-request-part"
  private static let purpose = "part of a request"
  /// The seconds for which a seal is good, by clocks that may differ by as many.
  static let lifetime: Int64 = 300

  /// Has a request say what it is a part of.
  ///
  /// - Parameter secret: The store's.
  func note(in request: inout Request, secret: [UInt8], at now: Date) {
    // A field of that name that a client has sent goes to no other node.
    request.fields = Fields(request.fields.lines.filter { $0.name != "\(RequestScope.field)" })
    guard isCounted || isTrial, let seal = MessageSeal(key: secret) else { return }
    let message = [
      RequestScope.purpose, isTrial ? "trial" : "counted", String(now.seconds),
      RequestScope.line(of: request),
    ].joined(separator: "\n")
    request.fields.append(RequestScope.field, Base64.encode(seal.seal(Array(message.utf8))))
  }

  /// The scope of a request, as the node that has divided it says. Throws ``APIError/outOfDate`` where that is said of another request, or was
  /// too long ago: what should only be tried must not be done.
  init(of request: Request, isOfNamedGroup: Bool, secret: [UInt8], at now: Date) throws(APIError) {
    self.init(isOfNamedGroup: isOfNamedGroup)
    guard request.isForwarded, let text = request.fields["\(RequestScope.field)"] else { return }
    let sealed = Base64.decode(text).flatMap { MessageSeal(key: secret)?.open($0) } ?? []
    let parts = String(decoding: sealed, as: UTF8.self).split(separator: "\n")
    guard parts.count == 4, parts[0] == RequestScope.purpose, let time = Int64(parts[2]),
      abs(now.seconds - time) <= RequestScope.lifetime, parts[3] == RequestScope.line(of: request)
    else { throw .outOfDate }
    (isCounted, isTrial) = (true, parts[1] == "trial")
  }

  /// The request as both nodes know it: the path of a function's command names its app only between them.
  private static func line(of request: Request) -> String {
    let path = request.target.path
    let place = path.hasPrefix("/app/") ? path.dropFirst(5).drop { $0 != "/" } : path[...]
    return "\(request.id) \(request.method.rawValue) \(place)?\(request.target.query ?? "")"
  }
}
