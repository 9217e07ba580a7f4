/// The ways in which users may log in, with their settings.
public struct Providers: Sendable {
  /// The settings of the provider for e-mail addresses with passwords.
  public struct Passwords: Hashable, Sendable {
    /// The way in which a new account becomes usable.
    public enum Confirmation: Hashable, Sendable {
      /// It is usable from the beginning.
      case atOnce
      /// By a mailed token, or by the operator.
      case byToken
      /// By the decision of the function of that name, which gets the token.
      case byFunction(String)
    }

    /// A mail with a link, to which a token is added.
    public struct Letter: Hashable, Sendable {
      public let subject: String
      /// The page that takes the token from its address and confirms the account, or sets a password.
      public let url: String

      public init(subject: String, url: String) {
        (self.subject, self.url) = (subject, url)
      }
    }

    /// The mail by which accounts are confirmed; nil: none is sent.
    public var confirmationLetter: Letter?
    /// The mail by which passwords are set; nil: none is sent.
    public var resetLetter: Letter?
    public let confirmation: Confirmation
    /// The function that decides about a new password; nil if a mailed token or the operator does.
    public let resetFunction: String?

    public init(confirmation: Confirmation, resetFunction: String? = nil) {
      self.confirmation = confirmation
      self.resetFunction = resetFunction
    }
  }

  public let allowsAnonymous: Bool
  public let allowsKeys: Bool
  public let passwords: Passwords?
  public let customTokens: CustomTokenRules?
  /// The function that authenticates users; nil if there is none.
  public let customFunction: String?
  /// Providers of ID tokens, by their names.
  public var openID: [String: OpenIDProvider] = [:]
  public var facebook: FacebookProvider?

  public init(
    allowsAnonymous: Bool = false, allowsKeys: Bool = false, passwords: Passwords? = nil,
    customTokens: CustomTokenRules? = nil, customFunction: String? = nil
  ) {
    self.allowsAnonymous = allowsAnonymous
    self.allowsKeys = allowsKeys
    self.passwords = passwords
    self.customTokens = customTokens
    self.customFunction = customFunction
  }

  /// No provider is on.
  public static let none = Providers()
  /// All providers that need no settings, for development.
  public static let open = Providers(
    allowsAnonymous: true, allowsKeys: true, passwords: Passwords(confirmation: .atOnce))
}
