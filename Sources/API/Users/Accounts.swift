import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// Addresses with passwords: they are made, confirmed, and get other passwords.
struct Accounts: Sendable {
  let store: UserStore
  let providers: ProvidersInForce
  let hashes: PasswordHashes
  let attempts: LoginAttempts
  let registrations: RegistrationLimits
  let revocations: Revocations
  let letters: AccountLetters

  /// Nil: nobody logs in with a password.
  private var rules: Providers.Passwords? { providers.current.passwords }

  /// Makes an account. Throws ``UserError``.
  func register(
    email: String, password: String, from client: UInt64, _ functions: AccountFunctions
  ) async throws {
    guard let rules else { throw UserError.unknownProvider }
    guard EmailAddress.isValid(email) else { throw UserError.badEmail }
    try checkLength(of: password)
    try registrations.count(from: client)
    let hash = try await hashes.hash(password, for: client)
    let account = PasswordAccount(
      email: email, password: hash, isConfirmed: rules.confirmation == .atOnce)
    let isNew = try await store.store.keep([
      try RecordChange(UserRecords.email(email), ["id": .objectID(account.id)], expecting: .some(nil)),
      try RecordChange(UserRecords.account(account.id), account.record, expecting: .some(nil)),
    ])
    guard isNew else { throw UserError.nameInUse }
    guard case .byFunction(let name) = rules.confirmation else {
      // An account of which the mail does not leave can ask for another one.
      if rules.confirmation == .byToken { try? await sendLetter(.confirm, to: account) }
      return
    }
    do {
      try await confirm(account.id, as: email, by: name, functions)
    } catch {
      try await forget(account.id)
      throw error
    }
  }

  private func checkLength(of password: String) throws(UserError) {
    guard PasswordAccount.passwordLengths.contains(password.count) else { throw .badPasswordLength }
  }

  /// Takes an account away that was not confirmed.
  private func forget(_ id: ObjectID) async throws {
    try await store.change { records in
      guard let account = try records.account(id), !account.isConfirmed else { return ([], ()) }
      return (
        [
          RecordChange(removing: UserRecords.account(id)),
          RecordChange(removing: UserRecords.email(account.email)),
        ], ()
      )
    }
  }

  /// Asks the function once more whether an account may be used. Throws ``UserError``.
  func callConfirmation(
    of email: String, from client: UInt64, _ functions: AccountFunctions
  ) async throws {
    guard let rules else { throw UserError.unknownProvider }
    if rules.confirmation == .atOnce { throw UserError.automaticConfirmation(email) }
    try await attempts.count(from: client) {
      let account = try await requireAccount(of: email)
      guard !account.isConfirmed else { throw UserError.alreadyConfirmed }
      guard case .byFunction(let name) = rules.confirmation else { throw UserError.noFunction }
      try await confirm(account.id, as: email, by: name, functions)
    }
  }

  /// `email` is the address as the client wrote it: it is not told how somebody else did.
  private func confirm(
    _ id: ObjectID, as email: String, by name: String, _ functions: AccountFunctions
  ) async throws {
    let (username, token, tokenID) = try await expect(.confirm, of: id)
    let argument: Document = [
      "username": .string(username), "token": .string(token), "tokenId": .string(tokenID),
    ]
    switch await functions.decision(of: name, [.document(argument)]) {
    case .pending: break
    case .fail: throw UserError.confirmationFailed(email)
    case .success: try await edit(id) { $0.confirm() }
    }
  }

  /// Confirms an account. Throws ``UserError``.
  func confirm(token: String, tokenID: String, from client: UInt64) async throws {
    try await attempts.count(from: client) { try await accept(token, tokenID, for: .confirm) { _ in } }
  }

