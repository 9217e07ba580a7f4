import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// The ways to log in, as the operator sees them: those that are on, without their secrets.
extension Endpoint {
  static let listProviders = Endpoint(
    "listProviders", .get("/v1/providers"), answers: MediaType.forOne, requires: .administration,
    using: \.users
  ) { call, users in
    let list = Value.array((users.users?.providers.current.notation ?? []).map { .document($0) })
    var response = Response(status: .ok, content: call.mediaType.bytes(of: list), call.mediaType)
    response.fields.append("cache-control", "no-store")
    return response
  }
}

extension Providers {
  /// An entry of each provider that is on, by App Services' names, with its settings.
  fileprivate var notation: [Document] {
    var list: [Document] = []
    func add(_ name: String, _ settings: Document = [:]) {
      list.append(["name": .string(name), "settings": .document(settings)])
    }
    if allowsAnonymous { add(User.Identity.anonymous) }
    if let passwords { add(User.Identity.password, passwords.notation) }
    if allowsKeys { add(User.Identity.apiKey) }
    if let customTokens { add(User.Identity.customToken, customTokens.notation) }
    if let customFunction { add(User.Identity.customFunction, ["function": .string(customFunction)]) }
    for (name, provider) in openID.sorted(by: { $0.key < $1.key }) {
      add(name, provider.rules.notation)
    }
    if let facebook {
      add(User.Identity.facebook, ["clientId": .string(facebook.clientID), "graph": .string(facebook.graph)])
    }
    return list
  }
}

extension Providers.Passwords {
  fileprivate var notation: Document {
    var document: Document = [:]
    switch confirmation {
    case .atOnce: document.append("confirmation", .string("none"))
    case .byToken: document.append("confirmation", .string(confirmationLetter == nil ? "token" : "mail"))
    case .byFunction(let name):
      document.append("confirmation", .string("function"))
      document.append("confirmationFunction", .string(name))
    }
    let reset = resetFunction == nil ? resetLetter == nil ? "token" : "mail" : "function"
    document.append("reset", .string(reset))
    if let resetFunction { document.append("resetFunction", .string(resetFunction)) }
    return document
  }
}

extension CustomTokenRules {
  fileprivate var notation: Document {
    var document: Document = [:]
    switch keySource {
    case .keys(let keys): document.append("keys", .int64(Int64(keys.count)))
    case .url(let url): document.append("keySet", .string(url))
    case .issuer(let issuer): document.append("issuer", .string(issuer))
    }
    switch audiences {
    case .any: document.append("audiences", .string("any"))
    case .one(let names): document.append("oneOfAudiences", .array(names.map { .string($0) }))
    case .every(let names): document.append("audiences", .array(names.map { .string($0) }))
    }
    return document
  }
}
