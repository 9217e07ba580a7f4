public import GatehouseBSON
import GatehouseCrypto

// App Services' `auth/providers.json`: a document of providers by their names. What is not said here is not read.
extension Providers {
  /// Reads a document of providers. `secret` returns the text of a secret by its name, or nil. Throws
  /// ``ProvidersError``.
  public init(notation: Value, secret: (String) -> String?) throws(ProvidersError) {
    guard case .document(let document) = notation else { throw .member("") }
    try Providers.check(document)
    let password = Providers.provider(User.Identity.password, in: document)
    let token = Providers.provider(User.Identity.customToken, in: document)
    let function = Providers.provider(User.Identity.customFunction, in: document)
    self.init(
      allowsAnonymous: Providers.provider(User.Identity.anonymous, in: document) != nil,
      allowsKeys: Providers.provider(User.Identity.apiKey, in: document) != nil,
      passwords: try password.map { document throws(ProvidersError) in
        try Passwords(config: document["config"]?.document ?? [:])
      },
      customTokens: try token.map { document throws(ProvidersError) in
        try CustomTokenRules(document, secret)
      },
      customFunction: try function.map { document throws(ProvidersError) in
        try Providers.function("authFunctionName", in: document["config"]?.document ?? [:])
      })
    for (name, issuer) in Providers.issuers {
      guard let provider = Providers.provider(name, in: document) else { continue }
      openID[name] = try OpenIDProvider(provider, issuer: issuer, secret)
    }
    facebook = try Providers.provider(User.Identity.facebook, in: document).map {
      document throws(ProvidersError) in try FacebookProvider(document, secret)
    }
  }

  /// The providers of ID tokens, with their issuers.
  private static let issuers = [
    User.Identity.google: "https://accounts.google.com", User.Identity.apple: "https://appleid.apple.com",
  ]

  fileprivate static func function(_ member: String, in config: Document) throws(ProvidersError) -> String {
    guard let name = config[member]?.text, !name.isEmpty else { throw .member("config.\(member)") }
    return name
  }

  private static func provider(_ name: String, in document: Document) -> Document? {
    guard let provider = document[name]?.document, provider["disabled"] != .bool(true) else { return nil }
    return provider
  }
}

extension Providers.Passwords {
  /// Reads the settings of passwords. Throws ``ProvidersError/member(_:)`` where a function is to be run and has no
  /// name.
  fileprivate init(config: Document) throws(ProvidersError) {
    let confirmation: Confirmation =
      if config["autoConfirm"] == .bool(true) {
        .atOnce
      } else if config["runConfirmationFunction"] == .bool(true) {
        .byFunction(try Providers.function("confirmationFunctionName", in: config))
      } else {
        .byToken
      }
    let resets = config["runResetFunction"] == .bool(true)
    self.init(
      confirmation: confirmation,
      resetFunction: resets ? try Providers.function("resetFunctionName", in: config) : nil)
    if let url = try config.url("emailConfirmationUrl") {
      let subject = config["confirmEmailSubject"]?.text ?? ""
      confirmationLetter = Letter(subject: subject.isEmpty ? "Confirm your address" : subject, url: url)
    }
    if let url = try config.url("resetPasswordUrl") {
      let subject = config["resetPasswordSubject"]?.text ?? ""
      resetLetter = Letter(subject: subject.isEmpty ? "Set a new password" : subject, url: url)
    }
  }
}

extension CustomTokenRules {
  fileprivate init(_ document: Document, _ secret: (String) -> String?) throws(ProvidersError) {
    let config = document["config"]?.document ?? [:]
    let audiences = try CustomTokenRules.audiences(in: config)
    let fields = try CustomTokenRules.fields(document["metadata_fields"])
    let rolesClaim = try config["rolesClaim"].map { value throws(ProvidersError) in
      guard let claim = value.text, !claim.isEmpty else { throw .member("config.rolesClaim") }
      return claim
    }
    if let issuer = try config.url("issuer") {
      self.init(
        config["useJWKURI"] == .bool(true) ? .url(try config.requireURL("jwkURI")) : .issuer(issuer),
        audiences: audiences, fields: fields, rolesClaim: rolesClaim, issuers: [issuer])
      return
    }
    if config["useJWKURI"] == .bool(true) {
      self.init(
        .url(try config.requireURL("jwkURI")), audiences: audiences, fields: fields, rolesClaim: rolesClaim)
      return
    }
    guard case .array(let names)? = document["secret_config"]?.document?["signingKeys"] else {
      throw .member("secret_config.signingKeys")
    }
    let algorithm = config["signingAlgorithm"]?.text ?? "HS256"
    var keys: [Key] = []
    for name in names {
      guard let name = name.text else { throw .member("secret_config.signingKeys") }
      guard let text = secret(name) else { throw .unknownSecret(name) }
      keys.append(try CustomTokenRules.key(text, algorithm: algorithm, name: name))
    }
    self.init(keys: keys, audiences: audiences, fields: fields, rolesClaim: rolesClaim)
  }

