/// Counts what callers hold of something scarce, and decides who may have more.
///
/// The limit of each caller is what is still free (the dynamic threshold of Choudhury and Hahne, IEEE/ACM Transactions
/// on Networking 6(2), 1998): one alone gets half of the capacity, two a third each, and there is always something
/// left for the next. An address counts like a principal, so that neither many users of one address nor one user at many
/// addresses get more.
public struct Holdings: Sendable {
  public let capacity: Int
  /// The sum over all callers.
  public private(set) var total = 0
  private var byAddress: [UInt64: Int] = [:]
  private var byPrincipal: [String: Int] = [:]

  public init(capacity: Int) {
    precondition(capacity >= 0, "a capacity is no less than nothing")
    self.capacity = capacity
  }

  /// Counts `amount` as held by the caller. The first that a caller takes may be all that is free.
  public mutating func take(_ amount: Int, for caller: Caller) throws(SharingError) {
    let free = capacity - total
    guard amount <= free else { throw .exhausted }
    guard Self.admits(amount, beside: held(by: caller), of: free) else { throw .share }
    add(amount, to: caller)
    precondition(total <= capacity, "what callers hold together is never more than the capacity")
  }

  /// Returns what the caller's address or its principal holds, whichever is more.
  public func held(by caller: Caller) -> Int {
    max(byAddress[caller.address] ?? 0, byPrincipal[caller.principal] ?? 0)
  }

  /// Whether who holds `held` may have `amount` more of the `free`: what is held may be `factor` times what stays free. A
  /// factor of 3 leaves three quarters to one alone.
  public static func admits(_ amount: Int, beside held: Int, of free: Int, factor: Int = 1) -> Bool {
    precondition(factor > 0 && held >= 0, "a share is that of somebody who holds something, or nothing")
    guard amount <= free else { return false }
    return held == 0 || (held + factor - 1) / factor <= free - amount
  }

  /// Counts `amount` as held by the caller, whether there is as much or not.
  mutating func add(_ amount: Int, to caller: Caller) {
    precondition(amount >= 0, "what is taken is no less than nothing")
    if amount == 0 { return }
    total += amount
    byAddress[caller.address, default: 0] += amount
    // Callers without a credential have nothing in common.
    if !caller.principal.isEmpty { byPrincipal[caller.principal, default: 0] += amount }
  }

  /// Counts `amount` as no longer held by the caller, who took it.
  public mutating func give(_ amount: Int, of caller: Caller) {
    precondition(amount >= 0 && amount <= total, "what is given back was taken")
    total -= amount
    Holdings.subtract(amount, from: &byAddress, caller.address)
    if !caller.principal.isEmpty { Holdings.subtract(amount, from: &byPrincipal, caller.principal) }
    precondition(total > 0 || byAddress.isEmpty && byPrincipal.isEmpty, "what is held is held by somebody")
  }

  private static func subtract<Key: Hashable>(_ amount: Int, from held: inout [Key: Int], _ key: Key) {
    let count = held[key] ?? 0
    precondition(count >= amount, "a caller gives back what it holds itself")
    held[key] = count > amount ? count - amount : nil
  }
}
