// Group commit: transactions that wait together share one SQLite transaction and one fsync.
extension Committer {
  typealias Waiting = (
    transaction: Transaction, continuation: UnsafeContinuation<Result<Commit, OperationError>, Never>
  )

  /// Performs transactions in one of SQLite's.
  func commitGroup(_ group: [Waiting]) {
    guard !group.isEmpty else { return }
    let results = resultsOnFullDisk(of: group.map(\.transaction))
    for case .failure(let error) in results { publish(error.reason) }
    for (index, item) in group.enumerated() { item.continuation.resume(returning: results[index]) }
    didCommit()
  }

  /// Performs a transaction that may take long.
  func commitAlone(_ waiting: Waiting) {
    guard waiting.transaction.isBulk else { return commitGroup([waiting]) }
    var waiting = waiting
    if waiting.transaction.matched?.isCurrent(in: view.state) != true { waiting.transaction.matched = nil }
    connection.withLargeCache { commitGroup([waiting]) }
  }

  /// Where the disk is full deletions are performed by themselves. What did not fail for that is done: of a group whose commit
  /// failed, everything did.
  private func resultsOnFullDisk(of group: [Transaction]) -> [Result<Commit, OperationError>] {
    let first = isFull ? nil : results(of: group)
    if let first {
      guard first.contains(where: \.isDiskFull), group.contains(where: \.isDeletion) else { return first }
    }
    return group.enumerated().map { place, transaction in
      if let result = first?[place], !result.isDiskFull { return result }
      return performOnFullDisk(isDeletion: transaction.isDeletion) { results(of: [transaction])[0] }
    }
  }

  private func results(of group: [Transaction]) -> [Result<Commit, OperationError>] {
    let before = mark
    do throws(StorageError) {
      var results: [Result<Commit, OperationError>] = []
      // Who asks for more than the others gets it for all.
      let durability = group.lazy.map(\.durability).min() ?? .full
      try begin(durability)
      for (index, transaction) in group.enumerated() {
        let (result, isHalfDone) = try performInGroup(transaction)
        results.append(result)
        guard isHalfDone else { continue }
        // The others begin anew, this time in savepoints. What failed is not tried again: it may have taken long.
        rollBack(to: before)
        try begin(durability)
        results = []
        for (place, transaction) in group.enumerated() {
          results.append(place == index ? result : try performInSavepoint(transaction))
        }
        break
      }
      precondition(results.count == group.count, "each of a group has a result of its own")
      try commit()
      return results
    } catch {
      rollBack(to: before)
      let failure = OperationError(operation: 0, reason: error)
      return group.map { _ in .failure(failure) }
    }
  }

  /// Performs a transaction; returns its result, and whether it failed after it had changed something.
  ///
  /// Most that fail do so before their first change, and in a savepoint SQLite copies every page that is about to
  /// change: a tenth of a small write.
  private func performInGroup(
    _ transaction: Transaction
  ) throws(StorageError) -> (result: Result<Commit, OperationError>, isHalfDone: Bool) {
    if transaction.isTrial { return (try performInSavepoint(transaction), false) }
    let before = mark
    do throws(OperationError) {
      return (.success(try perform(transaction)), false)
    } catch {
      guard isInTransaction else { throw error.reason }
      guard mark.changes == before.changes else { return (.failure(error), true) }
      restore(before)
      return (.failure(error), false)
    }
  }

  /// Performs a transaction so that it fails alone, and a trial so that nothing is left of it.
  private func performInSavepoint(
    _ transaction: Transaction
  ) throws(StorageError) -> Result<Commit, OperationError> {
    let before = mark
    replication?.beginSavepoint()
    try execute(TransactionStatements.beginRequest)
    let commit: Commit
    do throws(OperationError) { commit = try perform(transaction) } catch {
      // A full disk or an I/O error may have ended the whole transaction already.
      guard isInTransaction else { throw error.reason }
      try rollBackRequest(to: before)
      return .failure(error)
    }
    if transaction.isTrial {
      try rollBackRequest(to: before)
    } else {
      try execute(TransactionStatements.endRequest)
      replication?.endSavepoint()
    }
    return .success(commit)
  }

  private func rollBackRequest(to mark: Mark) throws(StorageError) {
    try execute(TransactionStatements.rollBackRequest)
    try execute(TransactionStatements.endRequest)
    replication?.endSavepoint()
    restore(mark)
  }
}

extension MatchedObjects {
  /// Whether the same objects match in that state of the store, which is no older one.
  fileprivate func isCurrent(in state: StoreState) -> Bool {
    isOfOneClass && generation == state.catalog.generation && state.changes[table] <= version
  }
}

extension Transaction {
  /// Whether all that it does is to delete.
  fileprivate var isDeletion: Bool {
    !operations.isEmpty
      && operations.allSatisfy { operation in
        switch operation {
        case .delete, .each(_, .delete), .change(_, _, _, .remove, _), .change(_, _, _, .removeElements, _):
          true
        case .create, .put, .update, .edit, .change, .each: false
        }
      }
  }
}
