/// The roles that an operator has defined, by their names.
public struct Policy: Hashable, Sendable {
  /// The role of users who were given none.
  public static let userRole = "user"
  /// The role of callers without a credential.
  public static let anyoneRole = "anyone"

  public let roles: [String: Role]

  public init(_ roles: [String: Role] = [:]) {
    self.roles = roles
  }

  /// The role of that name, built-in ones included.
  public subscript(name: String) -> Role? {
    Role.builtIn.first { $0.name == name } ?? roles[name]
  }
}
