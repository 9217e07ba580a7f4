import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// Removes what nobody can use any more.
struct UserPurge: Sendable {
  /// The number of records that are looked at in one piece.
  private static let portion = 500

  let store: UserStore
  let limits: Users.Limits
  let registrations: RegistrationLimits
  let revocations: Revocations

  /// Removes sessions whose tokens have ended, and anonymous users who have no session and no key: nobody can be them
  /// again. It takes a while, and writers come in between.
  func run() async throws {
    guard store.store.isWritable else { return }
    try await purgeSessions()
    guard limits.anonymousDays > 0 else { return }
    try await purgeAnonymous()
    registrations.recount()
  }

  private func purgeSessions() async throws {
    let now = store.clock().seconds
    try await purge("session", startingWith: "") { record, records in
      guard let session = records.session(record), try self.isOver(session, at: now, records) else {
        return []
      }
      return [RecordChange(record.name, nil, expecting: .value(record.value))]
    } then: { names in
      for name in names {
        guard let id = ObjectID(String(name.key.suffix(24))) else { continue }
        self.revocations.end(.session(id), .sessionEnded)
      }
    }
  }

  private func isOver(_ session: Session, at now: Int64, _ records: UserRecords) throws -> Bool {
    if session.end <= now { return true }
    guard limits.anonymousDays > 0, session.used.seconds + Int64(limits.anonymousDays) * 86_400 <= now else {
      return false
    }
    return try records.user(session.user)?.isAnonymous ?? true
  }

  private func purgeAnonymous() async throws {
    try await purge("identity", startingWith: "\(User.Identity.anonymous)/") { record, records in
      guard let pointer = try? Document(bson: record.value), case .objectID(let id)? = pointer["id"] else {
        return []
      }
      let removal = RecordChange(record.name, nil, expecting: .value(record.value))
      guard let user = try records.user(id) else { return [removal] }
      guard user.isAnonymous, try records.records("session", of: id, limit: 1).isEmpty,
        try records.records("userKey", of: id, limit: 1).isEmpty,
        let value = try records.reader.record(UserRecords.user(id))
      else { return [] }
      return [removal, RecordChange(UserRecords.user(id), nil, expecting: .value(value))]
    } then: { _ in
    }
  }

  /// Goes through the records of a kind whose keys start with `prefix` in pieces, and does what is to be done about
  /// each, unless it has changed meanwhile: then the next time.
  private func purge(
    _ kind: String, startingWith prefix: String,
    _ changes: @escaping @Sendable (Record, UserRecords) throws -> [RecordChange],
    then didRemove: ([Record.Name]) -> Void
  ) async throws {
    var last = prefix
    while true {
      let (removals, next) = try await store.read { [last] records in
        let page = try records.reader.records(kind, after: last, limit: UserPurge.portion)
        let meant = page.prefix { $0.name.key.utf8.starts(with: prefix.utf8) }
        return (
          try meant.flatMap { try changes($0, records) },
          meant.count == UserPurge.portion ? meant.last?.name.key : nil
        )
      }
      if !removals.isEmpty, try await store.store.keep(removals) { didRemove(removals.map(\.name)) }
      guard let next else { return }
      precondition(last.utf8.lexicographicallyPrecedes(next.utf8), "a record is looked at once")
      last = next
    }
  }
}
