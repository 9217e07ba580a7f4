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
