import GatehouseAccess
import GatehouseTelemetry
import Synchronization

/// The transactions of functions that run at other nodes of a cluster, on the classes of a group that this one leads. They end with their
/// outcome, or when nothing has come for a while: the node that has begun one may have ended.
public final class ForwardedTransactions: Sendable {
  /// The most that are open at once: each holds a state of a store.
  static let mostOpen = 256
  /// The nanoseconds after which one ends of which nothing was heard.
  private static let patience: UInt64 = 60_000_000_000

  private struct Entry {
    let transaction: FunctionTransaction
    /// On the monotonic clock, in nanoseconds.
    var lastUse: UInt64
  }

  private let open = Mutex<[String: Entry]>([:])
  private let clock: @Sendable () -> UInt64

  public convenience init() { self.init { MonotonicClock.now() } }

  init(clock: @escaping @Sendable () -> UInt64) { self.clock = clock }

  /// Returns the transaction that a command is a part of, which its first command begins.
  func transaction(
    _ part: ForwardedTransactionPart, by principal: Principal
  ) throws(FunctionTransactionError) -> FunctionTransaction {
    let now = clock()
    let found = open.withLock { open -> Result<FunctionTransaction, FunctionTransactionError> in
      if let entry = open[part.id] {
        open[part.id]?.lastUse = now
        return entry.transaction.principal.id == principal.id
          ? .success(entry.transaction) : .failure(.otherRights)
      }
      guard part.step == .begin else { return .failure(.noTransaction) }
      guard open.count < ForwardedTransactions.mostOpen else { return .failure(.tooMany) }
      let transaction = FunctionTransaction(of: principal, id: part.id)
      open[part.id] = Entry(transaction: transaction, lastUse: now)
      precondition(
        open.count <= ForwardedTransactions.mostOpen, "other nodes have a bounded number of transactions here"
      )
      return .success(transaction)
    }
    return try found.get()
  }

  /// Forgets a transaction, which leaves nothing of it where it was not committed.
  func end(_ id: String) { _ = open.withLock { $0.removeValue(forKey: id) } }

  /// Forgets those of which nothing was heard for too long.
  func expire() {
    let now = clock()
    // Their states of stores are let go of outside of the lock.
    let expired = open.withLock { open in
      let expired = open.filter { $0.value.lastUse + ForwardedTransactions.patience < now }
      for id in expired.keys { open[id] = nil }
      return expired
    }
    withExtendedLifetime(expired) {}
  }
}

/// The part of a transaction that a command is which one node sends to another, as the field `Gatehouse-Function-Transaction` says it.
struct ForwardedTransactionPart {
  enum Step: String {
    case begin, proceed
    /// It is abandoned: nothing of it is done.
    case end
  }

  let id: String
  let step: Step

  init(_ id: String, _ step: Step) { (self.id, self.step) = (id, step) }

  /// Nil: it is none.
  init?(field: String) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 2, let step = Step(rawValue: String(parts[1])) else { return nil }
    (id, self.step) = (String(parts[0]), step)
  }

  var field: String { "\(id);\(step.rawValue)" }
}
