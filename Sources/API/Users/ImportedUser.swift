import GatehouseAccess
public import GatehouseBSON
import GatehouseCrypto

/// A user whom another server knows, as App Services' Admin API lists them (`GET …/users`), with the identifier that their objects name.
public struct ImportedUser: Sendable {
  let user: User
  let account: PasswordAccount?
  /// Whether there is a password that the user knows, where they log in by one.
  public let hasPassword: Bool
  /// Whether the user had API keys, which are not exported.
  public let hadKeys: Bool

  /// Reads a user. Members that mean nothing here, such as times, are left out. A password may be in `password`, by scrypt:
  /// `{"scrypt": {"salt", "hash", "n", "r", "p"}}`, the texts in Base64, or by bcrypt: `{"bcrypt": "$2b$…"}`. Throws
  /// `ConfigurationError`.
  public init(_ value: Value) throws(ConfigurationError) {
    let members = try ConfigurationMembers(value)
    guard let id = members.document["_id"]?.identifier ?? members.document["id"]?.identifier else {
      throw members.error("_id", "A user has an identifier of 24 hexadecimal digits.")
    }
    guard case .array(let values)? = members.document["identities"] else {
      throw members.error("identities", "Here an array should stand.")
    }
    let data = try members.members("data")?.document ?? [:]
    let password = try ImportedUser.password(of: members)
    var identities: [User.Identity] = []
    var account: PasswordAccount?
    var hadKeys = false
    for (index, value) in values.enumerated() {
      let identity = try ConfigurationMembers(value, at: [.name("identities"), .index(index)])
      let (provider, subject) = (try identity.text("provider_type"), try identity.text("id"))
      guard User.Identity.isSubject(subject) else {
        throw identity.error("id", "No user can have that name.")
      }
      switch provider {
      case User.Identity.password:
        let email = try identity.members("provider_data")?.optionalText("email") ?? data["email"]?.plainText
        guard let email, EmailAddress.isValid(email) else {
          throw identity.error("provider_data", "An account has an address, “email”.")
        }
        guard account == nil else {
          throw identity.error("provider_type", "A user has one address with a password.")
        }
        let made = PasswordAccount(
          id: ObjectID(subject) ?? .generate(), email: email, password: password ?? .unknown(),
          isConfirmed: true)
        account = made
        identities.append(made.identity)
      case User.Identity.apiKey: hadKeys = true
      default: identities.append(User.Identity(provider, subject))
      }
    }
    var user = User(id: id, identities, data: data)
    user.isDisabled = try members.flag("disabled") ?? false
    user.customData = try members.members("custom_data")?.document ?? [:]
    (self.user, self.account, self.hadKeys) = (user, account, hadKeys)
    hasPassword = account == nil || password != nil
  }

  private static func password(of members: ConfigurationMembers) throws(ConfigurationError) -> PasswordHash? {
    guard let password = try members.members("password") else { return nil }
    if let text = try password.optionalText("bcrypt") {
      guard let hash = Bcrypt.Hash(text) else {
        throw password.error("bcrypt", "It begins with $2a$, $2b$ or $2y$, and costs no more than 2^14.")
      }
      guard Bcrypt.system != nil else {
        throw password.error(
          "bcrypt",
          "This system cannot compare with it: \(Bcrypt.libraryName) (Debian's libcrypt1) is not there.")
      }
      return PasswordHash(hash)
    }
    guard let scrypt = try password.members("scrypt") else {
      throw password.error(
        "scrypt", "Hashes are by scrypt or bcrypt; without one, the user sets a new password.")
    }
    guard let salt = Base64.decode(try scrypt.text("salt")),
      let hash = Base64.decode(try scrypt.text("hash")),
      hash.count == PasswordHash.size, let iterations = scrypt.document["n"]?.count,
      let blockSize = scrypt.document["r"]?.count, let parallelism = scrypt.document["p"]?.count,
      let cost = try? ScryptCost(iterations: iterations, blockSize: blockSize, parallelism: parallelism)
    else {
      throw password.error(
        "scrypt",
        "It has a salt and a hash of 32 bytes in Base64, and n, r and p that cost no more than ours may.")
    }
    return PasswordHash(salt: salt, cost: cost, hash: hash)
  }
}

extension Value {
  fileprivate var identifier: ObjectID? {
    switch self {
    case .objectID(let id): id
    case .string(let text): ObjectID(text)
    default: nil
    }
  }

  fileprivate var count: Int? {
    switch self {
    case .int32(let number): Int(number)
    case .int64(let number): Int(number)
    default: nil
    }
  }
}
