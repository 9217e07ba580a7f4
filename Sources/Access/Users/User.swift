public import GatehouseBSON

/// A user of App Services' authentication.
public struct User: Hashable, Sendable {
  /// One way in which a user logs in: a provider and the name there.
  public struct Identity: Hashable, Sendable {
    /// The user's name or number at the provider.
    public let subject: String
    public let provider: String

    public init(_ provider: String, _ subject: String) {
      self.provider = provider
      self.subject = subject
    }

    /// Whether a text can be a user's name at a provider.
    public static func isSubject(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.count <= 1_024
        && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// The key that the identity is stored under; no two providers share one.
    public var key: String { "\(provider)/\(subject)" }

    public static let anonymous = "anon-user"
    public static let password = "local-userpass"
    public static let apiKey = "api-key"
    public static let customToken = "custom-token"
    public static let customFunction = "custom-function"
    public static let google = "oauth2-google"
    public static let apple = "oauth2-apple"
    public static let facebook = "oauth2-facebook"
  }

  public let id: ObjectID
  /// The user's identities, in the order in which they were linked.
  public private(set) var identities: [Identity]
  /// The user's data as the providers give it (claims, metadata fields).
  public private(set) var data: Document
  /// The custom data that an operator gave the user, or that of their object in a class.
  public var customData = Document()
  public var isDisabled = false
  /// The roles that an operator or a function gave the user.
  public var grantedRoles: [String] = []
  /// The roles that the issuer of their last token named.
  public var claimedRoles: [String] = []

  /// The most roles that a user may be given.
  public static let mostRoles = 100

  /// The roles that the user has.
  public var roles: [String] {
    let roles = grantedRoles + claimedRoles.filter { !grantedRoles.contains($0) }
    return roles.isEmpty ? [Policy.userRole] : roles
  }

  /// Whether the user can come back only with a token or key that they have.
  public var isAnonymous: Bool { identities.map(\.provider) == [Identity.anonymous] }

  public init(_ identity: Identity, data: Document) {
    self.init(id: .generate(), [identity], data: data)
  }

  /// Makes a user whom another server knows already.
  public init(id: ObjectID, _ identities: [Identity], data: Document) {
    (self.id, self.identities, self.data) = (id, identities, data)
  }

  /// Adds an identity, and the data that its provider gives.
  public mutating func link(_ identity: Identity, data more: Document) {
    if !identities.contains(identity) { identities.append(identity) }
    update(more)
  }

  /// Replaces the data by what the providers give now.
  public mutating func update(_ more: Document) {
    for element in more.elements {
      if let index = data.elements.firstIndex(where: { $0.key == element.key }) {
        data.elements[index] = element
      } else {
        data.elements.append(element)
      }
    }
  }

  /// The values that filters of roles and rules of functions may name, and that functions see.
  public var values: CallerValues {
    let identities = identities.map { identity in
      Value.document(["id": .string(identity.subject), "provider_type": .string(identity.provider)])
    }
    return CallerValues([
      "id": .string(id.description), "type": .string("normal"), "data": .document(data),
      "custom_data": .document(customData), "roles": .array(roles.map { .string($0) }),
      "identities": .array(identities),
    ])
  }

  /// The user as stored.
  public var record: Document {
    let identities = identities.map { identity in
      Value.document(["provider": .string(identity.provider), "subject": .string(identity.subject)])
    }
    var record: Document = [
      "identities": .array(identities), "data": .document(data), "disabled": .bool(isDisabled),
    ]
    if !customData.elements.isEmpty { record.append("customData", .document(customData)) }
    for (name, roles) in [("roles", grantedRoles), ("claimedRoles", claimedRoles)] where !roles.isEmpty {
      record.append(name, .array(roles.map { .string($0) }))
    }
    return record
  }

  /// Reads a stored user; nil if the document is none.
  public init?(id: ObjectID, record: Document) {
    guard case .array(let values)? = record["identities"], case .document(let data)? = record["data"],
      case .bool(let isDisabled)? = record["disabled"]
    else { return nil }
    var identities: [Identity] = []
    for value in values {
      guard case .document(let identity) = value, let provider = identity["provider"]?.text,
        let subject = identity["subject"]?.text
      else { return nil }
      identities.append(Identity(provider, subject))
    }
    self.id = id
    self.identities = identities
    self.data = data
    self.isDisabled = isDisabled
    if case .document(let data)? = record["customData"] { customData = data }
    if case .array(let names)? = record["roles"] { grantedRoles = names.compactMap(\.text) }
    if case .array(let names)? = record["claimedRoles"] { claimedRoles = names.compactMap(\.text) }
  }
}
