/// Whether a user can be used.
public typealias UserState = RLMUserState

/// Whether a user can be used.
public enum RLMUserState: UInt, Sendable {
  /// The user has no tokens: whoever is meant logs in again.
  case loggedOut = 0
  /// The user has tokens.
  case loggedIn = 1
  /// The user is none of the app's any more.
  case removed = 2
}

/// An account by which a user can log in.
public typealias UserIdentity = RLMUserIdentity

/// An account by which a user can log in.
public struct RLMUserIdentity: Hashable, Sendable {
  /// The provider of the account, as `local-userpass`.
  public let providerType: String
  /// The name of the account with its provider.
  public let identifier: String
}

/// The things that providers tell of a user.
public typealias UserProfile = RLMUserProfile

/// The things that providers tell of a user.
public struct RLMUserProfile: Hashable, Sendable {
  /// Everything that is known, by the names that the server has for it.
  public let metadata: Document

  init(_ metadata: Document) { self.metadata = metadata }

  private func text(_ name: String) -> String? { metadata[name]??.stringValue }

  /// The full name.
  public var name: String? { text("name") }
  /// The address.
  public var email: String? { text("email") }
  /// The URL of a picture.
  public var pictureURL: String? { text("picture_url") ?? text("picture") }
  /// The first name.
  public var firstName: String? { text("first_name") }
  /// The last name.
  public var lastName: String? { text("last_name") }
  /// The gender.
  public var gender: String? { text("gender") }
  /// The date of birth.
  public var birthday: String? { text("birthday") }
  /// The least age that the user may have.
  public var minAge: String? { text("min_age") }
  /// The greatest age that the user may have.
  public var maxAge: String? { text("max_age") }
}