  /// Asks the function whether somebody may have another password. An address without an account is refused as by the
  /// function, which is not asked: it would send letters to whomever. Throws ``UserError``.
  func callReset(
    of email: String, password: String, _ arguments: [Value], from client: UInt64,
    _ functions: AccountFunctions
  ) async throws {
    guard let rules else { throw UserError.unknownProvider }
    try checkLength(of: password)
    guard let name = rules.resetFunction else { throw UserError.noFunction }
    try await attempts.count(from: client) {
      let account = try await store.read { try $0.account(of: email) }
      let isCurrent = try await hashes.matches(account?.password, password, for: client)
      guard let account else { throw UserError.resetFailed(email) }
      let (_, token, tokenID) = try await expect(.reset, of: account.id)
      let argument: Document = [
        "username": .string(account.email), "token": .string(token), "tokenId": .string(tokenID),
        "password": .string(password), "currentPasswordValid": .bool(isCurrent),
      ]
      switch await functions.decision(of: name, [.document(argument)] + arguments) {
      case .pending: break
      case .fail: throw UserError.resetFailed(email)
      case .success: try await accept(token, tokenID, password: password, from: client)
      }
    }
  }

  /// Sets a password, by a token; whoever is logged in with the old one is logged out. Throws ``UserError``.
  func reset(token: String, tokenID: String, password: String, from client: UInt64) async throws {
    try checkLength(of: password)
    try await attempts.count(from: client) {
      try await accept(token, tokenID, password: password, from: client)
    }
  }

  private func accept(
    _ token: String, _ tokenID: String, password: String, from client: UInt64
  ) async throws {
    let hash = try await hashes.hash(password, for: client)
    try await accept(token, tokenID, for: .reset) { $0.password = hash }
  }

  /// Returns a token that lets whoever gets it confirm an account, or set its password. It is for the operator to
  /// send it.
  ///
  /// Throws ``UserError``.
  func expect(
    _ purpose: PasswordAccount.Purpose, of email: String
  ) async throws -> (token: String, tokenID: String) {
    let account = try await requireAccount(of: email)
    if purpose == .confirm, account.isConfirmed { throw UserError.alreadyConfirmed }
    let (_, token, tokenID) = try await expect(purpose, of: account.id)
    return (token, tokenID)
  }

  private func expect(
    _ purpose: PasswordAccount.Purpose, of id: ObjectID
  ) async throws -> (email: String, token: String, tokenID: String) {
    let now = store.clock()
    return try await edit(id) { account in
      let (token, tokenID) = account.expect(purpose, at: now)
      return (account.email, token, tokenID)
    }
  }

  /// Changes an account. Throws ``UserError/unknownUser``.
  @discardableResult
  func edit<Result: Sendable>(
    _ id: ObjectID, _ body: @escaping @Sendable (inout PasswordAccount) -> Result
  ) async throws -> Result {
    try await store.change { records in
      guard var account = try records.account(id) else { throw UserError.unknownUser }
      let before = account.record
      let result = body(&account)
      return (
        [try RecordChange(UserRecords.account(id), account.record, expecting: .some(before))], result
      )
    }
  }

  func requireAccount(of email: String) async throws -> PasswordAccount {
    guard let account = try await store.read({ try $0.account(of: email) }) else {
      throw UserError.unknownUser
    }
    return account
  }

  private func accept(
    _ token: String, _ tokenID: String, for purpose: PasswordAccount.Purpose,
    then body: @escaping @Sendable (inout PasswordAccount) -> Void
  ) async throws {
    let now = store.clock()
    let loggedOut: ObjectID? = try await store.change { records in
      guard let id = PasswordAccount.account(of: token), var account = try records.account(id) else {
        throw UserError.badPasswordToken
      }
      let before = account.record
      guard account.accept(token, tokenID, for: purpose, at: now) else { throw UserError.badPasswordToken }
      body(&account)
      var changes = [
        try RecordChange(UserRecords.account(id), account.record, expecting: .some(before))
      ]
      guard purpose == .reset, let user = try records.user(with: account.identity) else {
        return (changes, nil)
      }
      changes.append(RecordChange(removingAll: "session", withPrefix: "\(user.id)/"))
      return (changes, user.id)
    }
    if let loggedOut { revocations.end(.user(loggedOut.description), .sessionEnded) }
  }

