internal import Synchronization

/// A number of bytes that all callers of the process share.
public final class SharedBudget: Sendable {
  /// The kinds of resources that are counted in bytes.
  public enum Resource: Hashable, Sendable {
    case memory
    case temporaryFiles
  }

  /// A caller's part of the budget, which is given back when the value is gone.
  public final class Reservation: Sendable {
    private let budget: SharedBudget
    private let caller: Caller
    private let amount = Mutex(0)

    fileprivate init(_ budget: SharedBudget, _ caller: Caller) {
      self.budget = budget
      self.caller = caller
    }

    deinit {
      release()
    }

    /// Makes the part as large as `size` bytes, if it is smaller. Where that is refused it stays as large as it was.
    public func grow(to size: Int) throws(BudgetError) {
      try amount.withLock { (amount) throws(BudgetError) in
        guard size > amount else { return }
        precondition(amount >= 0, "a part of a budget is no less than nothing")
        try budget.take(size - amount, for: caller)
        amount = size
      }
    }

    /// Makes the part as large as `size` bytes, if it is smaller, whether there is room or not: for what is there already
    /// and cannot be refused any more.
    public func overdraw(to size: Int) {
      amount.withLock { amount in
        guard size > amount else { return }
        budget.overdraw(size - amount, for: caller)
        amount = size
      }
    }

    /// Gives all of the part back.
    public func release() {
      let given = amount.withLock { amount in
        if amount > 0 { budget.give(amount, of: caller) }
        defer { amount = 0 }
        return amount
      }
      if given >= budget.largeSize { budget.didGive() }
    }
  }

  /// The whole budget as one caller of another, which must have as much.
  public struct Share: Sendable {
    fileprivate let budget: SharedBudget
    fileprivate let caller: Caller

    public init(of budget: SharedBudget, for caller: Caller) {
      (self.budget, self.caller) = (budget, caller)
    }
  }

  private let resource: Resource
  private let share: Share?
  private let holdings: Mutex<Holdings>
  private let largeSize: Int
  private let didGive: @Sendable () -> Void

  /// Makes a budget of `capacity` bytes. `didGive` is called, on any thread, when a part of at least `largeSize` bytes has been given back.
  public init(
    of resource: Resource, capacity: Int, within share: Share? = nil, largeSize: Int = .max,
    didGive: @escaping @Sendable () -> Void = {}
  ) {
    self.resource = resource
    self.share = share
    self.largeSize = largeSize
    self.didGive = didGive
    holdings = Mutex(Holdings(capacity: capacity))
  }

  /// The bytes that all callers hold.
  public var used: Int { holdings.withLock(\.total) }

  /// Makes a part for a caller, of no bytes yet.
  public func reservation(for caller: Caller) -> Reservation { Reservation(self, caller) }

  /// Throws where more is held than there is, and the caller holds some of it. What is never refused by
  /// ``Reservation/grow(to:)`` can be refused by this before it begins, so that nobody overdraws again and again.
  public func requireBalance(of caller: Caller) throws(BudgetError) {
    let isOverdrawn = holdings.withLock { $0.total > $0.capacity && $0.held(by: caller) > 0 }
    if isOverdrawn { throw BudgetError(resource, .exhausted) }
    if let share { try share.budget.requireBalance(of: share.caller) }
  }

  private func take(_ amount: Int, for caller: Caller) throws(BudgetError) {
    if let share { try share.budget.take(amount, for: share.caller) }
    do throws(BudgetError) {
      try takeOwn(amount, for: caller)
    } catch {
      if let share { share.budget.give(amount, of: share.caller) }
      throw error
    }
  }

  private func give(_ amount: Int, of caller: Caller) {
    holdings.withLock { $0.give(amount, of: caller) }
    if let share { share.budget.give(amount, of: share.caller) }
  }

  private func overdraw(_ amount: Int, for caller: Caller) {
    holdings.withLock { $0.add(amount, to: caller) }
    if let share { share.budget.overdraw(amount, for: share.caller) }
  }

  private func takeOwn(_ amount: Int, for caller: Caller) throws(BudgetError) {
    try holdings.withLock { (holdings) throws(BudgetError) in
      do throws(SharingError) {
        try holdings.take(amount, for: caller)
      } catch {
        throw BudgetError(resource, error)
      }
    }
  }
}
