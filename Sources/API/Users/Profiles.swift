import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// Users as such: what is known of them, and their end.
struct Profiles: Sendable {
  let store: UserStore
  let sessions: Sessions
  let revocations: Revocations

  /// Returns what a user is told of themselves. Throws ``UserError``.
  func profile(_ text: String) async throws -> Document {
    let user = try await store.read { try sessions.user(showing: text, .access, $0).user }
    let identities = user.identities.map { identity in
      Value.document([
        "id": .string(identity.subject), "provider_type": .string(identity.provider),
        "provider_id": .string(UserToken.domain),
      ])
    }
    return [
      "user_id": .string(user.id.description), "domain_id": .string(UserToken.domain),
      "identities": .array(identities), "data": .document(user.data), "type": .string("normal"),
    ]
  }

  /// Deletes a user, with everything that is kept of them. Throws ``UserError``.
  func delete(_ text: String) async throws {
    let id = try await store.read { try sessions.user(showing: text, .access, $0).user.id }
    try await store.change { records in
      guard let user = try records.user(id) else { throw UserError.noSession }
      var names = [UserRecords.user(id)]
      for identity in user.identities {
        names.append(UserRecords.identity(identity))
        guard identity.provider == User.Identity.password, let account = ObjectID(identity.subject) else {
          continue
        }
        names.append(UserRecords.account(account))
        if let email = try records.account(account)?.email { names.append(UserRecords.email(email)) }
      }
      names += try records.keys(of: id).map { UserRecords.owner(ofKey: $0.id) }
      let all = ["session", "userKey"].map { RecordChange(removingAll: $0, withPrefix: "\(id)/") }
      return (names.map(RecordChange.init(removing:)) + all, ())
    }
    revocations.end(.user(id.description), .userDeleted)
  }

  /// Shuts a user out, or lets them in again. Throws ``UserError/unknownUser``.
  func set(_ id: ObjectID, isDisabled: Bool) async throws {
    try await store.change { records in
      guard var user = try records.user(id) else { throw UserError.unknownUser }
      let before = user.record
      user.isDisabled = isDisabled
      return ([try RecordChange(UserRecords.user(id), user.record, expecting: .some(before))], ())
    }
    if isDisabled { revocations.end(.user(id.description), .userDisabled) }
  }

  /// Returns the roles that an operator or a function gave a user. Throws ``UserError/unknownUser``.
  func grantedRoles(of id: ObjectID) async throws -> [String] {
    try await store.read { records in
      guard let user = try records.user(id) else { throw UserError.unknownUser }
      return user.grantedRoles
    }
  }

  /// Gives a user those roles, in the place of others that they were given. Streams of the user end. Throws
  /// ``UserError/unknownUser``.
  func setGrantedRoles(_ roles: [String], of id: ObjectID) async throws {
    let isChange = try await store.change { records in
      guard var user = try records.user(id) else { throw UserError.unknownUser }
      guard user.grantedRoles != roles else { return ([], false) }
      let before = user.record
      user.grantedRoles = roles
      return ([try RecordChange(UserRecords.user(id), user.record, expecting: .some(before))], true)
    }
    if isChange { revocations.end(.user(id.description), .accessChanged) }
  }
}
