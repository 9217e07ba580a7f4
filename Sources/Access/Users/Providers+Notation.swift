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
  }

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
  }
}

extension CustomTokenRules {
  fileprivate init(_ document: Document, _ secret: (String) -> String?) throws(ProvidersError) {
    let config = document["config"]?.document ?? [:]
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
    var audiences: [String] = []
    switch config["audience"] {
    case .string(let text)?: if !text.isEmpty { audiences = [text] }
    case .array(let values)?: audiences = values.compactMap(\.text)
    default: break
    }
    self.init(
      keys: keys, audiences: audiences, requiresAnyAudience: config["requireAnyAudience"] == .bool(true),
      fields: try CustomTokenRules.fields(document["metadata_fields"]),
      rolesClaim: try config["rolesClaim"].map { value throws(ProvidersError) in
        guard let claim = value.text, !claim.isEmpty else { throw .member("config.rolesClaim") }
        return claim
      })
  }

  private static func key(
    _ text: String, algorithm: String, name: String
  ) throws(ProvidersError) -> Key {
    switch algorithm {
    case "HS256":
      guard text.utf8.count >= 32 else { throw .shortSecret(name) }
      return .secret(Array(text.utf8))
    case "RS256":
      do throws(CryptoError) { return .rsa(try PublicKey(pem: text)) } catch { throw .key(name, error) }
    default: throw .unknownAlgorithm
    }
  }

  private static func fields(_ value: Value?) throws(ProvidersError) -> [Field] {
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

extension Value {
  var document: Document? { if case .document(let document) = self { document } else { nil } }
}
