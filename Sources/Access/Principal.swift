/// Who asks, as far as is known.
public struct Principal: Hashable, Sendable {
  /// What kind of caller it is.
  public enum Kind: Hashable, Sendable {
    /// Without a credential.
    case anyone
    /// With an API key of the gateway.
    case key(id: String)
    /// With the access token of a user.
    case user(id: String)
  }

  public let kind: Kind
  public let role: Role
  /// What filters of the role can ask; nil: everything is null.
  public let values: CallerValues?

  public init(_ kind: Kind, role: Role, values: CallerValues? = nil) {
    self.kind = kind
    self.role = role
    self.values = values
  }

  /// Distinguishes it from others, in what is kept for each: no two have the same.
  public var id: String {
    switch kind {
    case .anyone: ""
    case .key(let id): "key/\(id)"
    case .user(let id): "user/\(id)"
    }
  }
}
