import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import GatehouseTriggers

/// Users as such: what is known of them, and their end.
struct Profiles: Sendable {
  let store: UserStore
  let sessions: Sessions
  let revocations: Revocations

  /// Returns what a user is told of themselves. Throws ``UserError``.
  func profile(_ text: String) async throws -> Document {
    let (user, key, customData) = try await store.read { records in
      let (user, token) = try sessions.user(showing: text, .access, records)
      return (user, try records.session(of: token)?.key, try sessions.customData.data(of: user, records))
    }
    // A key is another way to be its owner, and no identity of theirs: clients expect to see it after a login with it.
    let keys = key.map { [User.Identity(User.Identity.apiKey, $0.description)] } ?? []
    let identities = (user.identities + keys).map { identity in
      Value.document([
        "id": .string(identity.subject), "provider_type": .string(identity.provider),
        "provider_id": .string(UserToken.domain),
      ])
    }
    return [
      "user_id": .string(user.id.description), "domain_id": .string(UserToken.domain),
      "identities": .array(identities), "data": .document(user.data), "custom_data": .document(customData),
      "type": .string("normal"),
    ]
  }

  /// Deletes a user, with everything that is kept of them. Throws ``UserError``.
  func delete(_ text: String) async throws {
    let id = try await store.read { try sessions.user(showing: text, .access, $0).user.id }
    let now = store.clock()
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
      let told = try sessions.events.records(
        of: .delete, by: user.identities.map(\.provider), user.values.document, at: now)
      return (names.map(RecordChange.init(removing:)) + all + told, ())
    }
    sessions.events.didAppend()
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

  /// Returns what operators are shown of a user. Throws ``UserError/unknownUser``.
  func summary(of id: ObjectID) async throws -> Document {
    try await store.read { records in
      guard var user = try records.user(id) else { throw UserError.unknownUser }
      user.customData = try sessions.customData.data(of: user, records)
      return user.summary
    }
  }

  /// Changes a user's custom data by a merge patch (RFC 7396), and the roles that they were given; what is nil stays. Streams of
  /// the user end. Throws ``UserError/unknownUser``, ``UserError/tooMuchData``, and ``UserError/dataOfClass`` for data that is not the
  /// user's own.
  func change(_ id: ObjectID, customData patch: Document?, roles: [String]?) async throws {
    if patch != nil, sessions.customData.isOfClass { throw UserError.dataOfClass }
    let isChange = try await store.change { records in
      guard var user = try records.user(id) else { throw UserError.unknownUser }
      let before = user.record
      if let roles { user.grantedRoles = roles }
      if let patch { user.customData = user.customData.merged(with: patch) }
      guard Value.document(user.customData).plainJSON.count <= UserToken.mostUserData else {
        throw UserError.tooMuchData
      }
      guard user.record != before else { return ([], false) }
      return ([try RecordChange(UserRecords.user(id), user.record, expecting: .some(before))], true)
    }
    if isChange { revocations.end(.user(id.description), .accessChanged) }
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

extension User {
  /// The user as operators see them.
  fileprivate var summary: Document {
    let identities = identities.map { identity in
      Value.document(["id": .string(identity.subject), "provider": .string(identity.provider)])
    }
    return [
      "id": .string(id.description), "identities": .array(identities), "data": .document(data),
      "customData": .document(customData), "roles": .array(grantedRoles.map { .string($0) }),
      "disabled": .bool(isDisabled),
    ]
  }
}

extension Document {
  /// RFC 7396 §2.
  fileprivate func merged(with patch: Document) -> Document {
    var result = self
    for element in patch.elements {
      let index = result.elements.firstIndex { $0.key == element.key }
      switch (element.value, index) {
      case (.null, nil): break
      case (.null, let index?): result.elements.remove(at: index)
      case (.document(let inner), let index?):
        let old: Document = if case .document(let old) = result.elements[index].value { old } else { [:] }
        result.elements[index].value = .document(old.merged(with: inner))
      case (.document(let inner), nil): result.append(element.key, .document(Document().merged(with: inner)))
      case (_, let index?): result.elements[index] = element
      case (_, nil): result.elements.append(element)
      }
    }
    return result
  }
}
