public import GatehouseBSON

/// The claims of a user's token, as App Services' clients expect them.
public struct UserToken: Hashable, Sendable {
  /// The use that a token is accepted for.
  public enum Kind: String, Hashable, Sendable {
    /// Permits requests, for half an hour.
    case access
    /// Gives new access tokens, for sixty days, as long as the session lasts.
    case refresh

    /// Seconds from issue to expiry.
    public var lifetime: Int64 {
      switch self {
      case .access: 30 * 60
      case .refresh: 60 * 24 * 60 * 60
      }
    }
  }

  public let kind: Kind
  public let user: ObjectID
  public let session: ObjectID
  public let device: ObjectID
  public let issued: Int64
  /// The user's custom data, of access tokens; nil: the token has none.
  public let userData: Document?

  /// The most bytes of custom data in a token, as JSON: each request brings it.
  public static let mostUserData = 8 << 10

  public init(_ kind: Kind, of session: Session, at now: Date, userData: Document? = nil) {
    self.kind = kind
    self.userData = userData
    user = session.user
    self.session = session.id
    device = session.device
    issued = now.seconds
  }

  /// Makes a new token for the session of another one.
  public init(_ kind: Kind, continuing token: UserToken, at now: Date, userData: Document? = nil) {
    self.kind = kind
    self.userData = userData
    (user, session, device) = (token.user, token.session, token.device)
    issued = now.seconds
  }

  /// The second at which the token expires.
  public var end: Int64 { issued + kind.lifetime }

  /// Returns the signed token as text.
  public func text(signedBy keys: SigningKeys) -> String {
    var claims: Document = [
      "exp": .int64(end), "iat": .int64(issued), "sub": .string(user.description),
      "typ": .string(kind.rawValue),
      "baas_device_id": .string(device.description), "baas_domain_id": .string(keys.domain),
    ]
    claims.append(kind == .access ? "iss" : "baas_id", .string(session.description))
    // Clients crash at null there (realm-core, `jwt.cpp`).
    if let userData { claims.append("user_data", .document(userData)) }
    return keys.sign(claims)
  }

  /// The claim of the users' domain in App Services: that of the default database, beside which each app has one of its own.
  public static let domain = ObjectID(high: 0, low: 1).description

  /// Whether the token's lifetime is one that we give: whoever got hold of a key could sign one that is valid for ever.
  private static func isLifetime(of kind: Kind, from issued: Int64, to end: Int64, at now: Date) -> Bool {
    let (lifetime, overflow) = end.subtractingReportingOverflow(issued)
    return !overflow && lifetime <= kind.lifetime && issued <= now.seconds + clockTolerance
  }

  /// Seconds by which the clock may have been set back since a token was made.
  private static let clockTolerance: Int64 = 300

  /// Reads a token; nil if none of the keys signed it, it has expired, or it is valid for longer than those that we
  /// make.
  public init?(_ text: String, signedBy keys: SigningKeys, at now: Date) {
    guard let token = JSONWebToken(text), keys.haveSigned(token), token.isCurrent(at: now) else { return nil }
    let claims = token.claims
    guard let kind = claims["typ"]?.text.flatMap(Kind.init), claims["baas_domain_id"]?.text == keys.domain,
      let user = claims["sub"]?.text.flatMap({ ObjectID($0) }),
      let session = claims[kind == .access ? "iss" : "baas_id"]?.text.flatMap({ ObjectID($0) }),
      let device = claims["baas_device_id"]?.text.flatMap({ ObjectID($0) }),
      let issued = claims["iat"]?.seconds, let end = claims["exp"]?.seconds,
      UserToken.isLifetime(of: kind, from: issued, to: end, at: now)
    else { return nil }
    (self.kind, self.user, self.session) = (kind, user, session)
    (self.device, self.issued) = (device, issued)
    userData = claims["user_data"]?.document
  }
}
