import GatehouseAccess
import GatehouseCrypto
import GatehouseScheduling
import GatehouseStorage
import Synchronization

/// Hashes passwords and compares them, at the cost that hashes have on this machine.
final class PasswordHashes: Sendable {
  private static let costsName = Record.Name("passwordCosts", "")

  let hasher: PasswordHasher
  private let store: UserStore
  /// Nil: what hashes cost is to be found out.
  private let costs: Mutex<PasswordCosts?>

  /// `cost` is what a hash costs; nil: about a tenth of a second on this machine. `hashers` are computed at once.
  init(_ store: UserStore, cost: ScryptCost?, hashers: Int, on scheduler: any Scheduler) {
    self.store = store
    hasher = PasswordHasher(workers: hashers, on: scheduler)
    costs = Mutex(cost.map { PasswordCosts(current: $0, most: $0) })
  }

  /// Returns the hash of a new password. Throws what ``PasswordHasher`` throws.
  func hash(_ password: String, for client: UInt64) async throws -> PasswordHash {
    let cost = try await costs(for: client).current
    return try await hasher.compute(for: client) { PasswordHash(of: password, cost: cost) }
  }

  /// Whether that is the password; nil: there is none, and the answer is no.
  ///
  /// Every no takes as long as the most expensive hash does, whatever hash there is: time does not tell which
  /// addresses have accounts.
  func matches(_ hash: PasswordHash?, _ password: String, for client: UInt64) async throws -> Bool {
    let most = try await costs(for: client).most
    let result = try await hasher.compute(for: client) { () -> Result<Bool, CryptoError> in
      do throws(CryptoError) {
        if let hash, try hash.matches(password) { return .success(true) }
      } catch {
        return .failure(error)
      }
      if let rest = most.rest(after: hash?.cost) { _ = PasswordHash(of: password, cost: rest) }
      return .success(false)
    }
    return try result.get()
  }

  /// Returns another hash of a password that was right, where hashes cost something else by now; nil: the hash is
  /// good.
  func renewal(of hash: PasswordHash, _ password: String, for client: UInt64) async throws -> PasswordHash? {
    let cost = try await costs(for: client).current
    guard hash.cost != cost else { return nil }
    return try await hasher.compute(for: client) { PasswordHash(of: password, cost: cost) }
  }

  /// The cost of hashes on this machine: measured before the first of them is computed, and kept, so that all of
  /// them cost the same from start to start.
  private func costs(for client: UInt64) async throws -> PasswordCosts {
    if let costs = costs.withLock({ $0 }) { return costs }
    let pass = try await hasher.compute(for: client) { ScryptCost.timeOfPass() }
    let found = try await store.change { records in
      let name = PasswordHashes.costsName
      let stored = try records.document(name)
      let before = stored.flatMap(PasswordCosts.init)
      let hasAccounts = try !records.reader.records("account", limit: 1).isEmpty
      let costs = PasswordCosts(adapting: before, toPass: pass, hasAccounts: hasAccounts)
      let changes = costs == before ? [] : [try RecordChange(name, costs.record, expecting: .some(stored))]
      return (changes, costs)
    }
    return costs.withLock { costs in
      // The first has decided for all.
      costs = costs ?? found
      return costs ?? found
    }
  }
}
