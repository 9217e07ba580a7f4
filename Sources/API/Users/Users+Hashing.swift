import Access
import Crypto
import Storage
import Synchronization

/// Passwords and their hashes.
extension Users {
  static let costsName = Record.Name("passwordCosts", "")

  /// The hash of a new password. Throws what ``PasswordHasher`` throws.
  func hash(_ password: String, for client: UInt64) async throws -> PasswordHash {
    let cost = try await costs(for: client).current
    return try await hasher.compute(for: client) { PasswordHash(of: password, cost: cost) }
  }

  /// Whether that is the password; nil: there is none, and the answer is no.
  ///
  /// Every no takes as long as the most expensive hash does, whatever hash there is: time does not tell which addresses
  /// have accounts.
  func matches(_ hash: PasswordHash?, _ password: String, for client: UInt64) async throws -> Bool {
    let most = try await costs(for: client).most
    return try await hasher.compute(for: client) {
      if let hash, hash.matches(password) { return true }
      if let rest = most.rest(after: hash?.cost) { _ = PasswordHash(of: password, cost: rest) }
      return false
    }
  }

  /// Replaces the hash of a password that was right, where hashes cost something else by now. Returns the account as it
  /// is then, or as it was where somebody has set another password meanwhile.
  func renew(
    _ account: PasswordAccount, _ password: String, for client: UInt64
  ) async throws -> PasswordAccount {
    let cost = try await costs(for: client).current
    guard account.password.cost != cost else { return account }
    let hash = try await hasher.compute(for: client) { PasswordHash(of: password, cost: cost) }
    return try await edit(account.id) { current in
      guard current.password == account.password else { return account }
      current.password = hash
      return current
    }
  }

  /// The cost of hashes on this machine: measured before the first of them is computed, and kept, so that all of
  /// them cost the same from start to start.
  private func costs(for client: UInt64) async throws -> PasswordCosts {
    if let costs = costs.withLock({ $0 }) { return costs }
    let pass = try await hasher.compute(for: client) { ScryptCost.timeOfPass() }
    let found = try await change { records in
      let name = Users.costsName
      let stored = try records.document(name)
      let before = stored.flatMap(PasswordCosts.init)
      let hasAccounts = try !records.reader.records("account", limit: 1).isEmpty
      let costs = PasswordCosts(adapting: before, toPass: pass, hasAccounts: hasAccounts)
      let changes = costs == before ? [] : [try RecordChange(name, costs.record, expecting: .some(stored))]
      return (changes, costs)
    }
    return costs.withLock { costs in
      // Who was first has decided for all.
      costs = costs ?? found
      return costs ?? found
    }
  }
}
