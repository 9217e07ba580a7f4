import GatehouseAccess
import GatehouseBSON
import GatehouseSharing
import GatehouseStorage

/// Logs users in who show their credential with each request, and remembers the access tokens, so that a request after the
/// first neither begins a session nor computes the hash of a password. It belongs to one loop.
struct HeaderLogins {
  /// The most credentials that are remembered.
  private static let capacity = 1_024
  /// Seconds before the end of a token in which it is used no more: the request may take a while.
  private static let margin: Int64 = 60

  private var tokens = GenerationalCache<[UInt8], String>(budget: capacity)

  /// Returns the token that was given for the credential, if it is good still.
  mutating func token(for credential: HeaderCredential, of users: Users, _ reader: Reader) -> String? {
    guard let text = tokens[credential.digest],
      let token = try? users.sessions.user(showing: text, .access, UserRecords(reader: reader)).token,
      token.end - users.clock().seconds > Self.margin
    else { return nil }
    return text
  }

  mutating func remember(_ token: String, for credential: HeaderCredential) {
    tokens.add(token, for: credential.digest)
  }
}
