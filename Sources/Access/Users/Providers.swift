/// How users may log in.
public struct Providers: Sendable {
  /// What holds for addresses with passwords.
  public struct Passwords: Hashable, Sendable {
    /// Whether a new account can be used at once.
    public let isConfirmedAtOnce: Bool

    public init(isConfirmedAtOnce: Bool) {
      self.isConfirmedAtOnce = isConfirmedAtOnce
    }
  }

  public let allowsAnonymous: Bool
  public let allowsKeys: Bool
  public let passwords: Passwords?
  public let customTokens: CustomTokenRules?

  public init(
    allowsAnonymous: Bool = false, allowsKeys: Bool = false, passwords: Passwords? = nil,
    customTokens: CustomTokenRules? = nil
  ) {
    self.allowsAnonymous = allowsAnonymous
    self.allowsKeys = allowsKeys
    self.passwords = passwords
    self.customTokens = customTokens
  }

  /// Nobody logs in.
  public static let none = Providers()
  /// For development: everybody, at once.
  public static let open = Providers(
    allowsAnonymous: true, allowsKeys: true, passwords: Passwords(isConfirmedAtOnce: true))
}
