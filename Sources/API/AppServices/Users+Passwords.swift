public import Access
import BSON
import Storage

/// Addresses with passwords.
extension Users {
  /// Makes an account. Throws ``AppFault``.
  func register(email: String, password: String, from client: UInt64) async throws {
    guard let rules = providers.passwords else { throw AppFault.unknownProvider }
    guard !email.isEmpty, email.utf8.count <= PasswordAccount.longestEmail, !email.contains("\0") else {
      throw AppFault.badEmail
    }
    try checkLength(of: password)
    try countAttempt(nil, from: client)
    let hash = await work.hash(password)
    let account = PasswordAccount(email: email, password: hash, isConfirmed: rules.isConfirmedAtOnce)
    let isNew = try await store.keep([
      try RecordChange(UserRecords.email(email), ["id": .objectID(account.id)], expecting: .some(nil)),
      try RecordChange(UserRecords.account(account.id), account.record, expecting: .some(nil)),
    ])
    guard isNew else { throw AppFault.nameInUse }
  }

  private func checkLength(of password: String) throws(AppFault) {
    guard PasswordAccount.passwordLengths.contains(password.count) else { throw .badPasswordLength }
  }

  /// A token that lets whoever gets it confirm an account, or set its password. It is for the operator to send it.
  ///
  /// Throws ``AppFault``.
  public func expect(
    _ purpose: PasswordAccount.Purpose, of email: String
  ) async throws -> (token: String, tokenID: String) {
    let now = clock()
    return try await change { records in
      guard var account = try records.account(of: email) else { throw AppFault.unknownUser }
      if purpose == .confirm, account.isConfirmed { throw AppFault.alreadyConfirmed }
      let before = account.record
      let tokens = account.expect(purpose, at: now)
      let change = try RecordChange(
        UserRecords.account(account.id), account.record, expecting: .some(before))
      return ([change], tokens)
    }
  }

  /// Confirms an account. Throws ``AppFault``.
  func confirm(token: String, tokenID: String, from client: UInt64) async throws {
    try countAttempt(nil, from: client)
    try await accept(token, tokenID, .confirm) { _ in }
    forgetAttempts(nil, from: client)
  }

  /// Sets a password, by a token; whoever is logged in with the old one is logged out. Throws ``AppFault``.
  func reset(token: String, tokenID: String, password: String, from client: UInt64) async throws {
    try checkLength(of: password)
    try countAttempt(nil, from: client)
    let hash = await work.hash(password)
    try await accept(token, tokenID, .reset) { $0.password = hash }
    forgetAttempts(nil, from: client)
  }

  private func accept(
    _ token: String, _ tokenID: String, _ purpose: PasswordAccount.Purpose,
    _ body: @escaping @Sendable (inout PasswordAccount) -> Void
  ) async throws {
    let now = clock()
    try await change { records in
      guard let id = PasswordAccount.account(of: token), var account = try records.account(id) else {
        throw AppFault.badPasswordToken
      }
      let before = account.record
      guard account.accept(token, tokenID, for: purpose, at: now) else { throw AppFault.badPasswordToken }
      body(&account)
      var changes = [
        try RecordChange(UserRecords.account(id), account.record, expecting: .some(before))
      ]
      if purpose == .reset, let user = try records.user(with: account.identity) {
        for session in try records.records("session", of: user.id) {
          changes.append(RecordChange(removing: session.name))
        }
      }
      return (changes, ())
    }
  }

  /// Why nothing is sent to an address. Throws ``AppFault`` always: the operator sends tokens.
  func refuseToSend(_ purpose: PasswordAccount.Purpose, to email: String, from client: UInt64) async throws {
    try countAttempt(nil, from: client)
    guard let account = try await read({ try $0.account(of: email) }) else { throw AppFault.unknownUser }
    if purpose == .confirm {
      if account.isConfirmed {
        throw providers.passwords?.isConfirmedAtOnce == true
          ? AppFault.automaticConfirmation : AppFault.alreadyConfirmed
      }
    }
    throw AppFault.noMail
  }
}
