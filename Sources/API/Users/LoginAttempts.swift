import Access
import Synchronization

/// Counts attempts to log in that fail: by address, and by account and address. So nobody shuts an account's owner out
/// from elsewhere, and who succeeds with one account does not begin anew with another.
final class LoginAttempts: Sendable {
  /// Failures in a minute.
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

  /// Counts an attempt; returns after how many seconds there may be another where there may be none now, else nil.
  func begin(_ account: String?, from client: UInt64, at now: Int64) -> Int? {
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

  /// The attempt succeeded, or `isUndecided`: it does not count. After a success, nor do earlier ones from that address
  /// for that account; for others they do.
  func withdraw(_ account: String?, from client: UInt64, isUndecided: Bool = false) {
    tables.withLock { tables in
      tables.addresses.withdraw(client)
      guard let account else { return }
      tables.accounts.withdraw(account)
      let pair = Pair(account: account, client: client)
      if isUndecided { tables.pairs.withdraw(pair) } else { tables.pairs.forget(pair) }
    }
  }
}
