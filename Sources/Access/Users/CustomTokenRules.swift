public import GatehouseBSON
public import GatehouseCrypto

/// The rules by which tokens of other issuers are accepted: App Services' provider `custom-token`.
public struct CustomTokenRules: Sendable {
  /// A key that verifies such tokens.
  public enum Key: Sendable {
    case secret([UInt8])
    case publicKey(PublicKey)
  }

  /// A claim that becomes a part of the user's data.
  public struct Field: Hashable, Sendable {
    /// The path of the claim, names with periods between.
    public let claim: String
    public let name: String
    public let isRequired: Bool

    public init(claim: String, name: String, isRequired: Bool) {
      (self.claim, self.name, self.isRequired) = (claim, name, isRequired)
    }
  }

  /// The audiences that a token must be for (RFC 7519 §4.1.3).
  public enum Audiences: Hashable, Sendable {
    /// Whatever audience the token has, or none.
    case any
    /// Any one of these.
    case one(of: [String])
    /// All of these.
    case every([String])
  }

  /// The place that the keys are at.
  public enum KeySource: Sendable {
    case keys([Key])
    /// A JWK Set at a URL.
    case url(String)
    /// The JWK Set that an issuer's configuration names (OpenID Connect Discovery 1.0 §4).
    case issuer(String)
  }

  public let keySource: KeySource
  /// The issuers that a token may be of (`iss`); empty: any who has such a key.
  private let issuers: [String]
  private let domains: EmailDomains
  public let audiences: Audiences
  private let fields: [Field]
  private let rolesClaim: String?

  /// Makes rules. `rolesClaim` is the path of the claim that names the user's roles; nil: tokens name none.
  public init(keys: [Key], audiences: Audiences, fields: [Field], rolesClaim: String? = nil) {
    self.init(.keys(keys), audiences: audiences, fields: fields, rolesClaim: rolesClaim)
  }

  /// `issuers` are those that a token may be of; empty: any who has such a key.
  public init(
    _ keySource: KeySource, audiences: Audiences, fields: [Field], rolesClaim: String? = nil,
    issuers: [String] = [], domains: EmailDomains = EmailDomains()
  ) {
    (self.keySource, self.audiences, self.fields) = (keySource, audiences, fields)
    (self.rolesClaim, self.issuers, self.domains) = (rolesClaim, issuers, domains)
  }

  /// Returns the user's name at the issuer, and the data and roles that the token gives; nil if the token is not
  /// accepted. `keys` are those of the ``keySource``; nil: it has them itself.
  public func accept(
    _ text: String, at now: Date, with keys: [Key]? = nil
  ) -> (subject: String, data: Document, roles: [String])? {
    guard let token = JSONWebToken(text), (keys ?? ownKeys).contains(where: token.isSigned(by:)),
      token.isCurrent(at: now), isForUs(token.claims["aud"]), isOfIssuer(token.claims["iss"]),
      domains.allow(token.claims),
      let subject = token.claims["sub"]?.text,
      User.Identity.isSubject(subject), let roles = roles(in: token.claims)
    else { return nil }
    var data = Document()
    for field in fields {
      if let value = token.claims.value(at: field.claim) {
        data.append(field.name, value)
      } else if field.isRequired {
        return nil
      }
    }
    return (subject, data, roles)
  }

  /// Returns the roles that the claims name, each once; nil if they are neither texts nor one text with spaces between,
  /// or too many.
  private func roles(in claims: Document) -> [String]? {
    var names: [String] = []
    switch rolesClaim.flatMap(claims.value) {
    case nil, .null?: return []
    case .string(let text)?: names = text.split(separator: " ").map(String.init)
    case .array(let values)?:
      names = values.compactMap(\.text)
      guard names.count == values.count else { return nil }
    case _?: return nil
    }
    let roles = names.unique
    return roles.count <= User.mostRoles ? roles : nil
  }

  private var ownKeys: [Key] { if case .keys(let keys) = keySource { keys } else { [] } }

  private func isOfIssuer(_ claim: Value?) -> Bool {
    issuers.isEmpty || claim?.text.map(issuers.contains) == true
  }

  private func isForUs(_ claim: Value?) -> Bool {
    var given: [String] = []
    if let text = claim?.text { given = [text] }
    if case .array(let values)? = claim { given = values.compactMap(\.text) }
    return switch audiences {
    case .any: true
    case .one(let names): names.contains { given.contains($0) }
    case .every(let names): names.allSatisfy { given.contains($0) }
    }
  }
}

extension JSONWebToken {
  fileprivate func isSigned(by key: CustomTokenRules.Key) -> Bool {
    switch key {
    case .secret(let secret): isSigned(by: secret)
    case .publicKey(let key): isSigned(by: key)
    }
  }
}

extension [String] {
  /// The texts without those that were there before.
  package var unique: [String] {
    var known: Set<String> = []
    return filter { known.insert($0).inserted }
  }
}

extension Document {
  /// Returns the member at a path of names with periods between; `\.` stands for a period in a name.
  fileprivate func value(at path: String) -> Value? {
    var names = [""]
    var isEscaped = false
    for character in path {
      if isEscaped || character != "." && character != "\\" {
        names[names.count - 1].append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        names.append("")
      }
    }
    var value: Value? = .document(self)
    for name in names {
      guard case .document(let document)? = value else { return nil }
      value = document[name]
    }
    return value
  }
}
