public import GatehouseAccess

/// A mail with a token for an account, which somebody else writes and sends.
public struct AccountMail: Hashable, Sendable {
  public let purpose: PasswordAccount.Purpose
  public let email: String
  public let subject: String
  /// The link that shows the token to the page which takes it.
  public let link: String

  /// Takes a mail that is to be sent, and calls `done` once it is, or is given up. False: too many wait.
  public typealias Post = @Sendable (AccountMail, _ done: @escaping @Sendable () -> Void) -> Bool

  init(
    _ purpose: PasswordAccount.Purpose, to email: String, _ letter: Providers.Passwords.Letter,
    token: String, tokenID: String
  ) {
    (self.purpose, self.email, subject) = (purpose, email, letter.subject)
    let separator = letter.url.contains("?") ? "&" : "?"
    link = "\(letter.url)\(separator)token=\(token)&tokenId=\(tokenID)"
  }
}
