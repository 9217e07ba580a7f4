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
    self.capacity = capacity
  }

  /// Counts `amount` as held by the caller. The first that a caller takes may be all that is free.
  public mutating func take(_ amount: Int, for caller: Caller) throws(SharingError) {
    let free = capacity - total
    guard amount <= free else { throw .exhausted }
    let held = max(byAddress[caller.address] ?? 0, byPrincipal[caller.principal] ?? 0)
    guard held == 0 || held <= free - amount else { throw .share }
    total += amount
    byAddress[caller.address, default: 0] += amount
    // Callers without a credential have nothing in common.
    if !caller.principal.isEmpty { byPrincipal[caller.principal, default: 0] += amount }
  }

  /// Counts `amount` as no longer held by the caller, who took it.
  public mutating func give(_ amount: Int, of caller: Caller) {
    total -= amount
    Holdings.subtract(amount, from: &byAddress, caller.address)
    if !caller.principal.isEmpty { Holdings.subtract(amount, from: &byPrincipal, caller.principal) }
  }

  private static func subtract<Key: Hashable>(_ amount: Int, from held: inout [Key: Int], _ key: Key) {
    guard let count = held[key] else { return }
    held[key] = count > amount ? count - amount : nil
  }
}
