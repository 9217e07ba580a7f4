import Access
import BSON
import Storage

/// What the operator sees of users, and does with them.
extension Users {
  /// The accounts whose addresses come after that one, and where the next ones begin; nil: those were the last.
  func accounts(after start: String, limit: Int) async throws -> (accounts: [Document], next: String?) {
    try await read { records in
      let names = try records.reader.records("email", after: start, limit: limit + 1).map(\.name.key)
      let accounts = try names.prefix(limit).compactMap { key -> Document? in
        guard let account = try records.account(of: key) else { return nil }
        var document: Document = [
          "email": .string(account.email), "confirmed": .bool(account.isConfirmed),
        ]
        if let user = try records.user(with: account.identity) {
          document.append("user", .string(user.id.description))
          document.append("disabled", .bool(user.isDisabled))
        }
        return document
      }
      return (accounts, names.count > limit ? names[limit - 1] : nil)
    }
  }

  /// Confirms an account, if it is not. Throws ``UserError/unknownUser``.
  func confirm(email: String) async throws {
    try await edit(try await requireAccount(of: email).id) { $0.confirm() }
  }

  /// Shuts a user out, or lets them in again. Throws ``UserError/unknownUser``.
  func setUser(_ id: ObjectID, isDisabled: Bool) async throws {
    try await change { records in
      guard var user = try records.user(id) else { throw UserError.unknownUser }
      let before = user.record
      user.isDisabled = isDisabled
      return ([try RecordChange(UserRecords.user(id), user.record, expecting: .some(before))], ())
    }
    if isDisabled { revocations.end(.user(id.description), .userDisabled) }
  }
}
