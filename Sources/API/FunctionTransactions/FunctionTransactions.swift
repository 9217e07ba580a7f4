import GatehouseAccess
import Synchronization

/// The transactions that one call of a function has open, by the numbers that the function gives them. They end with the call.
final class FunctionTransactions: Sendable {
  /// The most transactions that a call may have open at once: each holds a state of the store.
  static let mostOpen = 4

  private let open = Mutex<[Int64: FunctionTransaction]>([:])

  /// Returns a transaction, which `begins` makes.
  func transaction(
    _ number: Int64, begins: Bool, by principal: Principal
  ) throws(FunctionTransactionError) -> FunctionTransaction {
    let found = open.withLock { open -> Result<FunctionTransaction, FunctionTransactionError> in
      if let transaction = open[number] {
        return transaction.principal.id == principal.id ? .success(transaction) : .failure(.otherRights)
      }
      guard begins else { return .failure(.noTransaction) }
      guard open.count < FunctionTransactions.mostOpen else { return .failure(.tooMany) }
      let transaction = FunctionTransaction(of: principal)
      open[number] = transaction
      precondition(open.count <= FunctionTransactions.mostOpen, "a call has a bounded number of transactions")
      return .success(transaction)
    }
    return try found.get()
  }

  /// Forgets a transaction, which leaves nothing of it where it was not committed.
  func end(_ number: Int64) { _ = open.withLock { $0.removeValue(forKey: number) } }
}
