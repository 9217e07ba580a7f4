public import GatehouseBSON
public import GatehouseCrypto

/// The costs of password hashes: of those made now, and of the most expensive one that may be stored.
public struct PasswordCosts: Hashable, Sendable {
  /// Nanoseconds that hashing should take.
  public static let time: UInt64 = 100_000_000

  public let current: ScryptCost
  public let most: ScryptCost

  public init(current: ScryptCost, most: ScryptCost) {
    (self.current, self.most) = (current, most)
  }

  /// Chooses the costs for a machine on which one pass takes `pass` nanoseconds. Costs in force stay while they take
  /// half to twice the time: another figure each time would have every hash made anew. Without any, existing accounts
  /// have hashes of ``ScryptCost/standard`` cost.
  public init(adapting costs: PasswordCosts?, toPass pass: UInt64, hasAccounts: Bool) {
    if let costs {
      let (time, isMuch) = UInt64(costs.current.parallelism).multipliedReportingOverflow(by: pass)
      if !isMuch, time >= PasswordCosts.time / 2, time <= PasswordCosts.time * 2 {
        self = costs
        return
      }
    }
    let current = ScryptCost.taking(PasswordCosts.time, pass: pass)
    let before = costs?.most ?? (hasAccounts ? .standard : current)
    self.init(current: current, most: before.operations > current.operations ? before : current)
  }

  /// The costs as stored.
  public var record: Document {
    ["current": .int64(Int64(current.parallelism)), "most": .int64(Int64(most.parallelism))]
  }

  /// Reads stored costs; nil if the document holds none.
  public init?(record: Document) {
    guard let current = record["current"]?.seconds, let most = record["most"]?.seconds,
      let current = ScryptCost(passes: Int(current)), let most = ScryptCost(passes: Int(most))
    else { return nil }
    self.init(current: current, most: most)
  }
}
