import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// Finds users, their accounts, sessions and keys among the store's records.
struct UserRecords {
  let reader: Reader

  static func user(_ id: ObjectID) -> Record.Name { Record.Name("user", id.description) }
  /// Leads to the user whose identity it is.
  static func identity(_ identity: User.Identity) -> Record.Name { Record.Name("identity", identity.key) }
  static func account(_ id: ObjectID) -> Record.Name { Record.Name("account", id.description) }
  /// Leads to the account of an address.
  static func email(_ email: String) -> Record.Name { Record.Name("email", EmailAddress.key(email)) }
  /// The mail that an account waits for: its purpose, and the token's identifier, not the token.
  static func letter(_ account: ObjectID) -> Record.Name { Record.Name(letterKind, account.description) }
  static let letterKind = "letter"
  static func session(_ user: ObjectID, _ id: ObjectID) -> Record.Name {
    Record.Name("session", "\(user)/\(id)")
  }
  static func key(_ user: ObjectID, _ id: ObjectID) -> Record.Name { Record.Name("userKey", "\(user)/\(id)") }
  /// Leads to the user whose key it is.
  static func owner(ofKey id: ObjectID) -> Record.Name { Record.Name("keyOwner", id.description) }

  /// Throws ``StorageError/corrupt(_:)`` where something else is there.
  func document(_ name: Record.Name) throws(StorageError) -> Document? {
    guard let bytes = try reader.record(name) else { return nil }
    guard let document = try? Document(bson: bytes) else { throw .corrupt(name.kind) }
    return document
  }

  func user(_ id: ObjectID) throws(StorageError) -> User? {
    guard let record = try document(UserRecords.user(id)) else { return nil }
    guard let user = User(id: id, record: record) else { throw .corrupt("user") }
    return user
  }

  /// Returns the user of whom the identity is one; nil if none, and for API keys.
  func user(with identity: User.Identity) throws(StorageError) -> User? {
    guard let id = try pointer(UserRecords.identity(identity)) else { return nil }
    return try user(id)
  }

  /// Returns the user who logs in so. An API key is not another identity, but another way to be its owner.
  func login(of identity: User.Identity) throws(StorageError) -> User? {
    guard identity.provider == User.Identity.apiKey else { return try user(with: identity) }
    guard let key = ObjectID(identity.subject), let owner = try pointer(UserRecords.owner(ofKey: key)) else {
      return nil
    }
    return try user(owner)
  }

  func account(_ id: ObjectID) throws(StorageError) -> PasswordAccount? {
    guard let record = try document(UserRecords.account(id)) else { return nil }
    guard let account = PasswordAccount(record: record) else { throw .corrupt("account") }
    return account
  }

  func account(of email: String) throws(StorageError) -> PasswordAccount? {
    guard let id = try pointer(UserRecords.email(email)) else { return nil }
    return try account(id)
  }

  func hasSession(_ token: UserToken) throws(StorageError) -> Bool {
    try reader.record(UserRecords.session(token.user, token.session)) != nil
  }

  /// Returns the session that a token is of; nil: it has ended.
  func session(of token: UserToken) throws(StorageError) -> Session? {
    guard let stored = try document(UserRecords.session(token.user, token.session)) else { return nil }
    return Session(id: token.session, record: stored)
  }

  func key(_ id: ObjectID, of user: ObjectID) throws(StorageError) -> UserKey? {
    guard let record = try document(UserRecords.key(user, id)) else { return nil }
    guard let key = UserKey(record: record) else { throw .corrupt("key") }
    return key
  }

  func key(showing text: String) throws(StorageError) -> UserKey? {
    guard let id = UserKey.id(in: text), let owner = try pointer(UserRecords.owner(ofKey: id)),
      let key = try key(id, of: owner), key.matches(text)
    else { return nil }
    return key
  }

  func keys(of user: ObjectID) throws(StorageError) -> [UserKey] {
    try records("userKey", of: user).compactMap { record in
      (try? Document(bson: record.value)).flatMap(UserKey.init)
    }
  }

  /// The sessions of a user that began with a key.
  func sessions(of user: ObjectID, begunWith key: ObjectID) throws(StorageError) -> [ObjectID] {
    try records("session", of: user).compactMap(session).filter { $0.key == key }.map(\.id)
  }

  /// The records of a kind whose keys begin with the user.
  func records(_ kind: String, of user: ObjectID, limit: Int = .max) throws(StorageError) -> [Record] {
    try reader.records(kind, withPrefix: "\(user)/", limit: limit)
  }

  func session(_ record: Record) -> Session? {
    guard let id = ObjectID(String(record.name.key.suffix(24))),
      let document = try? Document(bson: record.value)
    else { return nil }
    return Session(id: id, record: document)
  }

  private func pointer(_ name: Record.Name) throws(StorageError) -> ObjectID? {
    guard let document = try document(name) else { return nil }
    guard case .objectID(let id)? = document["id"] else { throw .corrupt(name.kind) }
    return id
  }
}