  /// Sends a token to an address. Throws ``UserError``, with ``UserError/noMail`` where there is no mail here.
  func send(_ purpose: PasswordAccount.Purpose, to email: String, from client: UInt64) async throws {
    switch purpose {
    case .confirm:
      try await attempts.count(from: client) { () async throws -> Void in
        let account = try await requireAccount(of: email)
        guard !account.isConfirmed else { throw UserError.alreadyConfirmed }
        try await sendLetter(.confirm, to: account)
      }
    // Which addresses have accounts does not matter to the answer, nor to its time.
    case .reset:
      guard rules?.resetFunction == nil else { throw UserError.resetByFunction }
      guard rules?.resetLetter != nil, letters.areSent else { throw UserError.noMail }
      try registrations.count(from: client)
      Task { try? await sendLetter(.reset, to: try await requireAccount(of: email)) }
    }
  }

  private func sendLetter(_ purpose: PasswordAccount.Purpose, to account: PasswordAccount) async throws {
    let letter = purpose == .confirm ? rules?.confirmationLetter : rules?.resetLetter
    guard let letter, letters.areSent else { throw UserError.noMail }
    try letters.count(to: account.email)
    try await sendLetter(purpose, letter, to: account.id)
  }

  /// Sends a mail. Until it has left there is a record of it, from which ``sendLettersAgain()`` sends another one after the end of
  /// the process.
  private func sendLetter(
    _ purpose: PasswordAccount.Purpose, _ letter: Providers.Passwords.Letter, to id: ObjectID
  ) async throws {
    let now = store.clock()
    let name = UserRecords.letter(id)
    let (email, token, tokenID, record) = try await store.change { records in
      guard var account = try records.account(id) else { throw UserError.unknownUser }
      let before = account.record
      let (token, tokenID) = account.expect(purpose, at: now)
      let record: Document = ["purpose": .string(purpose.rawValue), "token": .string(tokenID)]
      return (
        [
          try RecordChange(UserRecords.account(id), account.record, expecting: .some(before)),
          try RecordChange(name, record),
        ], (account.email, token, tokenID, record)
      )
    }
    // A later letter has a record of its own.
    let sent = RecordChange(name, nil, expecting: .value(try record.bson()))
    let forget: @Sendable () async -> Void = { [store] in _ = try? await store.store.keep([sent]) }
    do throws(UserError) {
      let mail = AccountMail(purpose, to: email, letter, token: token, tokenID: tokenID)
      try letters.send(mail) { Task { await forget() } }
    } catch {
      await forget()
      throw error
    }
  }

  /// Sends the mails once more that had not left when the process ended, with new tokens.
  func sendLettersAgain() async throws {
    guard letters.areSent else { return }
    let waiting = try await store.read { try $0.reader.records(UserRecords.letterKind, limit: 1_000) }
    for record in waiting {
      guard let id = ObjectID(record.name.key), let document = try? Document(bson: record.value),
        let purpose = document["purpose"]?.plainText.flatMap(PasswordAccount.Purpose.init),
        let letter = purpose == .confirm ? rules?.confirmationLetter : rules?.resetLetter,
        (try? await sendLetter(purpose, letter, to: id)) != nil
      else {
        // There is nobody any more, or nothing to send.
        _ = try await store.store.keep([RecordChange(removing: record.name)])
        continue
      }
    }
  }

  /// Replaces the hash of a password that was right, where hashes cost something else by now. Returns the account as
  /// it is then, or as it was where somebody has set another password meanwhile.
  func renew(
    _ account: PasswordAccount, _ password: String, for client: UInt64
  ) async throws -> PasswordAccount {
    guard let hash = try await hashes.renewal(of: account.password, password, for: client) else {
      return account
    }
    return try await edit(account.id) { current in
      guard current.password == account.password else { return account }
      current.password = hash
      return current
    }
  }

  /// Returns the accounts whose addresses come after that one, and where the next ones begin; nil: those were the
  /// last.
  func list(after start: String, limit: Int) async throws -> (accounts: [Document], next: String?) {
    try await store.read { records in
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
}
