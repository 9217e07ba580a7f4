public import GatehouseBSON

/// The caller of a request: kind of credential, role and values.
public struct Principal: Hashable, Sendable {
  /// The kind of credential behind a caller.
  public enum Kind: Hashable, Sendable {
    /// Without a credential.
    case anyone
    /// With an API key of the gateway.
    case key(id: String)
    /// With the access token of a user.
    case user(id: String)
  }

  /// The shared content: handing on a principal costs one count of references.
  private final class Content: Sendable {
    let kind: Kind
    let role: Role
    let values: CallerValues?
    let token: UserToken?

    init(kind: Kind, role: Role, values: CallerValues?, token: UserToken?) {
      self.kind = kind
      self.role = role
      self.values = values
      self.token = token
    }
  }

  private let content: Content

  public var kind: Kind { content.kind }
  public var role: Role { content.role }
  /// The values that filters of the role may name; nil if each of them is null.
  public var values: CallerValues? { content.values }

  /// The token that a user showed; nil: it was not one. It makes nobody another caller.
  public var token: UserToken? { content.token }

  public init(_ kind: Kind, role: Role, values: CallerValues? = nil, token: UserToken? = nil) {
    content = Content(kind: kind, role: role, values: values, token: token)
  }

  /// Returns the same caller at a request of that time, which filters of the role may name.
  public func asking(at time: Date) -> Principal {
    Principal(kind, role: role, values: CallerValues(values?.document ?? [:], time: time), token: token)
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.content === right.content
      || left.kind == right.kind && left.role == right.role && left.values == right.values
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(role)
    hasher.combine(values)
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
