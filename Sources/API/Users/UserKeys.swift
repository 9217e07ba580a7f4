import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// The API keys that users make for themselves. All of it is asked with a refresh token, as App Services has it.
struct UserKeys: Sendable {
  /// The most keys that a user may have, as App Services has it.
  private static let limit = 20

  let store: UserStore
  let sessions: Sessions
  let revocations: Revocations

  func list(_ token: String) async throws -> [UserKey] {
    try await store.read { try $0.keys(of: sessions.user(showing: token, .refresh, $0).user.id) }
  }

  func key(_ id: ObjectID, _ token: String) async throws -> UserKey {
    try await store.read { records in
      let user = try sessions.user(showing: token, .refresh, records).user
      guard let key = try records.key(id, of: user.id) else { throw UserError.unknownKey }
      return key
    }
  }

  func make(_ name: String, _ token: String) async throws -> (key: UserKey, text: String) {
    guard UserKey.isName(name) else { throw UserError.badKeyName }
    return try await store.change { records in
      let user = try sessions.user(showing: token, .refresh, records).user
      guard try records.keys(of: user.id).count < UserKeys.limit else { throw UserError.badKeyName }
      let made = UserKey.make(name, of: user.id)
      return (
        [
          try RecordChange(UserRecords.key(user.id, made.key.id), made.key.record),
          try RecordChange(UserRecords.owner(ofKey: made.key.id), ["id": .objectID(user.id)]),
        ], made
      )
    }
  }

  /// Lets a key be used again, or no more: then the sessions that began with it end.
  func set(_ id: ObjectID, isDisabled: Bool, _ token: String) async throws {
    let ended = try await store.change { records in
      let user = try sessions.user(showing: token, .refresh, records).user
      guard var key = try records.key(id, of: user.id) else { throw UserError.unknownKey }
      let before = key.record
      key.isDisabled = isDisabled
      let began = isDisabled ? try records.sessions(of: user.id, begunWith: id) : []
      let names = began.map { UserRecords.session(user.id, $0) }
      return (
        [try RecordChange(UserRecords.key(user.id, id), key.record, expecting: .some(before))]
          + names.map(RecordChange.init(removing:)), began
      )
    }
    end(ended)
  }

  /// Ends the streams of sessions that are none any more.
  private func end(_ sessions: [ObjectID]) {
    for session in sessions { revocations.end(.session(session), .sessionEnded) }
  }

  /// Takes a key away, and ends the sessions that began with it.
  func delete(_ id: ObjectID, _ token: String) async throws {
    let ended = try await store.change { records in
      let (user, token) = try sessions.user(showing: token, .refresh, records)
      guard try records.key(id, of: user.id) != nil else { throw UserError.unknownKey }
      let began = try records.sessions(of: user.id, begunWith: id)
      guard !began.contains(token.session) else { throw UserError.keyInUse }
      let names =
        began.map { UserRecords.session(user.id, $0) }
        + [UserRecords.key(user.id, id), UserRecords.owner(ofKey: id)]
      return (names.map(RecordChange.init(removing:)), began)
    }
    end(ended)
  }
}
