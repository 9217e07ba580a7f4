import GatehouseAccess
import GatehouseBSON
import Synchronization

/// Counts attempts to log in that fail: by address, and by account and address. So nobody shuts an account's owner
/// out from elsewhere, and who succeeds with one account does not begin anew with another.
final class LoginAttempts: Sendable {
  /// The most failures in a minute.
  static let limits = (address: 60, pair: 10)
  /// An account with more failures than that in an hour, from wherever, is under attack: then each address has only
  /// `pairLimit` tries in a minute, which are enough for its owner.
  static let siege = (failures: 100, pairLimit: 2)

  /// An account, as seen from an address.
  private struct Pair: Hashable {
    let account: String
    let client: UInt64
  }

  private struct Tables {
    var addresses = AttemptLimit(limit: limits.address, period: 60)
    var pairs = AttemptLimit(limit: limits.pair, period: 60)
    var accounts = AttemptLimit(limit: siege.failures, period: 3_600)
  }

  private let tables = Mutex(Tables())
  private let clock: @Sendable () -> Date

  init(clock: @escaping @Sendable () -> Date) {
    self.clock = clock
  }

  /// Makes an attempt to log in, or to get at somebody's account, which counts where it fails. Throws
  /// ``UserError/tooManyAttempts(seconds:)``, and what the attempt throws.
  func count<Result: Sendable>(
    at account: String? = nil, from client: UInt64, _ attempt: () async throws -> Result
  ) async throws -> Result {
    if let wait = begin(account, from: client, at: clock().seconds) {
      throw UserError.tooManyAttempts(seconds: wait)
    }
    do {
      let result = try await attempt()
      withdraw(account, from: client)
      return result
    } catch let error as UserError where error.isFailedAttempt {
      throw error
    } catch {
      // Nobody has been told whether it was right.
      withdraw(account, from: client, isUndecided: true)
      throw error
    }
  }

  /// Whether no failure is remembered.
  var isEmpty: Bool {
    let now = clock().seconds
    return tables.withLock { tables in
      tables.addresses.isEmpty(at: now) && tables.pairs.isEmpty(at: now) && tables.accounts.isEmpty(at: now)
    }
  }

  /// Counts an attempt; returns after how many seconds there may be another where there may be none now, else nil.
  private func begin(_ account: String?, from client: UInt64, at now: Int64) -> Int? {
    tables.withLock { tables in
      if let wait = tables.addresses.count(client, at: now) { return wait }
      guard let account else { return nil }
      let isBesieged = tables.accounts.wait(for: account, at: now) != nil
      let pair = Pair(account: account, client: client)
      if let wait = tables.pairs.count(pair, at: now, limit: isBesieged ? Self.siege.pairLimit : nil) {
        return wait
      }
      _ = tables.accounts.count(account, at: now)
      return nil
    }
  }

  /// The attempt succeeded, or `isUndecided`: it does not count. After a success, nor do earlier ones from that
  /// address for that account; for others they do.
  private func withdraw(_ account: String?, from client: UInt64, isUndecided: Bool = false) {
    tables.withLock { tables in
      tables.addresses.withdraw(client)
      guard let account else { return }
      tables.accounts.withdraw(account)
      let pair = Pair(account: account, client: client)
      if isUndecided { tables.pairs.withdraw(pair) } else { tables.pairs.forget(pair) }
    }
  }
}