  /// Reads the audiences. In App Services none at all stood for the app, which has no identifier here: that would take tokens
  /// for anybody, which has to be said (`"*"`).
  private static func audiences(in config: Document) throws(ProvidersError) -> Audiences {
    var names: [String] = []
    switch config["audience"] {
    case nil, .null?: break
    case .string(let text)?: names = [text]
    case .array(let values)?:
      names = values.compactMap(\.text)
      guard names.count == values.count else { throw .member("config.audience") }
    case _?: throw .member("config.audience")
    }
    names.removeAll(where: \.isEmpty)
    if names == ["*"] { return .any }
    guard !names.isEmpty else { throw .missingAudience }
    return config["requireAnyAudience"] == .bool(true) ? .one(of: names) : .every(names)
  }

  private static func key(
    _ text: String, algorithm: String, name: String
  ) throws(ProvidersError) -> Key {
    switch algorithm {
    case "HS256":
      guard text.utf8.count >= 32 else { throw .shortSecret(name) }
      return .secret(Array(text.utf8))
    case "RS256": return try key(text, for: .rs256, name: name)
    case "ES256": return try key(text, for: .es256, name: name)
    default: throw .unknownAlgorithm
    }
  }

  private static func key(
    _ text: String, for algorithm: PublicKey.Algorithm, name: String
  ) throws(ProvidersError) -> Key {
    do throws(CryptoError) { return .publicKey(try PublicKey(pem: text, for: algorithm)) } catch {
      throw .key(name, error)
    }
  }

  fileprivate static func fields(_ value: Value?) throws(ProvidersError) -> [Field] {
    guard let value else { return [] }
    guard case .array(let values) = value else { throw .member("metadata_fields") }
    var fields: [Field] = []
    for value in values {
      guard let field = value.document, let claim = field["name"]?.text else {
        throw .member("metadata_fields")
      }
      let name = field["field_name"]?.text ?? claim
      fields.append(Field(claim: claim, name: name, isRequired: field["required"] == .bool(true)))
    }
    return fields
  }
}

extension OpenIDProvider {
  /// `issuer` is that of the provider, where the file names no other.
  fileprivate init(
    _ document: Document, issuer: String, _ secret: (String) -> String?
  ) throws(ProvidersError) {
    let config = document["config"]?.document ?? [:]
    let issuer = try config.url("issuer") ?? issuer
    // Clients on several platforms have identifiers of their own.
    let clients = try config.clientIDs
    var fields = try CustomTokenRules.fields(document["metadata_fields"])
    fields = fields.map {
      CustomTokenRules.Field(claim: $0.standardClaim, name: $0.name, isRequired: $0.isRequired)
    }
    // Google's tokens have either.
    let host = issuer.split(separator: "/").last.map(String.init) ?? issuer
    var redirect = ""
    if case .array(let values)? = document["redirect_uris"] { redirect = values.first?.text ?? "" }
    self.init(
      issuer: issuer,
      rules: CustomTokenRules(
        .issuer(issuer), audiences: .one(of: clients), fields: fields, issuers: [issuer, host],
        domains: document.domains),
      exchange: try document.clientSecret(secret).map {
        CodeExchange(clientID: clients[0], clientSecret: $0, redirect: redirect)
      })
  }
}

extension FacebookProvider {
  fileprivate init(_ document: Document, _ secret: (String) -> String?) throws(ProvidersError) {
    let config = document["config"]?.document ?? [:]
    guard let text = try document.clientSecret(secret) else { throw .member("secret_config.clientSecret") }
    self.init(
      clientID: try config.clientIDs[0], clientSecret: text,
      graph: try config.url("graph") ?? "https://graph.facebook.com",
      fields: try CustomTokenRules.fields(document["metadata_fields"]))
    domains = document.domains
  }
}

extension CustomTokenRules.Field {
  /// The claim of OpenID Connect (Core 1.0 §5.1) that App Services has another name for.
  fileprivate var standardClaim: String {
    switch claim {
    case "first_name": "given_name"
    case "last_name": "family_name"
    case "picture_url": "picture"
    default: claim
    }
  }
}

extension Document {
  /// Returns a URL without a slash at its end; nil: it is left out.
  fileprivate func url(_ name: String) throws(ProvidersError) -> String? {
    guard let value = self[name], value != .null, value != .string("") else { return nil }
    guard let text = value.text, ["https://", "http://"].contains(where: text.hasPrefix) else {
      throw .malformedURL("config.\(name)")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  fileprivate func requireURL(_ name: String) throws(ProvidersError) -> String {
    guard let url = try url(name) else { throw .malformedURL("config.\(name)") }
    return url
  }

  fileprivate var domains: EmailDomains {
    guard case .array(let values)? = self["domain_restrictions"] else { return EmailDomains() }
    return EmailDomains(values.compactMap(\.text))
  }

  /// The identifiers of the clients: one, or an array of them.
  fileprivate var clientIDs: [String] {
    get throws(ProvidersError) {
      var names: [String] = []
      if let name = self["clientId"]?.text { names = [name] }
      if case .array(let values)? = self["clientId"] { names = values.compactMap(\.text) }
      names.removeAll(where: \.isEmpty)
      guard !names.isEmpty else { throw .member("config.clientId") }
      return names
    }
  }

  /// The secret that `secret_config.clientSecret` names; nil: it names none.
  fileprivate func clientSecret(_ secret: (String) -> String?) throws(ProvidersError) -> String? {
    guard let name = self["secret_config"]?.document?["clientSecret"]?.text, !name.isEmpty else { return nil }
    guard let text = secret(name) else { throw .unknownSecret(name) }
    return text
  }
}

extension Value {
  var document: Document? { if case .document(let document) = self { document } else { nil } }
}
