import GatehouseBSON

/// The proof by which somebody logs in.
@frozen
public enum Credentials: Sendable {
  /// A token of Facebook's.
  case facebook(accessToken: String)
  /// A code of Google's, which the server exchanges for a token.
  case google(serverAuthCode: String)
  /// A token of Google's that says who somebody is.
  case googleId(token: String)
  /// A token of Apple's that says who somebody is.
  case apple(idToken: String)
  /// An address and its password.
  case emailPassword(email: String, password: String)
  /// A token of another issuer's.
  case jwt(token: String)
  /// A document for the app's own function.
  case function(payload: Document)
  /// A key of a user.
  case userAPIKey(String)
  /// A key of the app.
  case serverAPIKey(String)
  /// Nothing: a new user, who is known by nothing.
  case anonymous
}

extension Credentials {
  /// The name of the provider in the server's paths.
  var provider: String {
    switch self {
    case .facebook: "oauth2-facebook"
    case .google, .googleId: "oauth2-google"
    case .apple: "oauth2-apple"
    case .emailPassword: "local-userpass"
    case .jwt: "custom-token"
    case .function: "custom-function"
    case .userAPIKey, .serverAPIKey: "api-key"
    case .anonymous: AnonymousUser.provider
    }
  }

  var isAnonymous: Bool { if case .anonymous = self { true } else { false } }

  /// The content of the request that logs in from a device.
  func content(_ device: GatehouseBSON.Document) -> GatehouseBSON.Value {
    var content = proof
    // A function gets what the program has said, and nothing else.
    if case .function = self {} else { content.append("provider", .string(provider)) }
    content.append("options", .document(["device": .document(device)]))
    return .document(content)
  }

  private var proof: GatehouseBSON.Document {
    switch self {
    case .facebook(let token): ["accessToken": .string(token)]
    case .google(let code): ["authCode": .string(code)]
    case .googleId(let token), .apple(let token): ["id_token": .string(token)]
    case .emailPassword(let email, let password): ["username": .string(email), "password": .string(password)]
    case .jwt(let token): ["token": .string(token)]
    case .userAPIKey(let key), .serverAPIKey(let key): ["key": .string(key)]
    case .anonymous: [:]
    case .function(let payload):
      if case .document(let document) = AnyBSON.document(payload).stored { document } else { [:] }
    }
  }
}

/// Users who are known by nothing.
enum AnonymousUser {
  static let provider = "anon-user"
}
