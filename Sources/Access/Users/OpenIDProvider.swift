/// A provider whose issuer tells by an ID token who somebody is (OpenID Connect Core 1.0 §2): Google and Apple.
public struct OpenIDProvider: Sendable {
  /// The way in which a code is exchanged for an ID token (§3.1.3).
  public struct CodeExchange: Hashable, Sendable {
    public let clientID: String
    public let clientSecret: String
    /// The URL that the code was asked for with; empty where an app on a device asked.
    public let redirect: String
  }

  public let issuer: String
  public let rules: CustomTokenRules
  /// Nil: codes are not taken.
  public let exchange: CodeExchange?

  public init(issuer: String, rules: CustomTokenRules, exchange: CodeExchange?) {
    (self.issuer, self.rules, self.exchange) = (issuer, rules, exchange)
  }
}

/// The provider that asks Facebook's Graph API who has a token.
public struct FacebookProvider: Hashable, Sendable {
  public let clientID: String
  public let clientSecret: String
  /// The URL of the Graph API, without a slash at its end.
  public let graph: String
  public let fields: [CustomTokenRules.Field]
  public var domains = EmailDomains()

  public init(clientID: String, clientSecret: String, graph: String, fields: [CustomTokenRules.Field]) {
    (self.clientID, self.clientSecret, self.graph, self.fields) = (clientID, clientSecret, graph, fields)
  }
}
