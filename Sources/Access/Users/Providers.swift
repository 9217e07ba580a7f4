/// How users may log in.
public struct Providers: Sendable {
  /// The settings of the provider for e-mail addresses with passwords.
  public struct Passwords: Hashable, Sendable {
    /// How an account becomes one that can be used.
    public enum Confirmation: Hashable, Sendable {
      /// It is one from the beginning.
      case atOnce
      /// By a token that whoever registers has to show, or by the operator.
      case byToken
      /// As the function of that name says, which gets the token.
      case byFunction(String)
    }

    public let confirmation: Confirmation
    /// The function that says whether somebody may have another password; nil: tokens and the operator do.
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
  /// The function that says who somebody is; nil: none does.
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

  /// Nobody logs in.
  public static let none = Providers()
  /// For development: everybody, at once.
  public static let open = Providers(
    allowsAnonymous: true, allowsKeys: true, passwords: Passwords(confirmation: .atOnce))
}
