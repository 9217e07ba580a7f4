import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// A function runs at one node of a cluster. The classes that it writes to may be in groups that other nodes lead, which learn from that node
// for whom they do it.
extension Gateway {
  /// Returns who asks by a function that runs at another node; nil: a client does. Throws ``APIError/unauthorized(_:)`` where it is no node
  /// that says so, or the caller is none here.
  func forwardedRequester(of request: Request) async throws -> FunctionRequester? {
    guard request.isForwarded, let text = request.fields["gatehouse-function-caller"] else { return nil }
    let node = try callers.principal(of: request, for: .readCluster, context.data.accounts)
    guard node.kind == Keyring.administrator, let known = ForwardedCaller.callers(in: text),
      let principal = try await caller(known.principal), let asked = try await caller(known.caller)
    else { throw APIError.unauthorized(.unknown) }
    var requester = FunctionRequester(principal: principal, caller: asked)
    if let part = request.forwardedTransactionPart, part.step != .end {
      requester.transaction = try transactions.transaction(part, by: principal)
    }
    return requester
  }

  private func caller(_ caller: ForwardedCaller) async throws -> Principal? {
    let keyring = context.access.current
    let principal: Principal?
    switch caller.kind {
    case .anyone: principal = keyring.anyone
    case .key(let id) where FunctionAccess.isSystem(id) || caller.kind == Keyring.administrator:
      principal = Principal(caller.kind, role: .administrator)
    case .key(let id): principal = ObjectID(id).flatMap(keyring.principal(ofKey:))
    case .user(let id): return try await context.functions.actingUsers?.principal(id, data: caller.userData)
    }
    return principal.map { $0.role.usesTime ? $0.asking(at: context.access.clock()) : $0 }
  }
}

/// The caller of a function, as one node tells another one for whom it asks.
struct ForwardedCaller {
  let kind: Principal.Kind
  /// The custom data that the user's token has; nil: it has none.
  let userData: Document?

  private init(_ principal: Principal) {
    (kind, userData) = (principal.kind, principal.token?.userData)
  }

  private init?(_ value: Value?) {
    guard case .document(let members)? = value, case .string(let id)? = members["id"] else { return nil }
    switch members["kind"] {
    case .string("anyone"): kind = .anyone
    case .string("key"): kind = .key(id: id)
    case .string("user"): kind = .user(id: id)
    default: return nil
    }
    userData = if case .document(let data)? = members["data"] { data } else { nil }
  }

  private var document: Document {
    var document: Document =
      switch kind {
      case .anyone: ["kind": .string("anyone"), "id": .string("")]
      case .key(let id): ["kind": .string("key"), "id": .string(id)]
      case .user(let id): ["kind": .string("user"), "id": .string(id)]
      }
    if let userData { document.append("data", .document(userData)) }
    return document
  }

  /// Returns the value of the field `Gatehouse-Function-Caller`.
  static func text(of requester: FunctionRequester) -> String {
    let callers: Document = [
      "principal": .document(ForwardedCaller(requester.principal).document),
      "caller": .document(ForwardedCaller(requester.caller).document),
    ]
    return Base64.encode(Value.document(callers).extendedJSON)
  }

  /// Reads what ``text(of:)`` wrote; nil: it is nothing of the kind.
  static func callers(in text: String) -> (principal: ForwardedCaller, caller: ForwardedCaller)? {
    guard let bytes = Base64.decode(text), case .document(let members)? = try? Value(json: bytes),
      let principal = ForwardedCaller(members["principal"]), let caller = ForwardedCaller(members["caller"])
    else { return nil }
    return (principal, caller)
  }
}
