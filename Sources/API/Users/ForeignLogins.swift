import GatehouseAccess
import GatehouseBSON

/// Finds out who somebody is at another provider: by tokens of issuers, and by Facebook's Graph API.
struct ForeignLogins: Sendable {
  /// The user's name at a provider, and what that tells of them.
  struct Person: Sendable {
    let subject: String
    let data: Document
    var roles: [String]?
  }

  let peer: LoginPeer
  let keys: IssuerKeys
  let clock: @Sendable () -> Date

  /// Returns whom a token is for. Throws ``UserError/refusedCredential`` and ``UserError/issuerUnreachable``.
  func person(showing token: String, to rules: CustomTokenRules) async throws(UserError) -> Person {
    let found = try await keys.keys(of: rules, for: token)
    guard let (subject, data, roles) = rules.accept(token, at: clock(), with: found) else {
      throw .refusedCredential
    }
    return Person(subject: subject, data: data, roles: roles)
  }

  /// Returns whom the ID token is for that a code is exchanged for (OpenID Connect Core 1.0 §3.1.3).
  func person(withCode code: String, of provider: OpenIDProvider) async throws(UserError) -> Person {
    guard let exchange = provider.exchange else { throw .refusedCredential }
    guard let endpoint = await keys.tokenEndpoint(of: provider.issuer) else { throw .issuerUnreachable }
    let form = [
      ("grant_type", "authorization_code"), ("code", code), ("client_id", exchange.clientID),
      ("client_secret", exchange.clientSecret), ("redirect_uri", exchange.redirect),
    ]
    guard case .document(let answer)? = await peer.post(form, to: endpoint),
      let token = answer["id_token"]?.plainText
    else { throw .refusedCredential }
    return try await person(showing: token, to: provider.rules)
  }

  /// Returns who has an access token of Facebook's for this app ("Access Tokens: debug_token", "User").
  func person(withToken token: String, of provider: FacebookProvider) async throws(UserError) -> Person {
    let shown = token.percentEncoded
    let own = "\(provider.clientID)|\(provider.clientSecret)".percentEncoded
    let question = "\(provider.graph)/debug_token?input_token=\(shown)&access_token=\(own)"
    guard case .document(let answer)? = await peer.get(question), case .document(let found)? = answer["data"],
      found["is_valid"] == .bool(true), found["app_id"]?.plainText == provider.clientID,
      let subject = found["user_id"]?.plainText, User.Identity.isSubject(subject)
    else { throw .refusedCredential }
    let names = (["id", "email"] + provider.fields.map(\.claim)).joined(separator: ",").percentEncoded
    guard
      case .document(let profile)? = await peer.get(
        "\(provider.graph)/me?fields=\(names)&access_token=\(shown)"),
      profile["id"]?.plainText == subject, provider.domains.allow(profile)
    else { throw .refusedCredential }
    var data = Document()
    for field in provider.fields {
      if let value = profile[field.claim] {
        data.append(field.name, value)
      } else if field.isRequired {
        throw .refusedCredential
      }
    }
    return Person(subject: subject, data: data)
  }
}
