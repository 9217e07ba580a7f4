import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP

/// A credential that clients of the Data API show with each request, in fields of its own.
enum HeaderCredential: Hashable, Sendable {
  case key(String)
  case password(email: String, password: String)
  case token(String)

  /// The fields that it may be in.
  private static let names: Set<String> = ["api-key", "apikey", "email", "password", "jwttokenstring"]

  /// Has a request show a token in its place.
  static func replace(in fields: inout Fields, by token: String) {
    fields = Fields(fields.lines.filter { !names.contains($0.name) })
    fields.append("authorization", "Bearer \(token)")
  }

  /// Nil: there is none, or there is one in Authorization, which counts.
  init?(_ fields: Fields) {
    if fields.contains("authorization") { return nil }
    if let key = fields["api-key"] ?? fields["apikey"] {
      self = .key(key)
    } else if let email = fields["email"], let password = fields["password"] {
      self = .password(email: email, password: password)
    } else if let token = fields["jwttokenstring"] {
      self = .token(token)
    } else {
      return nil
    }
  }

  var payload: LoginPayload {
    switch self {
    case .key(let key): .key(key)
    case .password(let email, let password): .password(email: email, password: password)
    case .token(let token): .customToken(token)
    }
  }

  /// The provider that takes it, and the content of a request to log in by it.
  var login: (provider: String, content: Document) {
    switch self {
    case .key(let key): (User.Identity.apiKey, ["key": .string(key)])
    case .password(let email, let password):
      (User.Identity.password, ["username": .string(email), "password": .string(password)])
    case .token(let token): (User.Identity.customToken, ["token": .string(token)])
    }
  }

  /// A digest that distinguishes it from others: passwords are not kept in memory.
  var digest: [UInt8] {
    let parts: [String] =
      switch self {
      case .key(let key): ["key", key]
      case .password(let email, let password): ["password", email, password]
      case .token(let token): ["token", token]
      }
    return Digest.sha256.hash(parts.flatMap { Array($0.utf8) + [0xFF] })
  }
}
