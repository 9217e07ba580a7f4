internal import Synchronization

/// An amount, of bytes or of anything else, that all callers of the process share.
public final class SharedBudget: Sendable {
  /// A part of the budget, which is given back when the value is gone.
  public final class Reservation: Sendable {
    private let budget: SharedBudget
    private let caller: Caller
    private let amount: Mutex<Int>

    fileprivate init(of budget: SharedBudget, for caller: Caller, amount: Int) {
      self.budget = budget
      self.caller = caller
      self.amount = Mutex(amount)
    }

    deinit {
      let amount = amount.withLock { $0 }
      if amount > 0 { budget.holdings.withLock { $0.give(amount, of: caller) } }
    }

    /// Grows the reservation to `size`, if it is smaller.
    public func grow(to size: Int) throws(SharingError) {
      try amount.withLock { (amount) throws(SharingError) in
        guard size > amount else { return }
        let difference = size - amount
        try budget.holdings.withLock { (holdings) throws(SharingError) in
          try holdings.take(difference, for: caller)
        }
        amount = size
      }
    }
  }

  private let holdings: Mutex<Holdings>

  public init(capacity: Int) {
    holdings = Mutex(Holdings(capacity: capacity))
  }

  /// The sum over all callers.
  public var used: Int { holdings.withLock(\.total) }

  /// Reserves a part of the budget for a caller.
  public func reserve(_ amount: Int, for caller: Caller) throws(SharingError) -> Reservation {
    try holdings.withLock { (holdings) throws(SharingError) in try holdings.take(amount, for: caller) }
    return Reservation(of: self, for: caller, amount: amount)
  }
}
