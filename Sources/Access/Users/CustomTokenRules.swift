public import GatehouseBSON
public import GatehouseCrypto

/// The rules by which tokens of other issuers are accepted: App Services' provider `custom-token`.
public struct CustomTokenRules: Sendable {
  /// A key that verifies such tokens.
  public enum Key: Sendable {
    case secret([UInt8])
    case rsa(PublicKey)
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

  private let keys: [Key]
  private let audiences: [String]
  private let requiresAnyAudience: Bool
  private let fields: [Field]
  private let rolesClaim: String?

  /// Makes rules; with `requiresAnyAudience` a token must be for one of the audiences, without for all of them.
  /// `rolesClaim` is the path of the claim that names the user's roles; nil: tokens name none.
  public init(
    keys: [Key], audiences: [String], requiresAnyAudience: Bool, fields: [Field], rolesClaim: String? = nil
  ) {
    (self.keys, self.audiences) = (keys, audiences)
    (self.requiresAnyAudience, self.fields) = (requiresAnyAudience, fields)
    self.rolesClaim = rolesClaim
  }

  /// Returns the user's name at the issuer, and the data and roles that the token gives; nil if the token is not
  /// accepted.
  public func accept(
    _ text: String, at now: Date
  ) -> (subject: String, data: Document, roles: [String])? {
    guard let token = JSONWebToken(text), keys.contains(where: token.isSigned(by:)), token.isCurrent(at: now),
      isForUs(token.claims["aud"]), let subject = token.claims["sub"]?.text,
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

  private func isForUs(_ claim: Value?) -> Bool {
    if audiences.isEmpty { return true }
    var given: [String] = []
    if let text = claim?.text { given = [text] }
    if case .array(let values)? = claim { given = values.compactMap(\.text) }
    return requiresAnyAudience
      ? audiences.contains { given.contains($0) } : audiences.allSatisfy { given.contains($0) }
  }
}

extension JSONWebToken {
  fileprivate func isSigned(by key: CustomTokenRules.Key) -> Bool {
    switch key {
    case .secret(let secret): isSigned(by: secret)
    case .rsa(let key): isSigned(by: key)
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
